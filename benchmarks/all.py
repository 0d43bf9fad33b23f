"""Every benchmark, its bars in one table, and an alarm when a ratio got worse.

python benchmarks/all.py            runs all scripts bench_*.py, prints the table and compares it
python benchmarks/all.py --keep     also writes it to table.md beside this file, to be committed
python benchmarks/all.py dynamics   those scripts alone

A ratio to a plain baseline of the same run (the last column, or a number of the unit "times") that
is worse by a third than the committed one is named, and the command ends with 1, as it does when a
script fails. Other numbers depend on the machine: they are shown beside their bars alone.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
TABLE = HERE / "table.md"
WORSE = 4.0 / 3.0
_NUMBER = r"-?(?:nan|inf|[\d.]+(?:e[+-]?\d+)?)"
_BAR = re.compile(
    rf"^(?:PASS|FAIL)  (?P<work>.+?): (?P<number>{_NUMBER}) ?(?P<unit>[^\s,(]*)"
    rf"(?:, (?P<ratio>{_NUMBER}) times as fast as plain)?"
    rf" \(bar (?P<sign>>=|<=) (?P<limit>{_NUMBER})\)$"
)
_ROW = re.compile(r"^\| (\S+) \| (.+?) \| (\S+) (\S*) \| (>=|<=) (\S+) \| (\S*) \|$")


class Row(NamedTuple):
    """A bar with its number, and how many times as fast that is as a plain baseline, if known."""

    script: str
    work: str
    number: float
    unit: str
    at_least: bool
    limit: float
    ratio: float | None = None

    def __str__(self) -> str:
        sign = ">=" if self.at_least else "<="
        return (
            f"| {self.script} | {self.work} | {self.number:.4g} {self.unit} |"
            f" {sign} {self.limit:.4g} | {'' if self.ratio is None else f'{self.ratio:.4g}'} |"
        )

    @property
    def compared(self) -> tuple[float | None, bool]:
        """The ratio that the alarm is about, and whether more of it is better."""
        if self.ratio is not None:
            return self.ratio, True
        return (self.number if self.unit == "times" else None), self.at_least

    def worse_than(self, before: "Row") -> bool:
        """Whether a ratio fell, or rose, by a third of what it was."""
        (now, more), (then, _) = self.compared, before.compared
        if not now or not then:
            return False
        return (then / now if more else now / then) > WORSE


def rows_of(script: str, output: str) -> list[Row]:
    """The bars that a script has printed."""
    found = []
    for line in output.splitlines():
        if bar := _BAR.match(line):
            ratio = None if bar["ratio"] is None else float(bar["ratio"])
            number, limit = float(bar["number"]), float(bar["limit"])
            at_least = bar["sign"] == ">="
            found.append(Row(script, bar["work"], number, bar["unit"], at_least, limit, ratio))
    return found


def read(text: str) -> list[Row]:
    """The rows of a table that was written."""
    rows = []
    for line in text.splitlines():
        if row := _ROW.match(line):
            script, work, number, unit, sign, limit, ratio = row.groups()
            compared = float(ratio) if ratio else None
            rows.append(
                Row(script, work, float(number), unit, sign == ">=", float(limit), compared)
            )
    return rows


def written(rows: list[Row]) -> str:
    """The table as text."""
    head = "| script | work | number | bar | times as fast as plain |\n|---|---|---|---|---|\n"
    return (
        "# Benchmarks\n\n`make bench` compares with this table.\n\n"
        + head
        + "".join(f"{row}\n" for row in rows)
    )


def alarms(rows: list[Row], before: list[Row]) -> list[str]:
    """A sentence for each ratio that got worse by a third."""
    known = {(row.script, row.work): row for row in before}
    return [
        f"{row.script}: {row.work} is {row.compared[0]:.4g} times, it was"
        f" {known[row.script, row.work].compared[0]:.4g}."
        for row in rows
        if (row.script, row.work) in known and row.worse_than(known[row.script, row.work])
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    scripts = sorted(path.stem for path in HERE.glob("bench_*.py"))
    scripts = [s for s in scripts if not options.names or s[len("bench_") :] in options.names]
    rows, failed = [], []
    for script in scripts:
        print(f"== {script}", flush=True)
        done = subprocess.run(
            [sys.executable, str(HERE / f"{script}.py")],
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        print(done.stdout, flush=True)
        rows += rows_of(script, done.stdout)
        failed += [script] if done.returncode else []
    before = read(TABLE.read_text()) if TABLE.exists() else []
    said = alarms(rows, before)
    print(written(rows))
    for sentence in [*said, *(f"{script} failed." for script in failed)]:
        print(sentence)
    if options.keep:
        others = [row for row in before if row.script not in scripts]
        TABLE.write_text(written(sorted([*rows, *others])))
    return 1 if said or failed else 0


if __name__ == "__main__":
    sys.exit(main())
