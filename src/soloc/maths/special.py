"""Special functions of the closed forms, written so that nothing cancels."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import erf, erfc

from soloc.maths.engine import Array, engine_of

TWO_OVER_ROOT_PI = 2.0 / np.sqrt(np.pi)
_LONG_NODES, _LONG_WEIGHTS = np.polynomial.legendre.leggauss(32)
_SHORT_NODES, _SHORT_WEIGHTS = np.polynomial.legendre.leggauss(8)
_NEGLIGIBLE = 46.0  # exp(-46) is below the rounding of a sum of order one


def erf_slope(x: jax.Array) -> jax.Array:
    """erf'(x) = 2 exp(-x^2) / sqrt(pi)."""
    return TWO_OVER_ROOT_PI * jnp.exp(-x * x)


def contraction(g: jax.Array) -> jax.Array:
    """a(g) = 1 / sqrt(1 + 4 g^2), the second argument of Owen's T in E[erf(mean + g G)^2]."""
    return 1.0 / jnp.sqrt(1.0 + 4.0 * g * g)


def _gap(g: jax.Array) -> jax.Array:
    """1 - a(g) without cancellation at small g."""
    a = contraction(g)
    return 4.0 * g * g * a * a / (1.0 + a)


@jax.custom_jvp
def erf_increment(x: jax.Array, g: jax.Array) -> jax.Array:
    """erf(x) - erf(a(g) x) to full relative precision, for every x and g."""
    size = jnp.abs(x)
    gap, a = _gap(g), contraction(g)
    step = size * gap
    middle = size - 0.5 * step
    near = jnp.zeros_like(middle * g)
    for node, weight in zip(_SHORT_NODES, _SHORT_WEIGHTS, strict=True):
        near = near + weight * erf_slope(middle + 0.5 * node * step)
    near = 0.5 * step * near
    inner = size * a
    far = jnp.where(inner < 0.5, erf(size) - erf(inner), erfc(inner) - erfc(size))
    is_near = step * (1.0 + 2.0 * size) < 0.6
    return jnp.sign(x) * jnp.where(is_near, near, far)


@erf_increment.defjvp
def _erf_increment_jvp(primals, tangents):
    (x, g), (dx, dg) = primals, tangents
    a = contraction(g)
    inner = erf_slope(a * x)
    slope_in_x = erf_slope(x) - a * inner
    slope_in_g = inner * x * 4.0 * g * a**3
    return erf_increment(x, g), slope_in_x * dx + slope_in_g * dg


def scaled_variance_integral(x: jax.Array, g: jax.Array) -> tuple[jax.Array, jax.Array]:
    """I_0 and I_1 = int_0^{1-a} exp(-x^2 (2 a y + y^2)) / (1 + (a+y)^2)^j dy for j = 0 and 1.

    Var erf = (4/pi) exp(-x^2 (1+a^2)) I_1 and erf(x) - erf(a x) = (2x/sqrt(pi)) exp(-a^2 x^2) I_0. The integrand is positive and
    cut where it is negligible, so both keep full relative precision for every x.
    """
    a, gap = contraction(g), _gap(g)
    square = x * x
    reach = _NEGLIGIBLE / (square * a + jnp.sqrt(square * (square * a * a + _NEGLIGIBLE)))
    end = jnp.minimum(gap, reach)
    plain = jnp.zeros_like(end)
    divided = jnp.zeros_like(end)
    for node, weight in zip(_LONG_NODES, _LONG_WEIGHTS, strict=True):
        y = 0.5 * (1.0 + node) * end
        mass = weight * jnp.exp(-square * y * (2.0 * a + y))
        plain = plain + mass
        divided = divided + mass / (1.0 + (a + y) ** 2)
    return 0.5 * end * plain, 0.5 * end * divided


@jax.custom_jvp
def erf_variance(x: jax.Array, g: jax.Array) -> jax.Array:
    """Var erf(x sqrt(1+2g^2) + g G), G standard normal: 8 T(sqrt2 x, 1) - 8 T(sqrt2 x, a(g)) with Owen's T.

    Written as one positive integral, so it is exact to rounding where 1 - 8 T - erf(x)^2 has no digit left. Its derivatives are
    closed forms: no gradient touches the quadrature.
    """
    a = contraction(g)
    return (4.0 / np.pi) * jnp.exp(-x * x * (1.0 + a * a)) * scaled_variance_integral(x, g)[1]


@erf_variance.defjvp
def _erf_variance_jvp(primals, tangents):
    (x, g), (dx, dg) = primals, tangents
    a = contraction(g)
    slope_in_x = -2.0 * erf_slope(x) * erf_increment(x, g)
    slope_in_g = (16.0 / np.pi) * g * a**3 * jnp.exp(-x * x * (1.0 + a * a)) / (1.0 + a * a)
    return erf_variance(x, g), slope_in_x * dx + slope_in_g * dg


def erfcx_of_large(x: jax.Array) -> jax.Array:
    """exp(x^2) erfc(x) for x >= 10, by its asymptotic series: (1 - 1/2x^2 + 3/4x^4 - ...) / (x sqrt(pi))."""
    z = 0.5 / (x * x)
    series = jnp.ones_like(x)
    for odd in (15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0):
        series = 1.0 - odd * z * series
    return series / (x * np.sqrt(np.pi))


def wright_omega(x: Array) -> Array:
    """The solution z of z + log z = x, to about single precision: enough to place nodes."""
    xp = engine_of(x).xp
    small = xp.exp(xp.clip(x, -700.0, 1.0))
    z = xp.where(x > 1.0, x - xp.log(xp.maximum(x, 1.0)), small / (1.0 + small))
    for _ in range(2):
        z = z * (1.0 + x - xp.log(z)) / (1.0 + z)
    return xp.where(x < -30.0, small, z)
