"""exp, log and erf as plain arithmetic on doubles, which a compiler turns into vector instructions.

Accurate to a few roundings, and a third of the time of XLA's own log and erf of doubles. For long
chains of steps; call under 64-bit mode.
"""

import math
from importlib import metadata
from typing import TypeAlias

import jax
import jax.numpy as jnp
import numpy as np

#: XLA refuses options that it does not know.
KNOWN_COMPILER = metadata.version("jaxlib")[:5] == "0.10."
#: For `jax.jit`: the compiler that makes vector instructions, also where workers ask for one in a
#: hurry (`runs.processes`).
VECTORS = (
    {
        "xla_cpu_use_fusion_emitters": True,
        "xla_backend_optimization_level": 1,
        "xla_cpu_prefer_vector_width": 512,
    }
    if KNOWN_COMPILER
    else {}
)
#: The compiler in a hurry with the widest vectors, for steps of a few numbers: in half the time.
SHORT_STEPS = (
    {
        "xla_cpu_use_fusion_emitters": False,
        "xla_cpu_parallel_codegen_split_count": 1,
        "xla_backend_optimization_level": 1,
        "xla_cpu_prefer_vector_width": 512,
    }
    if KNOWN_COMPILER
    else {}
)
_Pair: TypeAlias = tuple[jax.Array, jax.Array]
_SHIFTER = 1.5 * 2.0**52  # adding it leaves a whole number in the last bits
_LN2_HIGH, _LN2_LOW = 0.6931471803691238, 1.9082149292705877e-10  # the first has 32 bits
_EXPONENTS = [1.0 / math.factorial(k) for k in range(14)]
_ATANH = [2.0 / (2 * k + 1) for k in range(12)]
_ROOT_HALF = np.float64(np.sqrt(0.5)).view(np.int64)
_ROOT_HALF_OF_SINGLE = np.float32(np.sqrt(0.5)).view(np.int32)
_ONE = np.int64(1023) << np.int64(52)
_WHOLE = np.int64(0x4330000000000000)  # 2^52, whose last bits count
_SMALLEST = -708.0  # where exp is still a normal double
#: Chebyshev interpolation in 60 digits, as polynomials: erf(x) / x in x^2 up to 1 ...
# fmt: off
_ERF_NEAR = [
    1.1283791670955126, -0.37612638903183754, 0.1128379167095512, -0.026866170645129854,
    0.005223977625423455, -0.0008548327021945428, 0.00012055332903350668, -1.4925647581008593e-05,
    1.6462045711013026e-06, -1.6364645854816389e-07, 1.479243542696247e-08, -1.2164764337224506e-09,
    8.709755232851789e-11, -4.2320376764874594e-12,
]
#: ... and exp(x^2) erfc(x) in `_FAR[0] + _FAR[1] / (x + 3)` from 1 to 6.1
_ERF_FAR = [
    0.20663010235987475, -0.15483966160895124, 0.050236059924839496, -0.012962154244083809,
    0.002552584064068439, -0.0003453552784053271, 2.077450529803628e-05, 2.5373709388887263e-06,
    -5.946616763464861e-07, -3.820333871391923e-09, 1.2348305168415364e-08, -3.2038820530217356e-10,
    -2.858603738676242e-10, 7.684188959218055e-12, 7.589228558917736e-12, -2.2204873632052923e-14,
    -1.929905557170362e-13,
]
# fmt: on
_FAR = 2.568627450980392, -14.274509803921569
_ONE_FROM = 6.1  # where erf rounds to one


def _polynomial(coefficients: list[float], x: jax.Array) -> jax.Array:
    value = jnp.full_like(x, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        value = value * x + coefficient
    return value


def _bits(x: jax.Array) -> jax.Array:
    return jax.lax.bitcast_convert_type(x, jnp.int64)


def _double(bits: jax.Array) -> jax.Array:
    return jax.lax.bitcast_convert_type(bits, jnp.float64)


def exp_of_negative(x: jax.Array) -> jax.Array:
    """exp(x) for x <= 0 (and up to 700); the smallest normal number where it would be less."""
    x = jnp.maximum(x, _SMALLEST)
    n = jnp.round(x * (1.0 / math.log(2.0)))
    rest = (x - n * _LN2_HIGH) - n * _LN2_LOW
    return _polynomial(_EXPONENTS, rest) * _double((_bits(n + _SHIFTER) + 1023) << 52)


def log_of_positive(x: jax.Array) -> jax.Array:
    """log(x) of normal positive doubles: 2 atanh((m-1)/(m+1)) + n log 2 with x = m 2^n."""
    bits = _bits(x)
    shifted = jax.lax.shift_right_logical(bits - _ROOT_HALF + _ONE, np.int64(52))  # n + 1023
    m = _double(bits - (shifted << 52) + _ONE)
    n = _double(shifted | _WHOLE) - (2.0**52 + 1023.0)
    f = (m - 1.0) / (m + 1.0)
    s = f * f
    return n * _LN2_HIGH + (f * _polynomial(_ATANH, s) + n * _LN2_LOW)


def log_of_single(x: jax.Array) -> jax.Array:
    """The same of normal positive numbers in single precision."""
    bits = jax.lax.bitcast_convert_type(x, jnp.int32) - _ROOT_HALF_OF_SINGLE
    n = jax.lax.shift_right_arithmetic(bits, np.int32(23))
    left = jax.lax.bitcast_convert_type(x, jnp.int32) - (n << 23)
    m = jax.lax.bitcast_convert_type(left, jnp.float32)
    f = (m - 1) / (m + 1)
    s = f * f
    series = jnp.full_like(s, _ATANH[4])
    for coefficient in reversed(_ATANH[:4]):
        series = series * s + np.float32(coefficient)
    return n.astype(jnp.float32) * np.float32(math.log(2.0)) + f * series


@jax.custom_jvp
def erf(x: jax.Array) -> jax.Array:
    """The error function."""
    size = jnp.minimum(jnp.abs(x), _ONE_FROM)
    shifted = size + 3.0
    value = _erf_of_size(size, shifted, exp_of_negative(-size * size))
    # a division at the end: XLA computes one only once, but arithmetic again for each that needs it
    return jnp.where(jnp.isnan(x), x, jnp.copysign(value, x)) * shifted / shifted


@jax.custom_jvp
def erf_beside(x: jax.Array, decay: jax.Array) -> jax.Array:
    """The error function where `decay`, exp(-x^2), is known."""
    size = jnp.minimum(jnp.abs(x), _ONE_FROM)
    return jnp.copysign(_erf_of_size(size, size + 3.0, decay), x)


@erf_beside.defjvp
def _(primals: _Pair, tangents: _Pair) -> _Pair:
    (x, decay), (dx, _) = primals, tangents
    return erf_beside(x, decay), (2.0 / math.sqrt(math.pi)) * decay * dx


def _erf_of_size(size: jax.Array, shifted: jax.Array, decay: jax.Array) -> jax.Array:
    tail = decay * _polynomial(_ERF_FAR, _FAR[0] + _FAR[1] / shifted)
    near = size * _polynomial(_ERF_NEAR, jnp.minimum(size * size, 1.0))
    return jnp.where(size < 1.0, near, 1.0 - tail)


@erf.defjvp
def _(primals: tuple[jax.Array], tangents: tuple[jax.Array]) -> _Pair:
    (x,), (dx,) = primals, tangents
    return erf(x), (2.0 / math.sqrt(math.pi)) * jnp.exp(-x * x) * dx
