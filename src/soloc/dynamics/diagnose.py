"""What went wrong in a training run: the three ways in which it fails, told from the end of its
path.
"""

from typing import Any, NamedTuple, cast

import numpy as np

from soloc.dynamics.path import Path
from soloc.predictors.pointwise import Erf
from soloc.risk.localisation import attention_mass
from soloc.tasks.single_location import SingleLocation

HEALTHY = "healthy"
MASS = "mass not concentrating"
VALUE = "value not aligned"
MINIMUM = "stuck in another minimum"

_TAIL = 0.1  # share of the records that speak for the end: stochastic runs never stand still
_CONCENTRATED = 0.25  # mass on J0, on a scale from chance (0) to certainty (1)
_ALIGNED = 0.93  # |nu| of a value that has been learned
_SWAPPED = 0.5  # |eta| of a key that points at v* instead of k*


class Diagnosis(NamedTuple):
    """The verdict on one run, what to change, and the numbers behind it."""

    run: int
    verdict: str
    advice: str
    kappa: float  #: |k.k*| over the end of the run
    nu: float  #: |v.v*|
    mass: float  #: expected attention mass on the decisive token
    eta: float  #: |k.v*|


def diagnose(path: Path) -> list[Diagnosis]:
    """A diagnosis for every run of a path of erf or softmax attention."""
    task, weight = path.about.get("task"), cast(Any, path.about.get("weight"))
    if not isinstance(task, SingleLocation):
        raise TypeError(
            "`path` must come from population_path or sgd_path: it does not say which task it was"
            " trained on."
        )
    if any(np.ndim(number) for number in (task.d, task.L, task.gamma, task.m)):
        raise ValueError(
            "`path` must have one task for all its runs to be diagnosed: make one path for each."
        )
    tail = slice(-max(1, round(_TAIL * len(path.steps))), None)
    kappa, nu, eta = (
        np.abs(path.columns[name][tail]).mean(axis=0) for name in ("kappa", "nu", "eta")
    )
    lam = path.lam[-1]
    toward = kappa if isinstance(weight, Erf) else path.kappa[tail].mean(axis=0)
    mass = attention_mass(task, weight.with_lam(lam), toward)
    return [
        Diagnosis(
            i,
            *_verdict(task, *numbers),
            float(numbers[0]),
            float(numbers[1]),
            float(numbers[2]),
            float(numbers[3]),
        )
        for i, numbers in enumerate(zip(kappa, nu, mass, eta, lam, strict=True))
    ]


def _verdict(
    task: SingleLocation, kappa: float, nu: float, mass: float, eta: float, lam: float
) -> tuple[str, str]:
    chance = 1.0 / task.L
    concentration = (mass - chance) / (1.0 - chance) if task.L > 1 else 1.0
    if eta > _SWAPPED and nu < _ALIGNED / 2:
        return (
            MINIMUM,
            (
                "the key has learned the value direction (k near +-v*): start again from moments"
                " (soloc.dynamics.starts.practical) or with a larger lam that falls"
            ),
        )
    if concentration < _CONCENTRATED:
        if lam * np.sqrt(task.L) > 1.0:
            return (
                MASS,
                (
                    f"lam = {lam:.3g} saturates the weights of all {task.L} tokens: lower lam until"
                    " lam sqrt(L) is well below 1"
                ),
            )
        return (
            MASS,
            (
                "the key has not found k*: train longer, or start from moments"
                " (soloc.dynamics.starts.practical)"
            ),
        )
    if nu < _ALIGNED:
        return (
            VALUE,
            (
                "attention finds the token but the value is drowned in gradient noise: take a"
                " smaller step size or a larger batch, or train longer if |nu| still rises"
            ),
        )
    return HEALTHY, "nothing: key and value are learned"
