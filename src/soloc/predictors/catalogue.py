"""Every weight once: its public name, its class, how figures call it, and what it offers.

The command line, the lab, the experiments, the docs and the tests read this list; nothing else
compares names of weights. A new weight joins all of them by one call of `register`.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from soloc.closest import did_you_mean
from soloc.predictors import normalised, pointwise


@dataclass(frozen=True)
class Entry:
    """One weight of the catalogue."""

    name: str  #: what people type: command line, lab, settings
    kind: type  #: the class; its first argument is lam
    label: str  #: what figures and tables show
    exact: bool  #: its population risk is exact, at any dimension and length
    closed_slopes: bool = False  #: the slopes of its risk are closed forms
    slow: bool = False  #: its risk is an integral of integrals: too slow for every move of a slider
    one_token: bool = False  #: the weights of a sequence sum to one: a single token gets them all
    uses_lam: bool = True  #: False where the temperature changes nothing
    highest_lam: float = 30.0  #: no best temperature is sought beyond
    #: nor beyond this over the largest score (m or gamma) and gamma
    highest_score: float = math.inf
    #: the form in which "Which attention?" compares it, from lam and the length
    compared: Callable[[Any, Any], Any] | None = None

    def at(self, lam: Any, length: Any) -> Any:
        """The weight at this temperature, in the form in which weights are compared."""
        return self.kind(lam) if self.compared is None else self.compared(lam, length)


WEIGHTS: dict[str, Entry] = {}


def register(entry: Entry) -> Entry:
    """Add a weight to the catalogue; a name or label that is taken is refused."""
    taken = [known for known in WEIGHTS.values() if entry.name == known.name]
    taken += [known for known in WEIGHTS.values() if entry.label == known.label]
    if taken:
        raise ValueError(
            f"`name` and `label` must be new in the catalogue of weights, got {entry.name!r} and"
            f" {entry.label!r}; {taken[0].kind.__name__} has one of them."
        )
    WEIGHTS[entry.name] = entry
    return entry


def find(name: str) -> Entry:
    """The weight of that public name; a wrong one is answered with the closest and the list."""
    if name in WEIGHTS:
        return WEIGHTS[name]
    hint = did_you_mean(name, WEIGHTS)
    raise ValueError(f"`attention` must be one of {', '.join(WEIGHTS)}; got {name!r}.{hint}")


def by_label(label: str) -> Entry:
    """The weight that figures and tables call so."""
    for entry in WEIGHTS.values():
        if entry.label == label:
            return entry
    labels = "; ".join(entry.label for entry in WEIGHTS.values())
    raise ValueError(f"`weights` must be among {labels}; got {label!r}.")


def of_kind(kind: type) -> Entry:
    """The entry of a class, for claims about one weight."""
    return next(entry for entry in WEIGHTS.values() if entry.kind is kind)


def _over_length(kind: type) -> Callable[[Any, Any], Any]:
    """Weights that do not vanish are divided by the length, as their papers do."""
    return lambda lam, length: kind(lam, per_length=True)


for _entry in (
    Entry("softmax", normalised.Softmax, "softmax", exact=True, slow=True, one_token=True),
    Entry("erf", pointwise.Erf, "erf", exact=True, closed_slopes=True),
    Entry("tanh", pointwise.Tanh, "tanh", exact=True),
    Entry(
        "sigmoid",
        pointwise.Sigmoid,
        "sigmoid, shift log L",
        exact=True,
        compared=lambda lam, length: pointwise.Sigmoid(lam, shift=np.log(length)),
    ),
    Entry("linear", pointwise.Linear, "linear", exact=True),
    Entry("relu", pointwise.ReLU, "ReLU", exact=True),
    Entry(
        "one-plus-linear",
        pointwise.OnePlusLinear,
        "1 + linear, over L",
        exact=True,
        compared=_over_length(pointwise.OnePlusLinear),
    ),
    Entry(
        "one-plus-erf",
        pointwise.OnePlusErf,
        "1 + erf, over L",
        exact=True,
        compared=_over_length(pointwise.OnePlusErf),
    ),
    Entry(
        "softplus",
        pointwise.Softplus,
        "softplus, over L",
        exact=True,
        compared=_over_length(pointwise.Softplus),
    ),
    Entry(
        "exponential",
        pointwise.Exponential,
        "exponential, over L",
        exact=True,
        highest_lam=1.5,  # beyond either, its risk exceeds the largest double
        highest_score=250.0,
        compared=_over_length(pointwise.Exponential),
    ),
    Entry(
        "normalised-softplus",
        normalised.NormalisedSoftplus,
        "normalised softplus",
        exact=True,
        slow=True,
        one_token=True,
    ),
    Entry(
        "normalised-sigmoid",
        normalised.NormalisedSigmoid,
        "normalised sigmoid",
        exact=True,
        slow=True,
        one_token=True,
    ),
    Entry("normalised-relu", normalised.NormalisedReLU, "normalised ReLU", exact=True, slow=True),
    Entry("sparsemax", normalised.Sparsemax, "sparsemax", exact=False, one_token=True),
    Entry("entmax15", normalised.Entmax15, "1.5-entmax", exact=False, one_token=True),
    Entry("cosine-reweighted", normalised.CosineReweighted, "cosine reweighted", exact=False),
    Entry(
        "hard-max", normalised.HardMax, "hard maximum", exact=False, one_token=True, uses_lam=False
    ),
):
    register(_entry)
