"""What the commands on experiments share: find them, change their config, compute their tables."""

import ast
import sys
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from soloc.experiments import registry
from soloc.experiments.experiment import Experiment, cells
from soloc.report.cite import version
from soloc.runs.cells import cell_of, fill
from soloc.runs.engines.calls import Engine
from soloc.runs.fingerprint import code_version, describe, revision, versions, versions_of
from soloc.runs.store import Store


class Answer(NamedTuple):
    """An experiment's table, and what it took."""

    experiment: Experiment
    config: Any
    table: pd.DataFrame
    seconds: float

    @property
    def facts(self) -> dict[str, Any]:
        """What the table's file says about itself."""
        return {
            "experiment": self.experiment.name,
            "question": self.experiment.question,
            "config": describe(self.config),
            "seed": getattr(self.config, "seed", None),
            "code": code_version(self.experiment.run),
            "versions": {"soloc": version(), **versions(), **versions_of(self.experiment.needs)},
            "revision": revision(Path(__file__)),
        }


def find(name: str) -> Experiment:
    """The experiment of that name; a wrong one is answered with the closest and the list."""
    known = {experiment.name: experiment for experiment in registry.EXPERIMENTS}
    if name in known:
        if known[name].lacking():
            raise ImportError(known[name].lacking())
        return known[name]
    close = get_close_matches(name, known, n=1)
    hint = f" Did you mean {close[0]}?" if close else ""
    raise ValueError(f"`NAME` must be one of {', '.join(known)}; got {name!r}.{hint}")


def configured(
    experiment: Experiment, quick: bool, seed: int | None, assignments: Sequence[str] = ()
) -> Any:
    """The experiment's config with the seed and the `key=value` settings that a user asked for."""
    config = experiment.quick if quick else experiment.config
    known = {field.name for field in fields(config)}
    if seed is not None and "seed" in known:
        config = replace(config, seed=seed)
    for assignment in assignments:
        key, separator, text = assignment.partition("=")
        if not separator or key not in known:
            raise ValueError(
                f"`--set` must be key=value with a key of {experiment.name}:"
                f" {', '.join(f'{name} (now {_brief(getattr(config, name))})' for name in sorted(known))};"
                f" got {assignment!r}."
            )
        config = replace(config, **{key: _parse(key, text, getattr(config, key))})
    return config


def _brief(value: Any) -> str:
    text = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _parse(key: str, text: str, current: Any) -> Any:
    """`text` as a value of the kind that the config holds now."""
    if isinstance(current, tuple):
        kind = current[0] if current else 0.0
        return tuple(
            _parse(key, part.strip(), kind)
            for part in text.strip("()[] ").split(",")
            if part.strip()
        )
    if isinstance(current, str):
        return text
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        value = text
    if isinstance(current, bool) or current is None:
        wanted = "true or false" if current is not None else "a value"
        if isinstance(current, bool) and text.lower() in ("true", "false"):
            return text.lower() == "true"
        if current is None and value != text:
            return value
    elif isinstance(current, int):
        wanted = "a whole number"
        if isinstance(value, (int, float)) and not isinstance(value, bool) and value == int(value):
            return int(value)
    else:
        wanted = "a number"
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return float(value)
    raise ValueError(
        f"`{key}` must be {wanted}, as its present value {_brief(current)}; got {text!r}."
    )


def answer(
    wanted: Sequence[tuple[Experiment, Any]],
    directory: Path,
    engine: Engine,
    answered: Callable[[Answer], None] = lambda found: None,
) -> list[Answer]:
    """Tables of experiments at their configs, computed together where the store does not hold them.

    `answered` is called with each answer as soon as it is there, while others are still computed.
    """
    store = Store(
        directory / "cache", warn=lambda message: print(f"warning: {message}", file=sys.stderr)
    )
    parts = [
        [
            cell_of(experiment.name, experiment.run, cell, experiment.seconds, experiment.needs)
            for cell in cells(config, experiment.axes)
        ]
        for experiment, config in wanted
    ]
    flat = [cell for part in parts for cell in part]
    found: dict[str, Answer] = {}
    place = {experiment.name: i for i, (experiment, _) in enumerate(wanted)}

    def finished(name: str) -> None:
        experiment, config = wanted[place[name]]
        part = parts[place[name]]
        tables = [store.get(cell.name, cell.key) for cell in part]
        if not any(table is None for table in tables):
            seconds = sum(store.seconds(cell.name, cell.key) for cell in part)
            found[name] = Answer(experiment, config, pd.concat(tables, ignore_index=True), seconds)
            answered(found[name])

    fill(flat, store, engine, finished=finished)
    return [found[experiment.name] for experiment, _ in wanted]
