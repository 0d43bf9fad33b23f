"""`soloc explain`: the instances of one bag with their weights and contributions."""

import argparse
import warnings
from io import BytesIO
from pathlib import Path
from typing import Any

from soloc.cli.outputs import check_output
from soloc.cli.tables import bags_for, model_in


def add(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser("explain", help="show which instance of a bag decided")
    parser.add_argument("model", type=Path, help="model file written by `soloc fit`")
    parser.add_argument(
        "data", type=Path, help="Parquet, CSV or TSV file with the columns of the fit"
    )
    parser.add_argument("--id", help="the bag to explain (default: the first of the table)")
    parser.add_argument("--out", type=Path, help="also draw it: .png, .svg, .pdf or .html")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the explanation, and draw it when asked."""
    from soloc.estimators import PointingWarning

    if options.out is not None and options.out.suffix.lower() not in (
        ".png",
        ".svg",
        ".pdf",
        ".html",
    ):
        raise ValueError(f"`--out` must end in .png, .svg, .pdf or .html, got {options.out.name}.")
    if options.out is not None:
        check_output("--out", options.out, options.model, options.data)
    model = model_in(options.model)
    bags = bags_for(model, options.data)
    names = [str(bags.id_of(i)) for i in range(len(bags))]
    if options.id is not None and options.id not in names:
        raise ValueError(
            f"`--id` must be one of the {len(names)} bags of the table, such as {names[0]!r}, got "
            f"{options.id!r}."
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PointingWarning)  # the explanation says it
        explanation = model.explain(bags, 0 if options.id is None else names.index(options.id))
    print(explanation)
    if options.out is not None:
        draw(explanation, options.out)
        print(f"wrote {options.out}")
    return 0


def draw(explanation: Any, path: Path) -> None:
    """The explanation as a page or a picture."""
    from soloc.runs.files import write_atomically

    kind = path.suffix.lower().lstrip(".")
    if kind == "html":
        write_atomically(path, explanation.page().encode())
        return
    import matplotlib

    matplotlib.use("Agg")
    picture = BytesIO()
    explanation.figure().savefig(picture, dpi=150, format=kind)
    write_atomically(path, picture.getvalue())
