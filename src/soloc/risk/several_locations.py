"""Erf attention when several tokens are decisive: Y = sum of X_J . v* over r locations, exact.

Tokens are independent given the locations, so the decomposition of `closed_form` carries over with
r signal tokens:

    R - eps^2 = r Var(S b - c; signal) + (L-r) Var(S b; background)
                + (r E_s[S b] + (L-r) E_b[S b])^2
"""

from typing import Any

from soloc.maths.engine import Array
from soloc.risk.closed_form import background_moments, signal_moments
from soloc.risk.overlaps import Overlaps
from soloc.risk.signal_numbers import SignalNumbers


def several_excess(numbers: SignalNumbers, lam: Any, overlaps: Overlaps, decisive: Any) -> Array:
    """R - eps^2 with `decisive` tokens that matter among L: `erf_excess` when it is 1."""
    signal_variance, signal_mean = signal_moments(numbers, lam, overlaps)
    background_variance, background_mean = background_moments(lam, overlaps.rho)
    others = numbers.L - decisive
    mean = decisive * signal_mean + others * background_mean
    return decisive * signal_variance + others * background_variance + mean**2
