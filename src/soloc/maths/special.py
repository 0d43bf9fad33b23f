"""Special functions of the closed forms, written so that nothing cancels."""

import operator
from collections.abc import Callable
from functools import wraps

import jax
import numpy as np

from soloc.maths.engine import JAX, Array, engine_of

TWO_OVER_ROOT_PI = 2.0 / np.sqrt(np.pi)
_LONG, _SHORT = np.polynomial.legendre.leggauss(32), np.polynomial.legendre.leggauss(8)
_NEGLIGIBLE = 46.0  # exp(-46) is below the rounding of a sum of order one


def with_slopes(
    slopes: Callable[[Array, Array], tuple[Array, Array]],
) -> Callable[[Callable[[Array, Array], Array]], Callable[[Array, Array], Array]]:
    """A function of two numbers whose partial derivatives JAX takes from `slopes`."""

    def decorate(function: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
        traced = jax.custom_jvp(function)

        @traced.defjvp
        def _(primals: tuple[Array, Array], tangents: tuple[Array, Array]) -> tuple[Array, Array]:
            along_first, along_second = slopes(*primals)
            return traced(*primals), along_first * tangents[0] + along_second * tangents[1]

        @wraps(function)
        def call(x: Array, g: Array) -> Array:
            return (traced if engine_of(x, g) is JAX else function)(x, g)

        return call

    return decorate


def erf_slope(x: Array) -> Array:
    """erf'(x) = 2 exp(-x^2) / sqrt(pi)."""
    return TWO_OVER_ROOT_PI * engine_of(x).xp.exp(-x * x)


def contraction(g: Array) -> Array:
    """a(g) = 1 / sqrt(1 + 4 g^2), the second argument of Owen's T in E[erf(mean + g G)^2]."""
    return 1.0 / engine_of(g).xp.sqrt(1.0 + 4.0 * g * g)


def _gap(g: Array) -> Array:
    """1 - a(g) without cancellation at small g."""
    a = contraction(g)
    return 4.0 * g * g * a * a / (1.0 + a)


def _summed(
    rule: tuple[np.ndarray, np.ndarray],
    terms: Callable[[Array, Array], tuple[Array, ...]],
    like: Array,
) -> tuple[Array, ...]:
    """Sums of terms(node, weight) over a rule: by NumPy all nodes at once, by JAX one by one, which
    it fuses.
    """
    if engine_of(like) is not JAX:
        nodes, weights = (each.reshape(-1, *[1] * np.ndim(like)) for each in rule)
        return tuple(term.sum(axis=0) for term in terms(nodes, weights))
    first, *others = (terms(node, weight) for node, weight in zip(*rule, strict=True))
    for other in others:
        first = tuple(map(operator.add, first, other))
    return first


def _increment_slopes(x: Array, g: Array) -> tuple[Array, Array]:
    a = contraction(g)
    inner = erf_slope(a * x)
    return erf_slope(x) - a * inner, inner * x * 4.0 * g * a**3


@with_slopes(_increment_slopes)
def erf_increment(x: Array, g: Array) -> Array:
    """erf(x) - erf(a(g) x) to full relative precision, for every x and g."""
    engine = engine_of(x, g)
    xp = engine.xp
    size = xp.abs(x)
    gap, a = _gap(g), contraction(g)
    step = size * gap
    middle = size - 0.5 * step
    (near,) = _summed(
        _SHORT,
        lambda node, weight: (weight * erf_slope(middle + 0.5 * node * step),),
        middle,
    )
    near = 0.5 * step * near
    inner = size * a
    far = xp.where(
        inner < 0.5, engine.erf(size) - engine.erf(inner), engine.erfc(inner) - engine.erfc(size)
    )
    is_near = step * (1.0 + 2.0 * size) < 0.6
    return xp.sign(x) * xp.where(is_near, near, far)


def scaled_variance_integral(x: Array, g: Array) -> tuple[Array, Array]:
    """I_0 and I_1 = int_0^{1-a} exp(-x^2 (2 a y + y^2)) / (1 + (a+y)^2)^j dy for j = 0 and 1.

    Var erf = (4/pi) exp(-x^2 (1+a^2)) I_1 and erf(x) - erf(a x) = (2x/sqrt(pi)) exp(-a^2 x^2) I_0.
    The integrand is positive and cut where it is negligible, so both keep full relative precision
    for every x.
    """
    xp = engine_of(x, g).xp
    a, gap = contraction(g), _gap(g)
    square = x * x
    reach = _NEGLIGIBLE / (square * a + xp.sqrt(square * (square * a * a + _NEGLIGIBLE)))
    end = xp.minimum(gap, reach)

    def terms(node: Array, weight: Array) -> tuple[Array, Array]:
        y = 0.5 * (1.0 + node) * end
        mass = weight * xp.exp(-square * y * (2.0 * a + y))
        return mass, mass / (1.0 + (a + y) ** 2)

    plain, divided = _summed(_LONG, terms, end)
    return 0.5 * end * plain, 0.5 * end * divided


def _variance_slopes(x: Array, g: Array) -> tuple[Array, Array]:
    xp, a = engine_of(x, g).xp, contraction(g)
    slope_in_g = (16.0 / np.pi) * g * a**3 * xp.exp(-x * x * (1.0 + a * a)) / (1.0 + a * a)
    return -2.0 * erf_slope(x) * erf_increment(x, g), slope_in_g


@with_slopes(_variance_slopes)
def erf_variance(x: Array, g: Array) -> Array:
    """Var erf(x sqrt(1+2g^2) + g G), G standard normal: 8 T(sqrt2 x, 1) - 8 T(sqrt2 x, a(g)).

    Written as one positive integral, so it is exact to rounding where 1 - 8 T - erf(x)^2 has no
    digit left. Its derivatives are closed forms: no gradient touches the quadrature.
    """
    a = contraction(g)
    return (
        (4.0 / np.pi)
        * engine_of(x, g).xp.exp(-x * x * (1.0 + a * a))
        * scaled_variance_integral(x, g)[1]
    )


def erfcx_of_large(x: Array) -> Array:
    """exp(x^2) erfc(x) for x >= 10, by its series: (1 - 1/2x^2 + 3/4x^4 - ...) / (x sqrt(pi))."""
    z = 0.5 / (x * x)
    series = engine_of(x).xp.ones_like(x)
    for odd in (15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0):
        series = 1.0 - odd * z * series
    return series / (x * np.sqrt(np.pi))


def wright_omega(x: Array) -> Array:
    """The solution z of z + log z = x, to 1e-14 of its size."""
    xp = engine_of(x).xp
    small = xp.exp(xp.clip(x, -700.0, 1.0))
    z = xp.where(x > 1.0, x - xp.log(xp.maximum(x, 1.0)), small / (1.0 + small))
    for _ in range(4):
        z = z * (1.0 + x - xp.log(z)) / (1.0 + z)
    return xp.where(x < -36.0, small, z)
