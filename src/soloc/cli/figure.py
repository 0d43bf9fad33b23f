"""`soloc figure NAME`: one experiment's figure as a file, computed where the store lacks it."""

from argparse import Namespace
from pathlib import Path
from typing import Any

from soloc.cli.options import add_common_options, check_seed, engine_of
from soloc.cli.outputs import check_output


def add(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser("figure", help="draw one experiment's figure, or a sweep's")
    parser.add_argument(
        "name",
        metavar="NAME",
        help="an experiment (`soloc list` names them), or the .parquet file of a sweep",
    )
    for option, meaning in (
        ("x", "axis to the right"),
        ("y", "axis upwards, or of the curves"),
        ("value", "what is drawn over them"),
        ("as", "map or curves"),
    ):
        parser.add_argument(f"--{option}", metavar="NAME", help=f"of a sweep: {meaning}")
    parser.add_argument(
        "--file", type=Path, metavar="FILE", help="where to write it: .svg, .pdf or .png (NAME.svg)"
    )
    add_common_options(parser)
    parser.set_defaults(run=run)


def run(options: Namespace) -> int:
    """Write the figure and say where."""
    from soloc.figures.formats import kind_of
    from soloc.report.answers import answer, ask
    from soloc.report.drawings import write_figure

    if options.name.endswith(".parquet"):
        from soloc.report.sweeps import draw_sweep

        table = Path(options.name)
        path = options.file or table.with_suffix(".svg")
        check_output("--file", path, table)
        draw_sweep(table, path, options.x, options.y, options.value, getattr(options, "as"))
        print(path)
        return 0
    path = options.file or Path(f"{options.name}.svg")
    kind_of(path)
    check_output("--file", path)
    check_seed(options.seed)
    asked = ask(options.name, options.quick, options.seed)
    found = answer([asked], options.out, engine_of(options))[0]
    write_figure(found.experiment.drawn_by, found.table, options.name, path)
    print(path)
    return 0
