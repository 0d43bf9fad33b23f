"""Fast exact draws for long chains: counter-based bits, normal and chi variables.

Everything is a pure function of (seed, counter): step t of a chain gives the same numbers however
the chain is cut. Double precision throughout; call under 64-bit mode.
"""

import math
from collections.abc import Callable
from typing import TypeAlias

import jax
import jax.numpy as jnp
import numpy as np

from soloc.maths.arithmetic import log_of_positive

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_HALF_STEP = 2.0**-54
_Attempts: TypeAlias = tuple[jax.Array, jax.Array, jax.Array]  # tries so far, values, what misses


def seed_of(key: jax.Array) -> jax.Array:
    """A 64-bit seed from a JAX key."""
    return jax.random.bits(key, dtype=jnp.uint64)


def uniforms(seed: jax.Array, counter: jax.Array, shape: tuple[int, ...]) -> jax.Array:
    """Uniform numbers inside (0, 1), multiples of 2^-53 shifted by half.

    Those of prod(shape) successive places from `counter` on, by SplitMix64 (Steele, Lea and Flood,
    2014).
    """
    size = int(np.prod(shape))
    place = jnp.asarray(counter).astype(jnp.uint64) + jnp.arange(size, dtype=jnp.uint64).reshape(
        shape
    )
    z = seed + (place + np.uint64(1)) * _GOLDEN
    z = (z ^ (z >> np.uint64(30))) * _MIX[0]
    z = (z ^ (z >> np.uint64(27))) * _MIX[1]
    z = z ^ (z >> np.uint64(31))
    return (z >> np.uint64(11)).astype(jnp.float64) * 2.0**-53 + _HALF_STEP


def normals(seed: jax.Array, counter: jax.Array, pairs: int, runs: int) -> jax.Array:
    """Standard normals of shape (2 pairs, runs), by Box and Muller (1958)."""
    u = uniforms(seed, counter, (2, pairs, runs))
    radius = jnp.sqrt(-2.0 * log_of_positive(u[0]))
    turns = u[1] + jnp.asarray([0.0, 0.25])[:, None, None]
    # whole, before anybody takes a part and has it computed again
    once: Callable[[jax.Array], jax.Array] = jax.lax.optimization_barrier
    return once(radius * sine_of_turns(turns)).reshape(2 * pairs, runs)


# sin(pi y / 2) = y (c0 + c1 y^2 + ...) on |y| <= 1 to rounding: a tenth of the cost of the general
# sine
_SINE = [(-1.0) ** k * (np.pi / 2) ** (2 * k + 1) / math.factorial(2 * k + 1) for k in range(12)]


def sine_of_turns(turns: jax.Array) -> jax.Array:
    """sin(2 pi turns) for moderate arguments."""
    half_turns = jnp.round(2.0 * turns)
    y = 2.0 * (2.0 * turns - half_turns)
    series = jnp.zeros_like(y)
    for coefficient in reversed(_SINE):
        series = series * (y * y) + coefficient
    even = half_turns == 2.0 * jnp.round(0.5 * half_turns)
    return jnp.where(even, 1.0, -1.0) * y * series


def chi(key: jax.Array, freedom: jax.Array, shape: tuple[int, ...]) -> jax.Array:
    """Chi variables with `freedom` >= 0 degrees of freedom, whole and up to 1e15; zero for 0.

    Marsaglia and Tsang (2000): a cubed normal, accepted with probability above .95. With w = x / (3
    sqrt(a)) the logarithm of that probability is 3 a (log(1+w) - w + w^2/2 - w^3/3), which loses
    nothing at large a.
    """
    half = jnp.broadcast_to(0.5 * freedom, shape)
    lifted = jnp.where(half < 1.0, half + 1.0, half)  # Gamma(a) = Gamma(a+1) U^(1/a)
    a = lifted - 1.0 / 3.0
    scale = 1.0 / (3.0 * jnp.sqrt(a))
    seed = seed_of(key)
    size = int(np.prod(shape))

    def attempt(carry: _Attempts) -> _Attempts:
        tries, value, missing = carry
        u = uniforms(seed, tries * np.uint64(3 * size), (3, *shape))
        x = jnp.sqrt(-2.0 * log_of_positive(u[0])) * sine_of_turns(u[1])
        w = scale * x
        inside = w > -1.0
        safe = jnp.where(inside, w, 0.0)
        log_chance = 3.0 * a * (jnp.log1p(safe) - safe * (1.0 - safe * (0.5 - safe / 3.0)))
        accepted = inside & (log_of_positive(u[2]) < log_chance)
        value = jnp.where(missing & accepted, a * (1.0 + safe) ** 3, value)
        return tries + np.uint64(1), value, missing & ~accepted

    begin = (jnp.zeros((), jnp.uint64), jnp.zeros(shape), jnp.ones(shape, bool))
    tries, gamma, _ = jax.lax.while_loop(lambda carry: jnp.any(carry[2]), attempt, begin)
    boost = uniforms(seed, tries * np.uint64(3 * size), shape) ** (
        1.0 / jnp.where(half > 0, half, 1.0)
    )
    gamma = jnp.where(half < 1.0, gamma * boost, gamma)
    return jnp.where(half > 0, jnp.sqrt(2.0 * gamma), 0.0)
