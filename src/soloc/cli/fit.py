"""`soloc fit`: from a table with one row per instance to a model file."""

import argparse
import sys
import warnings
from pathlib import Path
from typing import Any

from soloc.cli.describe import choice_of
from soloc.cli.memory import give_back_at_once
from soloc.cli.options import check_seed
from soloc.cli.outputs import check_output
from soloc.cli.tables import is_large, read_table


def add(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser("fit", help="fit a model to a table with one row per instance")
    parser.add_argument("data", type=Path, help="Parquet, CSV or TSV file, one row per instance")
    parser.add_argument("--bag", required=True, help="column that says which bag a row belongs to")
    parser.add_argument("--label", required=True, help="column of the label, equal within a bag")
    parser.add_argument("--out", required=True, type=Path, help="model file to write")
    parser.add_argument(
        "--features", help="feature columns, separated by commas (default: every numeric one)"
    )
    parser.add_argument("--name", help="column that names the instances, for `explain`")
    parser.add_argument(
        "--group", help="column whose values are never split between fitting and held-out bags"
    )
    parser.add_argument(
        "--classify", action="store_true", help="the label is a class, not a number"
    )
    parser.add_argument(
        "--model",
        choices=("auto", "linear", "network"),
        help="auto asks held-out bags (the default, unless --loss, --alpha or --context is given)",
    )
    parser.add_argument(
        "--loss",
        default="auto",
        help="of linear: auto, likelihood, or squared (cross_entropy with --classify)",
    )
    parser.add_argument("--alpha", default="auto", help='penalty of linear: a number or "auto"')
    parser.add_argument(
        "--context", action="store_true", help="of linear: add a term in the mean of the bag"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Fit, save, and say how far the model can be trusted."""
    from soloc.estimators import Bags, ColumnWarning
    from soloc.estimators.frames import refuse_two_roles

    check_output("--out", options.out, options.data)
    check_seed(options.seed)
    features = features_of(options.features)
    refuse_two_roles(options.bag, options.label, options.name, features)
    groups, large = None, is_large(options.data)
    if large:
        refuse_large(options)
        give_back_at_once()
        bags = Bags.from_parquet(options.data, options.bag, features, label=options.label)
    else:
        frame = table_of(options, features)
        used = (options.bag, options.label, options.name, *(features or ()))
        left = frame if options.group in (None, *used) else frame.drop(columns=options.group)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ColumnWarning)  # said below, of every table
            bags = Bags.from_frame(
                left, options.bag, features, label=options.label, name=options.name
            )
        if options.group is not None:
            groups = groups_of(frame, options.bag, options.group)
            if options.group not in (features or ()):
                bags.aside.setdefault(options.group, "it groups the bags")
    say(f"{options.data}: {len(bags)} bags, {len(bags.values)} instances, {bags.width} features")
    describe_columns(bags)
    refuse_text_labels(bags, options)
    model = model_of(options, large)
    model.on_progress = show_progress
    say("choosing on held-out bags ...")
    model.fit(bags, groups=groups)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    for line in choice_of(model):
        say(line)
    say(str(model.diagnostics_))
    notes = {
        "bag": options.bag,
        "label": options.label,
        "name": options.name,
        "features": bags.features,
    }
    model.save(options.out, notes)
    print(f"wrote {options.out}")
    return 0


def features_of(text: str | None) -> list[str] | None:
    """The columns of `--features`; None where it is not given."""
    if text is not None and not text.strip():
        raise ValueError(
            f"`--features` must name at least one column, got {text!r}; leave it out for every"
            " numeric one."
        )
    return None if text is None else text.split(",")


def table_of(options: argparse.Namespace, features: list[str] | None) -> Any:
    """The table in memory; bags, groups and instances keep the names that stand in it."""
    numbers = (options.label, *(features or ()))
    ids = [each for each in (options.bag, options.group) if each not in (None, *numbers)]
    names = [options.name] if options.name not in (None, *numbers) else []
    frame = read_table(options.data, ids, names)
    if options.group is not None and options.group not in frame.columns:
        raise ValueError(
            f"`--group` names a column {options.group!r} that the table lacks; it has"
            f" {list(frame.columns)}."
        )
    return frame


def groups_of(frame: Any, bag: str, group: str) -> Any:
    """The group of each bag, which all of its rows must repeat."""
    import numpy as np
    import pandas as pd

    codes, ids = pd.factorize(frame[bag])  # bags in order of first appearance
    missing = frame[group].isna().to_numpy()
    if missing.any():
        raise ValueError(
            f"`--group` {group} must say the group of every bag, and it is missing in bag"
            f" {ids[codes[missing.argmax()]]}; fill it in, or drop that bag."
        )
    values = frame[group].to_numpy()
    groups = values[np.unique(codes, return_index=True)[1]]
    differs = values != groups[codes]
    if differs.any():
        raise ValueError(
            f"`--group` {group} must be the same in all rows of a bag, and bag"
            f" {ids[codes[differs.argmax()]]} has more than one; give each bag one group."
        )
    return groups


def model_of(options: argparse.Namespace, large: bool) -> Any:
    """The estimator that was asked for; what belongs to the linear one alone asks for it.

    A table that stays on disk asks for it too: the others need all instances in memory.
    """
    from soloc import estimators

    of_linear = {"loss": options.loss, "alpha": number_or_auto(options.alpha)}
    of_linear["context"] = options.context
    given = of_linear != {"loss": "auto", "alpha": "auto", "context": False}
    kind = options.model or ("linear" if given or large else "auto")
    if given and kind != "linear":
        raise ValueError(
            f"`--loss`, `--alpha` and `--context` belong to --model linear, got --model {kind};"
            " leave them out, or choose linear."
        )
    name = {"linear": "", "network": "Network", "auto": "Auto"}[kind]
    what = "Classifier" if options.classify else "Regressor"
    parameters = of_linear if kind == "linear" else {}
    return getattr(estimators, f"SingleLocation{name}{what}")(
        random_state=options.seed, **parameters
    )


def describe_columns(bags: Any) -> None:
    """Say which columns are features, which are left out and why, and which cannot point."""
    from soloc.estimators.frames import constant_within_bags

    say(f"features: {', '.join(bags.features)}")
    for column, why in bags.aside.items():
        say(f"left out: {column}, because {why}")
    for column in constant_within_bags(bags):
        say(
            f"warning: column {column} is the same for all instances of every bag; it cannot point"
            " at one of them. Is it a second label? Name the other columns with --features."
        )


def refuse_text_labels(bags: Any, options: argparse.Namespace) -> None:
    """A label of text is a class."""
    if not options.classify and bags.labels.dtype.kind not in "biuf":
        raise ValueError(
            f"`--label` {options.label} must hold numbers, got {bags.labels[0]!r}; add --classify"
            " to fit classes."
        )


def refuse_large(options: argparse.Namespace) -> None:
    """Refuse what a table that stays on disk cannot have."""
    for option in ("group", "name", "context", "model"):
        if getattr(options, option) not in (None, False, "linear"):
            raise ValueError(
                f"`--{option}` needs the table in memory, and {options.data} holds more than 1 GB;"
                " leave it out, or fit to a part of the table."
            )


def number_or_auto(text: str) -> float | str:
    """The value of `--alpha`."""
    if text == "auto":
        return text
    try:
        return float(text)
    except ValueError:
        raise ValueError(f'`--alpha` must be a number or "auto", got {text!r}.') from None


def show_progress(history: Any) -> None:
    """One line on a terminal that is written over; nothing in a log."""
    if sys.stderr.isatty():
        count, value = len(history.objective) - 1, history.objective[-1]
        print(f"\riteration {count}: objective {value:.6g}   ", end="", file=sys.stderr, flush=True)


def say(text: str) -> None:
    """Progress goes to standard error, so that standard output stays for results."""
    print(text, file=sys.stderr, flush=True)
