"""Does attention look at the right token? Its mass on J0, and how often J0 weighs most: exact.

Scores are independent given the location: a ~ N(m kappa, gamma^2) on the decisive token, N(0, 1)
elsewhere. With f = |weight| as a function of the score, and 1/S = int_0^inf exp(-tS) dt for the sum
S of all f,

    mass = E[f(a_J0) / S] = int E_s[f e^{-t f}] E_b[e^{-t f}]^(L-1) dt
    rate = P(f(a_J0) > f(a_l) for all l) = E_s[P_b(f < f(a_J0))^(L-1)]
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.special import erf, ndtr

from soloc.predictors.normalised import Softmax
from soloc.predictors.pointwise import Erf
from soloc.tasks.single_location import SingleLocation

_REACH = 9.0  # standard deviations at which a Gaussian no longer counts
_POINTS, _POINT_WEIGHTS = np.polynomial.legendre.leggauss(9)
_EQUAL_PANELS = np.linspace(0.0, 1.0, 15)
_PANELS_TO_ZERO = np.concatenate([[0.0], 4.0 ** np.arange(-5.0, -1.0), 0.125 * np.arange(1.0, 9.0)])
_STEP = 0.6  # of u = log t: the trapezoid rule is then exact to 1e-7
_AT_ONCE = 32  # alignments at a time, so that the work stays in the cache


class _Scores(NamedTuple):
    """Scores of a token with their probabilities."""

    scores: np.ndarray
    chances: np.ndarray


def attention_mass(task: SingleLocation, weight: Any, kappa: Any) -> np.ndarray:
    """Expected share of the absolute attention weights that falls on the decisive token."""
    if task.lengths is not None:
        return _over_lengths(attention_mass, task, weight, kappa)
    kappa, lam = np.broadcast_arrays(np.asarray(kappa, float), np.asarray(weight.lam, float))
    pieces = -(-kappa.size // _AT_ONCE)
    even, mean = _is_even(weight), task.m * kappa.ravel()
    parts = zip(np.array_split(mean, pieces), np.array_split(lam.ravel(), pieces), strict=True)
    return np.concatenate([_mass(task, even, *part) for part in parts]).reshape(kappa.shape)


def _mass(task: SingleLocation, even: bool, mean: np.ndarray, lam: np.ndarray) -> np.ndarray:
    signal, background = _scores(mean, task.gamma, even), _scores(np.zeros(1), 1.0, even)
    log_f = _log_kernel(lam[:, None] * signal.scores, even)
    log_g = _log_kernel(lam[:, None] * background.scores, even)
    top = np.maximum(log_f.max(axis=-1), log_g.max(axis=-1))
    # erf keeps to its last decades; softmax falls without end, so t must reach its weakest signal
    span = 48.0 if even else max(48.0, float(np.max(top - log_f.min(axis=-1))) + 22.0)
    t = np.exp(np.arange(-18.0, span - 18.0, _STEP) - top[:, None])
    f, g = np.exp(log_f), np.exp(log_g)
    from_signal = t * np.sum(
        (signal.chances * f)[:, None] * np.exp(-t[..., None] * f[:, None]), axis=-1
    )
    missing = np.sum(background.chances * -np.expm1(-t[..., None] * g[:, None]), axis=-1)
    others = np.exp((task.L - 1.0) * np.log1p(-np.minimum(missing, 1.0 - 1e-15)))
    return np.asarray(_STEP * np.sum(from_signal * others, axis=-1))


def localisation_rate(task: SingleLocation, weight: Any, kappa: Any) -> np.ndarray:
    """Chance that the decisive token has the largest absolute weight, whatever the temperature."""
    if task.lengths is not None:
        return _over_lengths(localisation_rate, task, weight, kappa)
    even = _is_even(weight)
    signal = _scores(task.m * np.asarray(kappa, float), task.gamma, even)
    below = erf(np.abs(signal.scores) / np.sqrt(2.0)) if even else ndtr(signal.scores)
    return np.asarray(np.sum(signal.chances * below ** (task.L - 1.0), axis=-1))


def _over_lengths(
    share: Callable[[SingleLocation, Any, Any], np.ndarray],
    task: SingleLocation,
    weight: Any,
    kappa: Any,
) -> np.ndarray:
    """The mean of a share over the lengths of a task."""
    assert task.lengths is not None
    at_length = [
        share(replace(task, L=L, lengths=None), weight, kappa) for L in task.lengths.values
    ]
    return np.tensordot(np.asarray(task.lengths.probabilities), np.stack(at_length), axes=1)


def _is_even(weight: Any) -> bool:
    if isinstance(weight, Erf):
        return True
    if isinstance(weight, Softmax):
        return False
    raise TypeError(f"`weight` must be Erf or Softmax here, got {type(weight).__name__}.")


def _log_kernel(x: np.ndarray, even: bool) -> np.ndarray:
    """log |weight| at x = lam a."""
    return np.log(np.maximum(erf(np.abs(x)), 1e-300)) if even else x


def _scores(mean: np.ndarray, spread: float, even: bool) -> _Scores:
    """A rule for N(mean, spread^2); of its absolute value where the kernel is even."""
    if even:
        start, end, panels = 0.0 * mean, np.abs(mean) + _REACH * spread, _PANELS_TO_ZERO
    else:
        start, end, panels = mean - _REACH * spread, mean + _REACH * spread, _EQUAL_PANELS
    edges = start[..., None] + (end - start)[..., None] * panels
    half = 0.5 * np.diff(edges, axis=-1)[..., None]
    a = (0.5 * (edges[..., 1:] + edges[..., :-1])[..., None] + half * _POINTS).reshape(
        *mean.shape, -1
    )
    away = (a - mean[..., None]) / spread
    density = np.exp(-0.5 * away**2)
    if even:
        density = density + np.exp(-0.5 * ((a + mean[..., None]) / spread) ** 2)
    chances = (
        (half * _POINT_WEIGHTS).reshape(*mean.shape, -1) * density / (spread * np.sqrt(2.0 * np.pi))
    )
    return _Scores(a, chances)
