"""A page of sentences with the found word highlighted: one file with nothing to fetch."""

from collections.abc import Sequence
from html import escape

from soloc.text.sentences import SentenceExplanation

STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #ffffff; --card: #f6f8fa;
  --muted: #5c6670; --line: #dfe3e8; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaed; --paper: #14171c; --card: #1d2229; --muted: #a3adb8; --line: #333b45; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 52rem; padding: 1.5rem 1rem 3rem;
  background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .4rem; }
p { margin: .4rem 0; }
article { background: var(--card); border: 1px solid var(--line); border-radius: 8px;
  padding: .8rem 1rem; margin: .9rem 0; }
.sentence { font-size: 1.15rem; line-height: 1.9; overflow-wrap: anywhere; }
mark { color: inherit; border-radius: 4px; padding: .1rem 0; }
mark.decisive { padding: .1rem .2rem; outline: 2px solid var(--ink); font-weight: 600; }
.numbers { color: var(--muted); font-size: .9rem; font-variant-numeric: tabular-nums; }
.numbers b { color: var(--ink); }
.doubt { border-left: 4px solid #e69f00; padding-left: .7rem; }
.up, .down { border-radius: 4px; padding: 0 .35rem; }
.up { background: rgba(30,110,210,.45); } .down { background: rgba(205,75,20,.45); }
"""


def sentence_page(
    explanations: Sequence[SentenceExplanation], title: str, truths: Sequence[str] | None = None
) -> str:
    """The whole document; `truths` are lines that say what is right, where that is known."""
    if truths is not None and len(truths) != len(explanations):
        raise ValueError(
            f"`truths` must have one line per sentence, {len(explanations)}, got {len(truths)}."
        )
    doubts = dict.fromkeys(text for explanation in explanations for text in explanation.doubts)
    notes = "".join(
        f'<p class="doubt">Do not trust which word is named: {escape(text)}.</p>' for text in doubts
    )
    lines = [""] * len(explanations) if truths is None else truths
    cards = "".join(
        _card(explanation, line) for explanation, line in zip(explanations, lines, strict=True)
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
<title>{escape(title)} - soloc</title>
<style>{STYLE}</style>
</head>
<body>
<h1>{escape(title)}</h1>
<p>The shade of a word is its weight, its colour what it does to the score, compared
with the average: <span class="up">raises</span>
<span class="down">lowers</span>. The framed word has the largest weight.</p>
{notes}
<main>{cards}</main>
</body>
</html>
"""


def _card(explanation: SentenceExplanation, truth: str) -> str:
    shown = explanation.prediction
    score = escape(shown) if isinstance(shown, str) else f"{shown:+.2f}"
    row = explanation.table[explanation.table["decisive"]].iloc[0]
    known = f" &middot; {escape(truth)}" if truth else ""
    return f"""<article><p class="sentence">{explanation.html()}</p>
<p class="numbers">prediction <b>{score}</b> &middot; decided by
<b>{escape(str(row["word"]))}</b>, weight {row["weight"]:.2f},
contribution {row["contribution"]:+.2f}{known}</p></article>
"""
