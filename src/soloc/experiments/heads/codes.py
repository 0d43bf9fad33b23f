"""States of several heads that can be written down: pair by pair, or in a code."""

import math

import numpy as np
from scipy.linalg import hadamard

from soloc.predictors.heads import Heads
from soloc.predictors.pointwise import Erf
from soloc.risk.best_temperature import Best, best_temperature
from soloc.risk.gram import Gram
from soloc.risk.population import excess_risk
from soloc.tasks.several_locations import SeveralLocations

TRUTH, CODE = "pair by pair", "sum-and-difference code"


def mixed(keys: np.ndarray, values: np.ndarray) -> Gram:
    """k_h = sum_g keys_hg k*_g and v_h = sum_g values_hg v*_g, (H, H*) each."""
    kinds = keys.shape[1]
    none, one = np.zeros_like(keys), np.eye(kinds)
    apart = np.zeros((kinds, kinds))
    return Gram.of(
        np.hstack([keys, none]),
        np.hstack([none, values]),
        np.hstack([one, apart]),
        np.hstack([apart, one]),
    )


def code_of(heads: int, kinds: int) -> np.ndarray:
    """Columns of an orthogonal matrix with entries as equal as they come, (heads, kinds).

    Hadamard's where it exists by doubling, Hartley's elsewhere.
    """
    if heads & (heads - 1) == 0:
        rows = hadamard(heads) / math.sqrt(heads)
    else:
        angle = 2.0 * math.pi * np.outer(np.arange(heads), np.arange(heads)) / heads
        rows = (np.cos(angle) + np.sin(angle)) / math.sqrt(heads)
    return np.asarray(rows[:, :kinds])


def state_of(name: str, heads: int, kinds: int) -> Gram:
    """The state of that name, of any numbers of heads and kinds.

    Spare heads of `TRUTH` are silent (their value is zero), kinds beyond the heads are not served.
    In a code with more heads than kinds keys and values have norms below 1.
    """
    if name == CODE and heads >= kinds:
        rows = code_of(heads, kinds)
        return mixed(rows, rows)
    if name == CODE:  # every head answers for a mixture of kinds
        rows = code_of(kinds, kinds)[:heads]
        return mixed(rows, rows)
    served = np.eye(heads, kinds)
    keys = served.copy()
    keys[kinds:, 0] = 1.0
    return mixed(keys, served)


def at_best_lam(task: SeveralLocations, heads: int, state: Gram) -> Best:
    """The common lam at which these heads do best there, and the excess."""

    def excess(lam: np.ndarray) -> np.ndarray:
        return np.asarray(excess_risk(task, Heads((Erf(1.0),) * heads, lam=lam), state))

    return best_temperature(excess, 1e-3, 3.0, levels=4)
