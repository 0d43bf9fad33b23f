"""The public face of risk: population risks of attention predictors, Bayes, linear and null risks."""

import math
from collections.abc import Callable
from dataclasses import fields, replace
from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from soloc.maths.engine import Array, engine_of
from soloc.maths.numbers import is_concrete
from soloc.maths.precision import as_double
from soloc.predictors.normalised import NormalisedKernel, NormalisedReLU, Softmax
from soloc.predictors.pointwise import Erf, Pointwise
from soloc.risk.bayes import log_bayes
from soloc.risk.closed_form import Setting, erf_excess, log_erf_excess
from soloc.risk.estimate import Estimate
from soloc.risk.kernels import add_all_zero, kernel_laws
from soloc.risk.laplace import WeightMoments, weight_moments
from soloc.risk.monte_carlo import monte_carlo_bayes_risk, score_excess
from soloc.risk.overlaps import NAMES, Overlaps
from soloc.risk.quadratic import excess_from_moments
from soloc.risk.quadrature import pointwise_excess
from soloc.risk.softmax import softmax_laws
from soloc.tasks.single_location import SingleLocation

_SCORE_NUMBERS = 4_000_000  # scores drawn for an answer by simulation when nobody says how many
_SHARPEST = 1e6  # beyond it the nodes no longer resolve the cliff of exp(-t E)
_AT_ONCE = 8  # settings that JAX integrates side by side
# settings side by side in NumPy, such that they stay in the cache
_POINTWISE_AT_ONCE, _CLOSED_AT_ONCE, _BAYES_AT_ONCE = 32, 4096, 256
_WORTH_COMPILING = 50_000  # that many closed forms, or a single one, which many calls will repeat


def population_risk(
    task: SingleLocation,
    weight: Any,
    overlaps: Overlaps,
    *,
    key: jax.Array | None = None,
    samples: int | None = None,
) -> Any:
    """E[(Y - T(X))^2] of the predictor T(X) = sum_l weight_l X_l . v whose k, v have the given
    overlaps.

    Exact for component-wise weights and normalised kernels, at a cost that depends on neither d nor
    L, and differentiable by JAX. For the other weights an `Estimate` from `samples` simulated score
    sequences, drawn with `key`.
    """
    excess = excess_risk(task, weight, overlaps, key=key, samples=samples)
    if isinstance(excess, Estimate):
        return excess + float(task.eps) ** 2
    with jax.enable_x64(True):
        return (
            excess + jnp.asarray(task.eps, jnp.float64) ** 2
            if _any_array(task.eps)
            else excess + task.eps**2
        )


def excess_risk(
    task: SingleLocation,
    weight: Any,
    overlaps: Overlaps,
    *,
    key: jax.Array | None = None,
    samples: int | None = None,
) -> Any:
    """Population risk minus eps^2, computed without cancellation."""
    _refuse_background(task)
    if isinstance(weight, (Pointwise, NormalisedKernel)):
        return _refuse_infinite(_exact(task, weight, overlaps, log=False), weight)
    if samples is None:
        samples = max(1000, _SCORE_NUMBERS // int(task.L))
    return _simulated(task, weight, overlaps, jax.random.key(0) if key is None else key, samples)


def log_excess_risk(
    task: SingleLocation, weight: Pointwise | NormalisedKernel, overlaps: Overlaps
) -> jax.Array:
    """log(population risk - eps^2) of a weight with an exact risk, also where the excess itself
    underflows.
    """
    _refuse_background(task)
    if not isinstance(weight, (Pointwise, NormalisedKernel)):
        raise TypeError(
            f"`weight` must have an exact risk, got {type(weight).__name__}; use excess_risk and"
            " its error."
        )
    return _refuse_infinite(_exact(task, weight, overlaps, log=True), weight)


def excess_or_infinity(
    task: SingleLocation, weight: Pointwise | NormalisedKernel, overlaps: Overlaps
) -> jax.Array:
    """`excess_risk` of a weight with an exact risk, not finite where it exceeds the largest double:
    for maps and records.
    """
    return _exact(task, weight, overlaps, log=False)


def _exact(
    task: SingleLocation, weight: Pointwise | NormalisedKernel, overlaps: Overlaps, *, log: bool
) -> jax.Array:
    if (
        isinstance(weight, NormalisedKernel)
        and is_concrete(weight.lam)
        and np.any(np.abs(weight.lam) > _SHARPEST)
    ):
        raise ValueError(
            f"`lam` must be at most {_SHARPEST:g} in size for the exact risk of"
            f" {type(weight).__name__}, got {weight.lam}; HardMax is the limit."
        )
    numbers = tuple(
        _real(getattr(weight, field.name)) for field in fields(weight) if field.name != "per_length"
    )
    kind: Any = type(weight)
    program = _program(kind, getattr(weight, "per_length", False), log)
    o = tuple(_real(getattr(overlaps, name)) for name in NAMES)
    m, gamma = _real(task.m), _real(task.gamma)
    with jax.enable_x64(True):
        if task.lengths is None:
            result = program((m, gamma, _real(task.L)), numbers, o)
        else:
            lengths, chances = _length_axis(task, (m, gamma, *numbers, *o))
            result = program((m, gamma, lengths), numbers, o)
            result = (
                jax.nn.logsumexp(result, axis=0, b=chances)
                if log
                else jnp.sum(chances * result, axis=0)
            )
    return result


def _refuse_infinite(result: jax.Array, weight: Pointwise | NormalisedKernel) -> jax.Array:
    if (
        not isinstance(weight, Erf)
        and not isinstance(result, jax.core.Tracer)
        and not np.all(np.isfinite(result))
    ):
        raise ValueError(
            f"`lam` must be such that the risk of {type(weight).__name__} is a finite number, got"
            f" lam={weight.lam}: the risk exceeds the largest double; take a smaller lam."
        )
    return result


@cache
def _program(kind: Any, per_length: bool, log: bool) -> Callable[..., jax.Array]:
    """The risk of one kind of weight: (m, gamma, L), its numbers and the overlaps, each
    broadcasting.
    """
    if kind is Erf and not per_length:
        return _closed_program(log_erf_excess if log else erf_excess)
    scaled = _scaled_program(kind, per_length)

    def integrated(*inputs: Any) -> jax.Array:
        value, log_scale = map(jnp.asarray, scaled(*inputs))
        return log_scale + jnp.log(value) if log else value * jnp.exp(log_scale)

    return integrated


def _closed_program(formula: Callable[[Setting, Any, Overlaps], Any]) -> Callable[..., jax.Array]:
    def closed(inputs: Any) -> Array:
        setting, (lam,), o = inputs
        return formula(Setting(*setting), lam, Overlaps(*o))

    compiled = jax.jit(lambda *inputs: closed(as_double(inputs)))

    def program(*inputs: Any) -> jax.Array:
        leaves = jax.tree.leaves(inputs)
        size = (
            math.prod(np.broadcast_shapes(*map(np.shape, leaves)))
            if all(map(is_concrete, leaves))
            else 0
        )
        if 1 < size < _WORTH_COMPILING:
            return jnp.asarray(_over_numbers(closed, inputs, _CLOSED_AT_ONCE))
        return compiled(*inputs)

    return program


@cache
def _scaled_program(kind: Any, per_length: bool) -> Callable[..., tuple[jax.Array, jax.Array]]:
    """The integrals behind the excess, as (value, log_scale)."""

    def one_kernel(inputs: Any) -> tuple[Array, Array]:
        (m, gamma, L), numbers, o = inputs
        weight, o = _looking_up(kind(*numbers), Overlaps(*o))
        return excess_from_moments(_kernel_moments(weight, m, gamma, L, o.kappa), m, gamma, o)

    def pointwise(inputs: Any) -> tuple[Array, Array]:
        (m, gamma, L), (lam, *numbers), o = jax.tree.map(lambda number: number[..., None], inputs)
        excess = pointwise_excess(
            Setting(m, gamma, L), kind(lam, per_length, *numbers), Overlaps(*o)
        )
        return excess, 0.0 * excess

    if issubclass(kind, Pointwise):
        return _on_either_engine(
            pointwise, lambda inputs: _over_numbers(pointwise, inputs, _POINTWISE_AT_ONCE)
        )
    return _on_either_engine(one_kernel, lambda inputs: _kernels_over_numbers(kind, inputs))


def _looking_up(weight: NormalisedKernel, o: Overlaps) -> tuple[NormalisedKernel, Overlaps]:
    """The same predictor with lam >= 0: a negative lam is a positive one with k reversed."""
    side = engine_of(weight.lam).xp.where(weight.lam < 0, -1.0, 1.0)
    return replace(weight, lam=side * weight.lam), replace(
        o, kappa=side * o.kappa, eta=side * o.eta, rho=side * o.rho
    )


def _kernel_moments(
    weight: NormalisedKernel, m: Any, gamma: Any, L: Any, kappa: Any
) -> WeightMoments:
    if isinstance(weight, Softmax):
        return weight_moments(softmax_laws, (m, gamma, weight.lam, kappa), L)
    moments = weight_moments(
        partial(kernel_laws, weight.log_kernel), (m, gamma, weight.lam, kappa), L
    )
    return (
        add_all_zero(moments, m, gamma, kappa, L) if isinstance(weight, NormalisedReLU) else moments
    )


def _kernels_over_numbers(kind: Any, inputs: Any) -> tuple[np.ndarray, np.ndarray]:
    """Excess of normalised kernels by NumPy; settings that differ in what v sees alone share the
    moments of their weights.
    """
    leaves, structure = jax.tree.flatten(inputs)
    parts = np.broadcast_arrays(*(np.asarray(leaf, np.float64) for leaf in leaves))
    (m, gamma, L), numbers, o = jax.tree.unflatten(structure, [part.ravel() for part in parts])
    weight, overlaps = _looking_up(kind(*numbers), Overlaps(*o))
    scores = np.stack([m, gamma, L, weight.lam, *numbers[1:], overlaps.kappa])
    distinct, place = np.unique(scores, axis=1, return_inverse=True)
    with np.errstate(all="ignore"):  # as JAX: what is not finite is looked for in the answer
        each = [
            _kernel_moments(kind(*shape), m_, gamma_, L_, kappa)
            for m_, gamma_, L_, *shape, kappa in distinct.T
        ]
        moments = jax.tree.map(lambda *rows: np.stack(rows)[place.ravel()], *each)
        value, log_scale = excess_from_moments(moments, m, gamma, overlaps)
    return value.reshape(parts[0].shape), log_scale.reshape(parts[0].shape)


def _simulated(
    task: SingleLocation, weight: Any, overlaps: Overlaps, key: jax.Array, samples: int
) -> Estimate:
    parts = [
        np.asarray(part, float)
        for part in (weight.lam, *(getattr(overlaps, name) for name in NAMES))
    ]
    shape = np.broadcast_shapes(*(part.shape for part in parts))
    flat = np.stack([np.broadcast_to(part, shape).ravel() for part in parts], axis=-1)
    answers = [
        score_excess(task, replace(weight, lam=float(lam)), Overlaps(*map(float, o)), key, samples)
        for lam, *o in flat
    ]
    if shape == ():
        return answers[0]
    return Estimate(
        *(np.reshape([getattr(a, part) for a in answers], shape) for part in ("value", "error"))
    )


def _refuse_background(task: SingleLocation) -> None:
    if task.background is not None:
        raise ValueError(
            "`background` must be left out of a task whose exact risk is asked for, since it adds"
            " overlaps that the five do not have; use monte_carlo_risk or monte_carlo_bayes_risk."
        )


def _any_array(value: Any) -> bool:
    return not isinstance(value, (int, float))


def linear_risk(task: SingleLocation) -> Any:
    """Risk of the best linear regression on the concatenated tokens: eps^2 + gamma^2 - gamma^4 /
    (gamma^2 + L - 1).
    """
    _refuse_background(task)
    g2 = task.gamma**2
    if task.prior is None and task.lengths is None:
        return task.eps**2 + g2 - g2 * g2 / (g2 + task.L - 1.0)
    if task.lengths is None:
        here, present = np.asarray(task.prior), np.ones(int(task.L))
    else:
        values, chances = task.length_law()
        has = np.arange(int(task.L))[:, None] < values
        here, present = (has * chances / values).sum(axis=1), (has * chances).sum(axis=1)
    return task.eps**2 + g2 - np.sum(g2 * g2 * here**2 / (g2 * here + present - here + (here == 0)))


def null_risk(task: SingleLocation) -> Any:
    """Risk of always answering 0: eps^2 + gamma^2."""
    return task.eps**2 + task.gamma**2


def bayes_risk(task: SingleLocation, *, key: jax.Array | None = None, samples: int = 20_000) -> Any:
    """Risk of E[Y | X]; exact for a uniform prior, an `Estimate` from simulation for any other."""
    if task.prior is not None:
        _refuse_background(task)
        return monte_carlo_bayes_risk(task, jax.random.key(0) if key is None else key, samples)
    with jax.enable_x64(True):
        return jnp.exp(log_bayes_excess(task)) + jnp.asarray(task.eps, jnp.float64) ** 2


def log_bayes_excess(task: SingleLocation) -> jax.Array:
    """log(Bayes risk - eps^2), also where that excess is far below the smallest double.

    A few units of 1e-15 accurate, as a number where it is of order one and relative to its size
    elsewhere; -inf for a single token, whose place is known.
    """
    _refuse_background(task)
    if task.prior is not None:
        raise ValueError(
            "`prior` must be uniform for the exact Bayes risk; use bayes_risk, which simulates and"
            " gives its error."
        )
    numbers = (_real(task.d), _real(task.m), _real(task.gamma))
    with jax.enable_x64(True):
        if task.lengths is None:
            return _bayes_program(*numbers, _real(task.L))
        lengths, chances = _length_axis(task, numbers)
        return jax.nn.logsumexp(_bayes_program(*numbers, lengths), axis=0, b=chances)


def _real(number: Any) -> Any:
    """A whole number as a real one, so that both run the same compiled program."""
    return float(number) if isinstance(number, int) else number


def _length_axis(task: SingleLocation, numbers: tuple[Any, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Lengths and their probabilities along a new first axis in front of those of `numbers`."""
    depth = max(jnp.ndim(number) for number in numbers)
    values, chances = task.length_law()
    return values.reshape(-1, *(1,) * depth), chances.reshape(-1, *(1,) * depth)


def _on_either_engine(
    formula: Callable[[Any], Any], over_numbers: Callable[[Any], Any]
) -> Callable[..., Any]:
    """`formula` on every setting of its broadcasting inputs: `over_numbers` by NumPy, compiled by
    JAX under its transformations.
    """
    compiled = jax.jit(lambda *inputs: _over_settings(formula, inputs))

    def program(*inputs: Any) -> Any:
        numbers = all(map(is_concrete, jax.tree.leaves(inputs)))
        return over_numbers(inputs) if numbers else compiled(*inputs)

    return program


def _over_numbers(formula: Callable[[Any], Any], inputs: Any, at_once: int = 0) -> Any:
    """`formula` by NumPy on every setting of a tree of numbers that broadcast, `at_once` along an
    axis where that is not 0.
    """
    leaves, structure = jax.tree.flatten(inputs)
    parts = np.broadcast_arrays(*(np.asarray(leaf, np.float64) for leaf in leaves))
    flat = np.stack([part.ravel() for part in parts])
    columns = (
        [flat[:, i : i + at_once] for i in range(0, flat.shape[1], at_once)] if at_once else flat.T
    )
    with np.errstate(all="ignore"):  # as JAX: what is not finite is looked for in the answer
        answers = [formula(jax.tree.unflatten(structure, list(column))) for column in columns]
    return jax.tree.map(
        lambda *rows: np.concatenate(rows, axis=None).reshape(parts[0].shape), *answers
    )


def _one_bayes(setting: Any) -> Array:
    return log_bayes(*setting)


_bayes_program = _on_either_engine(
    _one_bayes, lambda inputs: _over_numbers(_one_bayes, inputs, _BAYES_AT_ONCE)
)


def _over_settings(one: Callable[[Any], Any], inputs: Any) -> Any:
    """`one` on every setting of a tree of numbers that broadcast, a few side by side."""
    leaves, structure = jax.tree.flatten(as_double(inputs))
    shape = jnp.broadcast_shapes(*(leaf.shape for leaf in leaves))
    if shape == ():
        return one(jax.tree.unflatten(structure, leaves))
    flat = jax.tree.unflatten(structure, [jnp.broadcast_to(leaf, shape).ravel() for leaf in leaves])
    return jax.tree.map(
        lambda rows: rows.reshape(shape), jax.lax.map(one, flat, batch_size=_AT_ONCE)
    )
