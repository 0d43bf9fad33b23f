"""`soloc describe`: what a model file holds, which model answers, and whether it can be trusted."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from soloc.cli.tables import model_in


def add(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "describe", help="say what a model file holds and how far it can be trusted"
    )
    parser.add_argument("model", type=Path, help="model file written by `soloc fit`")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print its columns, the choice and its scores, the evidence and the verdict."""
    model = model_in(options.model)
    for line in (*columns_of(model), *choice_of(model), str(model.diagnostics_)):
        print(line)
    return 0


def columns_of(model: Any) -> Iterator[str]:
    """What it is, and the columns that it was fitted to."""
    yield f"{type(model).__name__} of {model.n_features_in_} features"
    notes = getattr(model, "notes_", {})
    for note in ("bag", "label", "name"):
        if isinstance(notes.get(note), str):
            yield f"{note}: {notes[note]}"
    if notes.get("features"):
        yield f"features: {', '.join(map(str, notes['features']))}"
    if hasattr(model, "classes_"):
        yield f"classes: {', '.join(map(str, model.classes_))}"


def choice_of(model: Any) -> Iterator[str]:
    """Which model answers, why, and what was tried on the way."""
    if hasattr(model, "choice_"):
        yield model.scores_.to_string(index=False, float_format=lambda number: f"{number:.4g}")
        yield f"{model.choice_}: {model.reason_}"
        model = model.model_
    if model.selection_ is not None:
        yield model.selection_.to_string(index=False, float_format=lambda number: f"{number:.4g}")
    if hasattr(model, "loss_"):
        yield (
            f"loss {model.loss_}, alpha {model.alpha_:.4g}; {model.n_iter_} iterations:"
            f" {model.history_.reason}"
        )
    else:
        count = len(model.members_.intercept)
        yield f"{count} members, decay {model.decay_:g}, share of context {model.share_:.2f}"
