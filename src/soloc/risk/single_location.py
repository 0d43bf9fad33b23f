"""The risks of one attention head on single-location regression, registered by kind of weight.

Erf has closed forms, other component-wise weights one integral over the score, normalised kernels
an integral of integrals; for the remaining weights only the scores are simulated.
"""

from dataclasses import replace
from functools import partial
from typing import Any

import jax
import numpy as np

from soloc.maths.elementwise import Elementwise
from soloc.maths.engine import Array, engine_of
from soloc.maths.side_by_side import in_pieces, mapped
from soloc.predictors.normalised import NormalisedKernel, NormalisedReLU, SeesAllScores, Softmax
from soloc.predictors.pointwise import Erf, Pointwise
from soloc.risk.closed_form import erf_excess, log_erf_excess
from soloc.risk.closed_slopes import erf_slopes, erf_table
from soloc.risk.estimate import Estimate
from soloc.risk.kernels import add_all_zero, kernel_laws
from soloc.risk.laplace import WeightMoments, weight_moments
from soloc.risk.monte_carlo import score_excess
from soloc.risk.overlaps import Overlaps
from soloc.risk.quadratic import excess_from_moments
from soloc.risk.quadrature import pointwise_excess
from soloc.risk.registry import Slopes, register
from soloc.risk.signal_numbers import SignalNumbers, averaged
from soloc.risk.softmax import softmax_laws
from soloc.tasks.single_location import SingleLocation

_SCORE_NUMBERS = 4_000_000  # scores drawn for an answer by simulation when nobody says how many
_SHARPEST = 1e6  # beyond it the nodes no longer resolve the cliff of exp(-t E)
# settings side by side in NumPy, such that they stay in the cache
_POINTWISE_AT_ONCE, _CLOSED_AT_ONCE = 32, 1024
_WORTH_COMPILING = 50_000  # that many closed forms at once: a compiler costs as much as thousands


def _erf(numbers: SignalNumbers, weight: Erf, o: Overlaps, *, log: bool) -> Array:
    if weight.per_length:
        return _pointwise(numbers, weight, o, log=log)
    formula = log_erf_excess if log else erf_excess
    return averaged(formula, numbers, (weight.lam, o), log=log)


def _erf_on_numbers(numbers: SignalNumbers, weight: Erf, o: Overlaps, *, log: bool) -> Array:
    if weight.per_length:
        return _pointwise_on_numbers(numbers, weight, o, log=log)
    if all(np.ndim(leaf) == 0 for leaf in jax.tree.leaves((numbers, weight, o))):
        return _erf(numbers, weight, o, log=log)
    return in_pieces(partial(_erf, log=log), (numbers, weight, o), _CLOSED_AT_ONCE)


def _pointwise(numbers: SignalNumbers, weight: Pointwise, o: Overlaps, *, log: bool) -> Array:
    return averaged(
        lambda *setting: mapped(partial(_integrated, log=log), setting),
        numbers,
        (weight, o),
        log=log,
    )


def _integrated(*setting: Any, log: bool) -> Array:
    value, log_scale = pointwise_excess(*jax.tree.map(lambda number: number[..., None], setting))
    return _unscaled(value, log_scale, log=log)


def _pointwise_on_numbers(
    numbers: SignalNumbers, weight: Pointwise, o: Overlaps, *, log: bool
) -> Array:
    formula = partial(in_pieces, partial(_integrated, log=log), at_once=_POINTWISE_AT_ONCE)
    return averaged(lambda *setting: formula(setting), numbers, (weight, o), log=log)


def _kernel(numbers: SignalNumbers, weight: NormalisedKernel, o: Overlaps, *, log: bool) -> Array:
    def one(numbers: SignalNumbers, weight: NormalisedKernel, o: Overlaps) -> Array:
        weight, o = _looking_up(weight, o)
        moments = _kernel_moments(numbers, weight, o.kappa)
        return _from_moments(moments, numbers, o, log=log)

    return averaged(lambda *setting: mapped(one, setting), numbers, (weight, o), log=log)


def _kernel_on_numbers(
    numbers: SignalNumbers, weight: NormalisedKernel, o: Overlaps, *, log: bool
) -> Array:
    if np.any(np.abs(weight.lam) > _SHARPEST):
        raise ValueError(
            f"`lam` must be at most {_SHARPEST:g} in size for the exact risk of"
            f" {type(weight).__name__}, got {weight.lam}; HardMax is the limit."
        )
    return averaged(partial(_kernels_that_share, log=log), numbers, (weight, o), log=log)


def _kernels_that_share(
    numbers: SignalNumbers, weight: NormalisedKernel, o: Overlaps, *, log: bool
) -> Array:
    """By NumPy; settings that differ in what v sees alone share the moments of their weights."""
    leaves, structure = jax.tree.flatten((numbers, weight, o))
    parts = np.broadcast_arrays(*leaves)
    numbers, weight, o = jax.tree.unflatten(structure, [part.ravel() for part in parts])
    weight, o = _looking_up(weight, o)
    scores, kind = jax.tree.flatten((numbers, weight, o.kappa))
    distinct, place = np.unique(np.stack(scores), axis=1, return_inverse=True)
    each = [_kernel_moments(*jax.tree.unflatten(kind, list(column))) for column in distinct.T]
    moments = jax.tree.map(lambda *rows: np.stack(rows)[place.ravel()], *each)
    return _from_moments(moments, numbers, o, log=log).reshape(parts[0].shape)


def _looking_up(weight: NormalisedKernel, o: Overlaps) -> tuple[NormalisedKernel, Overlaps]:
    """The same predictor with lam >= 0: a negative lam is a positive one with k reversed."""
    side = engine_of(weight.lam).xp.where(weight.lam < 0, -1.0, 1.0)
    up = Overlaps.unchecked(side * o.kappa, o.nu, o.theta, side * o.eta, side * o.rho)
    return replace(weight, lam=side * weight.lam), up


def _kernel_moments(
    numbers: SignalNumbers, weight: NormalisedKernel, kappa: Array
) -> WeightMoments:
    m, gamma, L = numbers.m, numbers.gamma, numbers.L
    laws = softmax_laws if isinstance(weight, Softmax) else partial(kernel_laws, weight.log_kernel)
    moments = weight_moments(laws, (m, gamma, weight.lam, kappa), L)
    if isinstance(weight, NormalisedReLU):
        return add_all_zero(moments, m, gamma, kappa, L, weight.lam)
    return moments


def _from_moments(
    moments: WeightMoments, numbers: SignalNumbers, o: Overlaps, *, log: bool
) -> Array:
    return _unscaled(*excess_from_moments(moments, numbers.m, numbers.gamma, o), log=log)


def _unscaled(value: Array, log_scale: Array, *, log: bool) -> Array:
    xp = engine_of(value).xp
    return log_scale + xp.log(value) if log else value * xp.exp(log_scale)


def _erf_closed_slopes(task: SingleLocation, weight: Erf) -> Slopes | None:
    """At a fixed length; elsewhere the closed form is differentiated."""
    return None if weight.per_length or task.lengths is not None else _ERF_SLOPES


_ERF_SLOPES = Slopes(
    table=lambda lam, numbers: erf_table(lam, numbers.gamma, numbers.L),
    at=lambda o, numbers, weight, row: erf_slopes(o, numbers.m, numbers.gamma**2, row),
    arithmetic=True,
)


def _simulated(
    task: SingleLocation, weight: SeesAllScores, o: Overlaps, key: jax.Array, samples: int | None
) -> Estimate:
    samples = max(1000, _SCORE_NUMBERS // int(task.L)) if samples is None else samples
    parts = np.broadcast_arrays(*(np.asarray(part, float) for part in (weight.lam, *o)))
    flat = np.stack([part.ravel() for part in parts], axis=-1)
    answers = [
        score_excess(task, weight.with_lam(float(lam)), Overlaps(*map(float, five)), key, samples)
        for lam, *five in flat
    ]
    if parts[0].shape == ():
        return answers[0]
    return Estimate(
        *(
            np.reshape([getattr(a, part) for a in answers], parts[0].shape)
            for part in ("value", "error")
        )
    )


def _compile_erf(size: int, numbers: SignalNumbers, weight: Erf, o: Overlaps) -> bool:
    """Many numbers at once; decided by the call alone, so that equal calls have equal bits."""
    return not weight.per_length and size >= _WORTH_COMPILING


register(
    SingleLocation,
    Erf,
    state=Overlaps,
    numbers=SignalNumbers.of,
    excess=Elementwise(
        partial(_erf, log=False), partial(_erf_on_numbers, log=False), compiled=_compile_erf
    ),
    log_excess=Elementwise(
        partial(_erf, log=True), partial(_erf_on_numbers, log=True), compiled=_compile_erf
    ),
    closed_slopes=_erf_closed_slopes,
)
register(
    SingleLocation,
    Pointwise,
    state=Overlaps,
    numbers=SignalNumbers.of,
    excess=Elementwise(partial(_pointwise, log=False), partial(_pointwise_on_numbers, log=False)),
    log_excess=Elementwise(partial(_pointwise, log=True), partial(_pointwise_on_numbers, log=True)),
)
register(
    SingleLocation,
    NormalisedKernel,
    state=Overlaps,
    numbers=SignalNumbers.of,
    excess=Elementwise(partial(_kernel, log=False), partial(_kernel_on_numbers, log=False)),
    log_excess=Elementwise(partial(_kernel, log=True), partial(_kernel_on_numbers, log=True)),
)
register(
    SingleLocation,
    SeesAllScores,
    state=Overlaps,
    numbers=SignalNumbers.of,
    simulate=_simulated,
)
