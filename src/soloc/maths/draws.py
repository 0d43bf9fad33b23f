"""Fast exact draws for long chains: counter-based bits, normal and chi variables.

Everything is a pure function of (seed, counter): step t of a chain gives the same numbers however
the chain is cut. Call under 64-bit mode. Normals are single precision (steps of 6e-8, up to 6.8):
what is off by less than a part in 10^7 no sample shows, and they take half the time.
"""

import math
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np

from soloc.maths.arithmetic import log_of_positive, log_of_single

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_HALF_STEP = 2.0**-54
_Attempts: TypeAlias = tuple[jax.Array, jax.Array, jax.Array]  # tries so far, values, what misses


def seed_of(key: jax.Array) -> jax.Array:
    """A 64-bit seed from a JAX key."""
    return jax.random.bits(key, dtype=jnp.uint64)


def words(seed: jax.Array, counter: jax.Array, shape: tuple[int, ...]) -> jax.Array:
    """64 bits for each of prod(shape) successive places from `counter` on.

    By SplitMix64 (Steele, Lea and Flood, 2014).
    """
    size = int(np.prod(shape))
    place = jnp.asarray(counter).astype(jnp.uint64) + jnp.arange(size, dtype=jnp.uint64).reshape(
        shape
    )
    return _mixed(seed + (place + np.uint64(1)) * _GOLDEN)


def _mixed(z: jax.Array) -> jax.Array:
    z = (z ^ (z >> np.uint64(30))) * _MIX[0]
    z = (z ^ (z >> np.uint64(27))) * _MIX[1]
    return z ^ (z >> np.uint64(31))


def uniforms(seed: jax.Array, counter: jax.Array, shape: tuple[int, ...]) -> jax.Array:
    """Uniform numbers inside (0, 1), multiples of 2^-53 shifted by half."""
    return _inside(words(seed, counter, shape))


def _inside(z: jax.Array) -> jax.Array:
    return (z >> np.uint64(11)).astype(jnp.float64) * 2.0**-53 + _HALF_STEP


def normals(
    seed: jax.Array, counter: jax.Array, shape: tuple[int, ...]
) -> tuple[jax.Array, jax.Array]:
    """Two arrays of standard normals in single precision, by Box and Muller (1958).

    Of each word the first half makes the radius, two bits the signs and the others the angle.
    """
    z = words(seed, counter, shape)
    high, low = (z >> np.uint64(32)).astype(jnp.uint32), z.astype(jnp.uint32)
    u = (high.astype(jnp.float32) + _HALF) * np.float32(2.0**-32)
    radius = jnp.sqrt(np.float32(-2.0) * log_of_single(u))
    angle = ((low >> np.uint32(2)).astype(jnp.float32) + _HALF) * np.float32(2.0**-30)
    one = _signed(radius * _sine(angle), low << np.uint32(31))
    other = _signed(radius * _sine(1 - angle), (low << np.uint32(30)) & _SIGN)
    return one, other


_HALF, _SIGN = np.float32(0.5), np.uint32(1 << 31)
#: sin(pi y / 2) / y in y^2 on [0, 1], Chebyshev interpolation: to rounding of single precision
# fmt: off
_QUARTER = [np.float32(c) for c in (
    1.57079637, -0.645964086, 0.0796926022, -0.00468165753, 0.000160254596, -3.43178908e-06,
)]
# fmt: on


def _sine(y: jax.Array) -> jax.Array:
    """sin(pi y / 2) for y in [0, 1], in single precision."""
    series = jnp.full_like(y, _QUARTER[-1])
    for coefficient in reversed(_QUARTER[:-1]):
        series = series * (y * y) + coefficient
    return y * series


def _signed(x: jax.Array, sign: jax.Array) -> jax.Array:
    bits = jax.lax.bitcast_convert_type(x, jnp.uint32) ^ sign
    return jax.lax.bitcast_convert_type(bits, jnp.float32)


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


def chi(
    seed: jax.Array, counter: jax.Array, freedom: jax.Array, shape: tuple[int, ...]
) -> jax.Array:
    """Chi variables with `freedom` >= 0 degrees of freedom, whole and up to 1e15; zero for 0.

    Marsaglia and Tsang (2000): a cubed normal, accepted with probability above .95. With w = x / (3
    sqrt(a)) the logarithm of that probability is 3 a (log(1+w) - w + w^2/2 - w^3/3), which loses
    nothing at large a. Each variable draws from a sequence of its own, begun at its place.
    """
    half = jnp.broadcast_to(0.5 * freedom, shape)
    lifted = jnp.where(half < 1.0, half + 1.0, half)  # Gamma(a) = Gamma(a+1) U^(1/a)
    a = lifted - 1.0 / 3.0
    scale = 1.0 / (3.0 * jnp.sqrt(a))
    own = words(seed, counter, shape)

    def uniform(i: Any) -> jax.Array:
        return _inside(_mixed(own + (jnp.asarray(i, jnp.uint64) + np.uint64(1)) * _GOLDEN))

    def attempt(carry: _Attempts) -> _Attempts:
        tries, value, missing = carry
        radius, turns, chance = (uniform(tries * np.uint64(3) + np.uint64(i)) for i in (1, 2, 3))
        w = scale * jnp.sqrt(-2.0 * log_of_positive(radius)) * sine_of_turns(turns)
        inside = w > -1.0
        safe = jnp.where(inside, w, 0.0)
        accepted = inside & (log_of_positive(chance) < 3.0 * a * _log_beyond_cubes(safe))
        value = jnp.where(missing & accepted, a * (1.0 + safe) ** 3, value)
        return tries + np.uint64(1), value, missing & ~accepted

    begin = (jnp.zeros((), jnp.uint64), jnp.zeros(shape), jnp.ones(shape, bool))
    gamma = jax.lax.while_loop(lambda carry: jnp.any(carry[2]), attempt, begin)[1]
    boost = uniform(0) ** (1.0 / jnp.where(half > 0, half, 1.0))
    gamma = jnp.where(half < 1.0, gamma * boost, gamma)
    return jnp.where(half > 0, jnp.sqrt(2.0 * gamma), 0.0)


_TERMS = 24  # of a series in w up to 1/4


def _log_beyond_cubes(w: jax.Array) -> jax.Array:
    """log(1+w) - w + w^2/2 - w^3/3 for w > -1, as -w^4 (1/4 - w/5 + ...) where it would cancel."""
    near = jnp.clip(w, -0.25, 0.25)
    series = jnp.zeros_like(w)
    for k in reversed(range(_TERMS)):
        series = 1.0 / (k + 4) - series * near
    far = log_of_positive(1.0 + w) - w * (1.0 - w * (0.5 - w / 3.0))
    return jnp.where(jnp.abs(w) < 0.25, -((near * near) ** 2) * series, far)
