"""`soloc sweep FILE.toml`: one question at every point of a grid, as a table and a figure."""

from argparse import Namespace
from pathlib import Path
from typing import Any

from soloc.cli.options import add_engine_options, engine_of
from soloc.cli.outputs import refuse_input


def add(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser("sweep", help="one question at every point of a grid")
    parser.add_argument("file", type=Path, metavar="FILE", help="a TOML file, see docs/scale.md")
    parser.add_argument(
        "--dry-run", action="store_true", help="say what it would cost: cells, time and disk"
    )
    add_engine_options(parser)
    parser.set_defaults(run=run)


def run(options: Namespace) -> int:
    """Compute what is missing, write table and figure, say where; exit code 3 if cells failed."""
    from soloc.report.sweeps import draw_sweep, read
    from soloc.runs.processes import start_server
    from soloc.runs.sweep import plan, sweep

    asked, engine = read(options.file), engine_of(options)
    out = options.out / "sweeps" / options.file.stem
    path = out / f"{asked.question.__name__}.parquet"
    drawn = path.with_suffix(".svg")
    for written in (path, drawn):
        refuse_input("--out", written, options.file)
    start_server(("soloc.runs.cells", "soloc.experiments.questions"))
    if options.dry_run:
        found = plan(asked.question, asked.grid, out=out, engine=engine, seed=asked.seed)
        missing = found.cells - found.stored
        print(f"{found.cells:,} cells, {found.stored:,} of them stored")
        print(
            f"about {_time(missing * found.seconds / max(engine.workers, 1))} for {missing:,} cells"
            f" of {found.seconds:.3g} s on {engine.workers} workers, and"
            f" {found.disk / 1e6:.1f} MB in {out}"
        )
        return 0
    table = sweep(asked.question, asked.grid, out=out, engine=engine, seed=asked.seed)
    print(table.head(10).to_string(index=False))
    if len(table) > 10:
        print(f"... {len(table):,} rows in all")
    print(path)
    if sum(len(values) > 1 for values in asked.grid.values()) >= 2:
        wanted = asked.figure
        draw_sweep(
            path, drawn, wanted.get("x"), wanted.get("y"), wanted.get("value"), wanted.get("as")
        )
        print(drawn)
    return 0


def _time(seconds: float) -> str:
    """A time as people say it."""
    for unit, size in (("days", 86_400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} seconds"
