"""The story: five steps from a sentence to a training that breaks and is repaired.

A step is a state of the same lab: values of the controls, and which of the panels are shown. What
it says is two sentences long; every number on its panels is theirs.
"""

from typing import Any, NamedTuple

from soloc.lab.view import Tab
from soloc.text.extras import missing

TAB = Tab("story", "Find the word")
Values = dict[str, float | int | str]


class Move(NamedTuple):
    """A button of a step: values of the controls, and then the training is played."""

    label: str
    values: Values


class Step(NamedTuple):
    """One step: `asks` are panels that are asked for, but have no place of their own."""

    number: int
    title: str
    text: str
    values: Values
    shows: tuple[str, ...]
    asks: tuple[str, ...] = ()
    moves: tuple[Move, ...] = ()


_TASK: Values = {"d": 400, "L": 10, "gamma": 0.5**0.5, "eps": 0.0, "weight": "erf", "draw": 0}
_TRAINED: Values = {
    "runs": 1,
    "step_size": 4e-3,
    "steps": 20_000,
    "batch": 0,
    "heads": 1,
    "kinds": 1,
    "starts": "",
    "run": 0,
}
_MILD = _TASK | _TRAINED | {"lam": 0.1, "decay": 0.0, "where": "manifold", "seed": 3}
_SHARP = _TASK | _TRAINED | {"lam": 0.9, "decay": 0.0, "where": "sphere", "seed": 0}

STEPS = (
    Step(
        1,
        "Find the word",
        "One word decides how good or bad each sentence is, and nobody ever told the model which:"
        " it learned from sentences and their scores alone. The darker a word, the more attention"
        " the model pays to it; does it look where you would?",
        {},
        ("sentence",),
    ),
    Step(
        2,
        "The same with vectors",
        "To a model words are vectors, like these ten tokens: one of them (orange) leans along a"
        " hidden direction k*, and the answer is read from it alone. Attention that knows the"
        " direction gives that token its weight, and so its guess lies near the answer.",
        _MILD | {"t": 0.0},
        ("sequence",),
    ),
    Step(
        3,
        "Before training",
        "Untrained attention looks along a random direction instead, so that its weights say"
        " nothing about where the answer is. Its guess is as good as none, and nobody will tell it"
        " which token decides.",
        _MILD | {"t": 0.0},
        ("sequence",),
        asks=("curves",),
    ),
    Step(
        4,
        "Press play",
        "Gradient descent sees answers, never positions: press play, and follow the dot downhill on"
        " the exact risk. The weight moves to the decisive token while the risk falls.",
        _MILD | {"t": 0.0},
        ("landscape", "sequence"),
        asks=("curves",),
    ),
    Step(
        5,
        "Break it, repair it",
        "With λ = 0.9 every token gets a large weight whatever it holds, and descent gets stuck"
        " where attention hardly finds anything. Let λ fall on the way, so that attention first"
        " learns and then looks, and the same start arrives.",
        _SHARP | {"t": 1.0},
        ("landscape", "sequence"),
        asks=("curves",),
        moves=(
            Move("Break it: λ = 0.9", {"lam": 0.9, "decay": 0.0, "t": 0.0}),
            Move("Repair it: let λ fall", {"lam": 0.9, "decay": 1e-3, "t": 0.0}),
        ),
    ),
)


def steps() -> list[dict[str, Any]]:
    """The steps that this installation can show: without word vectors, all but the first."""
    told = STEPS[1:] if missing("text") else STEPS
    return [step._asdict() | {"moves": [move._asdict() for move in step.moves]} for step in told]
