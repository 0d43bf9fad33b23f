"""Projections of scores on the probability simplex; entries of -inf get weight zero."""

import jax
import jax.numpy as jnp

from soloc.maths.engine import Array, engine_of


def softmax(x: Array) -> Array:
    """exp(x_l) / sum_j exp(x_j) along the last axis, by the engine of x."""
    xp = engine_of(x).xp
    p = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
    return p / xp.sum(p, axis=-1, keepdims=True)


def _support_size(holds: jax.Array) -> jax.Array:
    return jnp.sum(holds, axis=-1, keepdims=True)


def sparsemax(x: jax.Array) -> jax.Array:
    """argmin over the simplex of |p - x|^2: p = max(x - tau, 0), tau such that p sums to one."""
    x = x - jnp.max(x, axis=-1, keepdims=True)
    descending = jnp.flip(jnp.sort(x, axis=-1), axis=-1)
    finite = jnp.where(jnp.isfinite(descending), descending, 0.0)
    count = jnp.arange(1, x.shape[-1] + 1, dtype=x.dtype)
    tau = (jnp.cumsum(finite, axis=-1) - 1.0) / count
    size = _support_size(descending > tau)
    return jnp.maximum(x - jnp.take_along_axis(tau, size - 1, axis=-1), 0.0)


@jax.custom_jvp
def _root(x: jax.Array) -> jax.Array:
    """The square root where there is one, else 0, and its slope 0 there as well."""
    return jnp.sqrt(jnp.maximum(x, 0.0))


@_root.defjvp
def _slope_of_root(x: tuple[jax.Array], tangent: tuple[jax.Array]) -> tuple[jax.Array, jax.Array]:
    root = _root(x[0])
    slope = jnp.where(root > 0.0, 0.5 / jnp.where(root > 0.0, root, 1.0), 0.0)
    return root, slope * tangent[0]


def entmax15(x: jax.Array) -> jax.Array:
    """argmax over the simplex of p.x + Tsallis entropy of order 3/2: p = max(x/2 - tau, 0)^2."""
    half = 0.5 * (x - jnp.max(x, axis=-1, keepdims=True))
    descending = jnp.flip(jnp.sort(half, axis=-1), axis=-1)
    finite = jnp.where(jnp.isfinite(descending), descending, 0.0)
    count = jnp.arange(1, x.shape[-1] + 1, dtype=x.dtype)
    mean = jnp.cumsum(finite, axis=-1) / count
    mean_square = jnp.cumsum(finite**2, axis=-1) / count
    tau = mean - _root((1.0 - count * (mean_square - mean**2)) / count)
    size = _support_size(descending > tau)
    return jnp.maximum(half - jnp.take_along_axis(tau, size - 1, axis=-1), 0.0) ** 2
