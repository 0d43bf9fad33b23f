"""An explanation as a page of its own: one file with nothing to fetch, light and dark."""

from html import escape
from typing import Any

MOST_SHOWN = 200  # instances; of larger bags the heaviest
STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #ffffff; --card: #f6f8fa;
  --muted: #5c6670; --line: #dfe3e8; --bar: #2a6fc9; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaed; --paper: #14171c; --card: #1d2229; --muted: #a3adb8; --line: #333b45;
    --bar: #6aa5f0; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 56rem; padding: 1.5rem 1rem 3rem;
  background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .4rem; overflow-wrap: anywhere; }
p { margin: .4rem 0; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 8px;
  padding: .8rem 1rem; margin: .9rem 0; line-height: 2.1; overflow-wrap: anywhere; }
mark { color: var(--ink); border-radius: 4px; padding: .15rem .3rem; }
mark.decisive { outline: 2px solid var(--ink); font-weight: 600; }
.up { background: rgba(30,110,210,.45); } .down { background: rgba(205,75,20,.45); }
.muted { color: var(--muted); font-size: .9rem; }
.doubt { border-left: 4px solid #e69f00; padding-left: .7rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .25rem .6rem; border-top: 1px solid var(--line); }
th { border-top: 0; color: var(--muted); font-weight: 500; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; overflow-wrap: anywhere; }
tr.decisive td { font-weight: 600; } tr.sum td { border-top: 2px solid var(--muted); }
.bar { display: inline-block; height: .6rem; min-width: 1px; background: var(--bar);
  border-radius: 2px; margin-right: .5rem; }
td.weight { white-space: nowrap; }
@media (max-width: 30rem) { .bar, .value { display: none; } th, td { padding: .25rem .35rem; } }
"""


def page(explanation: Any) -> str:
    """The whole document about an `Explanation`."""
    table = explanation.table
    shown = table.nlargest(MOST_SHOWN, "weight") if len(table) > MOST_SHOWN else table
    words = " ".join(map(_word, shown.sort_index().itertuples()))
    show = explanation.shown(4)
    ordered = shown.sort_values("weight", ascending=False, kind="stable")
    rows = "".join(_row(row, show(row.contribution)) for row in ordered.itertuples())
    less = len(table) - len(shown)
    left = f'<p class="muted">{less} instances of less weight are not shown.</p>' if less else ""
    doubts = "".join(
        f'<p class="doubt">Do not trust which instance is named: {escape(text)}.</p>'
        for text in explanation.doubts
    )
    title = f"What decided bag {escape(explanation.bag)}?"
    most, framed = "all instances weigh the same, so that none is named", ""
    for row in table[table["decisive"]].itertuples():  # one, or none
        most = f"most weight is on <b>{escape(str(row.name))}</b> ({row.weight:.3f}), which"
        most += f" contributes {show(row.contribution)}"
        framed = "The framed one has the largest weight."
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
<title>{title} - soloc</title>
<style>{STYLE}</style>
</head>
<body>
<main>
<h1>{title}</h1>
<p>Prediction <b>{escape(explanation.prediction)}</b>; {most}.</p>
{doubts}
<div class="card">{words}</div>
<p class="muted">The shade is the weight, the colour what the instance does to the
{escape(explanation.total_is)}: <mark class="up">raises</mark> <mark class="down">lowers</mark>.
{framed}</p>
<div class="scroll"><table>
<tr><th>instance</th><th>weight</th><th class="value">value</th><th>contribution</th></tr>
{rows}
<tr><td>{escape(explanation.offset_is)}</td><td></td><td class="value"></td>
<td>{show(explanation.offset)}</td></tr>
<tr class="sum"><td>{escape(explanation.total_is)}</td><td></td><td class="value"></td>
<td>{show(explanation.total)}</td></tr>
</table></div>
{left}
</main>
</body>
</html>
"""


def _word(row: Any) -> str:
    colour = "30,110,210" if row.contribution >= 0 else "205,75,20"
    kind = ' class="decisive"' if row.decisive else ""
    hover = f"weight {row.weight:.3f}, contribution {row.contribution:+.4g}"
    return (
        f'<mark{kind} title="{hover}" style="background:rgba({colour},{0.75 * row.weight:.3f})">'
        f"{escape(str(row.name))}</mark>"
    )


def _row(row: Any, contribution: str) -> str:
    kind = ' class="decisive"' if row.decisive else ""
    bar = f'<span class="bar" style="width:{7 * row.weight:.2f}rem"></span>'
    return (
        f'<tr{kind}><td>{escape(str(row.name))}</td><td class="weight">{bar}{row.weight:.3f}</td>'
        f'<td class="value">{row.value:+.4g}</td><td>{contribution}</td></tr>\n'
    )
