"""The exact risk as training sees it: what is static (which weight, which law of lengths) apart
from the numbers.

Compiled functions are cached by the static part alone, so a new lam, step size or task of the same
kind compiles nothing.
"""

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from soloc.dynamics.overlap_map import Five, erf_slopes, erf_table
from soloc.predictors.normalised import NormalisedKernel
from soloc.predictors.pointwise import Erf, Pointwise
from soloc.risk.closed_form import Setting, erf_excess
from soloc.risk.overlaps import Overlaps
from soloc.risk.population import excess_or_infinity, excess_risk
from soloc.tasks.single_location import SingleLocation

# closed forms: fewer go through NumPy, so many at a time
_WORTH_COMPILING, _IN_CACHE = 50_000, 4096
# risks are evaluated in blocks of one size: one compilation serves every number of records
BLOCK = 1024


class Structure(NamedTuple):
    """The static part of a task and a weight."""

    lengths: Any
    weight_class: type
    switches: tuple[tuple[str, Any], ...]  #: fields of the weight that are no numbers


class Numbers(NamedTuple):
    """The numbers of a task and a weight; every leaf broadcasts with the runs. lam is apart: it may
    follow a schedule.
    """

    d: Any
    L: Any
    gamma: Any
    m: Any
    shape_of_weight: dict[str, Any]  #: numbers of the weight other than lam


def split(task: SingleLocation, weight: Any) -> tuple[Structure, Numbers]:
    """Structure and numbers of a pair that has an exact risk."""
    if not isinstance(task, SingleLocation):
        raise TypeError(f"`task` must be a SingleLocation task, got {type(task).__name__}.")
    if not is_dataclass(weight) or not hasattr(weight, "lam"):
        raise TypeError(
            f"`weight` must be one of soloc's weights, such as Erf(lam=0.1), got {weight!r}."
        )
    if not getattr(weight, "position_free", True):
        raise ValueError(
            "`weight` must not depend on the position to have dynamics in overlaps, got"
            f" {type(weight).__name__}. Train it in full dimension with `adam_path`."
        )
    if task.background is not None:
        raise ValueError(
            "`task` must have no background mean: it adds overlaps that the five do not have. Leave"
            " `background` out."
        )
    switches, numbers = [], {}
    for field in fields(weight):
        value = getattr(weight, field.name)
        if isinstance(value, bool) or value is None:
            switches.append((field.name, value))
        elif field.name != "lam":
            numbers[field.name] = value
    structure = Structure(task.lengths, type(weight), tuple(switches))
    return structure, Numbers(task.d, task.L, task.gamma, task.m, numbers)


def weight_of(structure: Structure, numbers: Numbers, lam: Any) -> Any:
    """The weight rebuilt from its parts."""
    return structure.weight_class(lam=lam, **dict(structure.switches), **numbers.shape_of_weight)


def task_of(structure: Structure, numbers: Numbers) -> SingleLocation:
    """The task rebuilt from its parts, without noise."""
    return SingleLocation(
        d=numbers.d, L=numbers.L, gamma=numbers.gamma, signal=numbers.m, lengths=structure.lengths
    )


def has_closed_gradient(structure: Structure) -> bool:
    """True for erf at a fixed length: its slopes are a handful of exp and erf."""
    return (
        structure.weight_class is Erf
        and structure.lengths is None
        and ("per_length", False) in structure.switches
    )


def excess_over_noise(
    structure: Structure, numbers: Numbers, lam: Any, overlaps: Overlaps
) -> jax.Array:
    """R - eps^2, traceable and differentiable."""
    if has_closed_gradient(structure):
        return erf_excess(Setting(numbers.m, numbers.gamma, numbers.L), lam, overlaps)
    return excess_risk(task_of(structure, numbers), weight_of(structure, numbers, lam), overlaps)


def has_exact_risk(structure: Structure) -> bool:
    """False for the weights whose risk is only simulated: they can be trained on samples alone."""
    return issubclass(structure.weight_class, (Pointwise, NormalisedKernel))


def check_exact_risk(structure: Structure) -> None:
    """Refuse a weight whose population risk cannot be differentiated."""
    if not has_exact_risk(structure):
        raise ValueError(
            f"`weight` must have an exact population risk, got {structure.weight_class.__name__}."
            " Train it on samples with `sgd_path`."
        )


class Rule(NamedTuple):
    """How to get the slopes of the risk: `table` prepares all steps of a piece at once, `slopes`
    reads one row of it.
    """

    table: Callable[[jax.Array, Numbers], Any]
    slopes: Callable[[Five, Numbers, Any], Five]


@cache
def rule_of(structure: Structure) -> Rule:
    """Slopes by hand where they are closed, by differentiating the exact risk elsewhere."""
    if has_closed_gradient(structure):
        return Rule(
            table=lambda lam, numbers: erf_table(lam, numbers.gamma, numbers.L),
            slopes=lambda o, numbers, at: erf_slopes(
                o, numbers.m, numbers.gamma * numbers.gamma, at
            ),
        )

    def total(o: Five, numbers: Numbers, lam: jax.Array) -> jax.Array:
        return jnp.sum(excess_over_noise(structure, numbers, lam, as_overlaps(o)))

    return Rule(table=lambda lam, numbers: lam, slopes=jax.grad(total))


def as_overlaps(o: Any) -> Overlaps:
    """The same five arrays as `Overlaps`, unchecked: they come from the map itself."""
    return jax.tree.unflatten(_OVERLAPS, list(o))


_OVERLAPS = jax.tree.structure(Overlaps(0.0, 0.0))


@cache
def _compiled_risk(structure: Structure) -> Callable[..., jax.Array]:
    return jax.jit(
        lambda numbers, lam, o: excess_over_noise(structure, numbers, lam, as_overlaps(o))
    )


def evaluate(
    structure: Structure, numbers: Numbers, lam: np.ndarray, overlaps: np.ndarray
) -> np.ndarray:
    """R - eps^2 at overlaps (5, ...) and lam (...), block by block; numbers broadcast along the
    last axis, the runs.
    """
    shape = overlaps.shape[1:]
    spread = lambda x: np.broadcast_to(np.asarray(x, dtype=float), shape).ravel()  # noqa: E731
    flat_numbers = jax.tree.map(spread, numbers)
    flat_lam, flat = spread(lam), overlaps.reshape(5, -1)
    if has_closed_gradient(structure) and flat.shape[1] < _WORTH_COMPILING:
        return _closed_by_numpy(flat_numbers, flat_lam, flat).reshape(shape)
    # NumPy's integrals cost no more, and nobody waits for a compiler
    if issubclass(structure.weight_class, NormalisedKernel):
        task, weight = (
            task_of(structure, flat_numbers),
            weight_of(structure, flat_numbers, flat_lam),
        )
        return np.asarray(excess_or_infinity(task, weight, as_overlaps(flat))).reshape(shape)
    function, size, values = _compiled_risk(structure), flat.shape[1], []
    block = (
        BLOCK
        if has_closed_gradient(structure)
        else min(BLOCK, 1 << max(3, (size - 1).bit_length()))
    )
    with jax.enable_x64(True):
        for first in range(0, size, block):
            cut = lambda x, first=first: _padded(x[..., first : first + block], block)  # noqa: E731
            values.append(
                np.asarray(function(jax.tree.map(cut, flat_numbers), cut(flat_lam), cut(flat)))
            )
    return np.concatenate(values)[:size].reshape(shape)


def _closed_by_numpy(numbers: Numbers, lam: np.ndarray, overlaps: np.ndarray) -> np.ndarray:
    setting = Setting(numbers.m, numbers.gamma, numbers.L)
    parts = [slice(first, first + _IN_CACHE) for first in range(0, len(lam), _IN_CACHE)]
    with np.errstate(all="ignore"):  # as JAX does
        return np.concatenate(
            [
                erf_excess(
                    Setting(*(x[part] for x in setting)), lam[part], Five(*overlaps[:, part])
                )
                for part in parts
            ]
        )


def _padded(x: np.ndarray, block: int) -> np.ndarray:
    missing = block - x.shape[-1]
    return (
        x
        if missing == 0
        else np.concatenate([x, np.repeat(x[..., -1:], missing, axis=-1)], axis=-1)
    )
