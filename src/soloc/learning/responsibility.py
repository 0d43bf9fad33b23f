"""How surely the decisive token is found when key and value are known in part, at any length.

With a^2 = m^2 q_k (how well scores locate) and s^2 = q_v / tau (how well the answer locates),

    r_J = e^{x_J} / sum_l e^{x_l}
    x_J = a^2 + a g_J - xi^2/2,   x_l = a g_l - (s G_J + xi - s G_l)^2/2

and g, G, xi standard normal. Given y = s G_J + xi the tokens are independent, so that
1/S = int e^{-tS} dt, with u = log t + a^2, turns the mean over L tokens into a power:

    E[r_J f(xi)] = E_y int E[f(xi) M'(u - xi^2/2) | y] B(u|y)^{L-1} du
    1 - B(u|y) = E_G[M(u - a^2 - (y - sG)^2/2)],   M(x) = E_g[1 - exp(-e^{x + ag})]

Every sum is a trapezoid or Gauss-Hermite rule of an analytic function; together they are precise
to 1e-10 and cost a few milliseconds whatever L. (Gauss-Hermite in y would lose digits where both s
and L are large: B^{L-1} then turns from 0 to 1 within a fraction of the spread of y.)
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.polynomial.hermite_e import hermegauss

_STEP = 0.375  # of u, where the sharpest function is exp(u - e^u)
_FINER = 3  # points of the table of M between two values of u
_POINTS = 8  # of the table through which M is interpolated
_SQUARE_STEP = 0.2  # of xi and of y - s G, which enter by their squares
_NORMAL_STEP = 0.2  # of y, in its standard deviations
_G_NODES, _NARROW_NODES = 40, 10
_NARROW = 0.05  # below this width a normal law is too narrow for a grid
_NEGLIGIBLE = 33.0  # minus the logarithm of a probability that no longer counts
_CERTAIN = 500.0  # a^2 beyond which the decisive score exceeds all others, up to L = 10^20
_REACH = 8.2  # standard deviations at which a normal variable no longer counts


class Responsibility(NamedTuple):
    """E[r_J] and E[r_J xi^2]."""

    mean: float
    with_square: float


class _Squares(NamedTuple):
    """A rule for functions of x^2 where x is normal given y."""

    half_squares: np.ndarray  #: (nodes,) or (y, nodes)
    weights: np.ndarray  #: (y, nodes)

    def mean(self, values: np.ndarray) -> np.ndarray:
        """(y, u) from values at the nodes, (nodes, u) or (y, nodes, u)."""
        if values.ndim == 2:
            return self.weights @ values
        return np.matmul(self.weights[:, None, :], values)[:, 0]


class _Rules(NamedTuple):
    """Everything that is summed over, for one (a^2, s^2, L)."""

    u: np.ndarray
    step: float
    y_weights: np.ndarray
    xi: _Squares
    missed: np.ndarray  #: 1 - B, (y, u)
    table: "_Table"


def responsibility(a2: float, s2: float, L: float) -> Responsibility:
    """E[r_J] and E[r_J xi^2] (F1 and F2), to 1e-10."""
    if a2 > _CERTAIN:
        return Responsibility(1.0, 1.0)
    rules = _rules(a2, s2, L)
    others = _power(rules.missed, L)
    at_signal = rules.table.rise(rules.u, rules.xi.half_squares)
    if at_signal.ndim == 2:
        inner = others @ at_signal.T
    else:
        inner = np.einsum("yxu,yu->yx", at_signal, others)
    by_node = rules.step * rules.y_weights[:, None] * rules.xi.weights * inner
    return Responsibility(
        float(by_node.sum()), float((by_node * 2.0 * rules.xi.half_squares).sum())
    )


def attention_on_decisive(a2: float, L: float) -> float:
    """F0 = E[r_J] when no answer helps (s = 0, xi = 0): the mass of softmax attention on J0."""
    if a2 > _CERTAIN:
        return 1.0
    u, step = _places(a2, L)
    table = _Table.of(a2, lowest=u[0] - a2, step=step, highest=u[-1])
    others = _power(table.value(u - a2, np.zeros(1)), L)
    return float(step * np.sum(table.rise(u, np.zeros(1)) * others))


def mean_log_sum(a2: float, s2: float, L: float) -> float:
    """E[log sum_l e^{x_l}], by log S = int (e^{-e^u} - e^{-S e^u}) du."""
    if a2 > _CERTAIN:
        return a2 - 0.5
    rules = _rules(a2, s2, L)
    signal = rules.xi.mean(1.0 - rules.table.value(rules.u, rules.xi.half_squares))
    both = rules.y_weights @ (signal * _power(rules.missed, L))
    alone = 1.0 - rules.table.value(rules.u, np.zeros(1))[0]  # in place of exp(-e^u): E[a g] = 0
    return a2 + float(rules.step * np.sum(alone - both))


def _power(missed: np.ndarray, L: float) -> np.ndarray:
    """B^(L-1) without the rounding of B."""
    return np.exp((L - 1.0) * np.log1p(-np.minimum(missed, 1.0 - 1e-16)))


def _places(a2: float, L: float) -> tuple[np.ndarray, float]:
    """Values of u beyond which nothing counts; wider laws of scores need fewer of them."""
    a = np.sqrt(a2)
    step = _STEP * np.clip(a / 6.0, 1.0, 2.8)
    reach = _NEGLIGIBLE + min(0.5 * a2, _REACH * a)
    down = int(np.ceil((reach + np.log(L)) / step))
    return step * np.arange(-down, int(np.ceil(reach / step)) + 1), step


def _rules(a2: float, s2: float, L: float) -> _Rules:
    u, step = _places(a2, L)
    s = np.sqrt(s2)
    nodes, y_weights = _half_normal()
    y = np.sqrt(1.0 + s2) * nodes
    farthest = np.sqrt(2.0 * (u[-1] + _NEGLIGIBLE + np.log(L) + _REACH * np.sqrt(a2)))
    xi = _squares(y / (1.0 + s2), s / np.sqrt(1.0 + s2), _REACH)
    other = _squares(y, s, farthest)
    lowest = u[0] - max(xi.half_squares.max(), a2 + other.half_squares.max())
    table = _Table.of(a2, lowest, step, u[-1])
    missed = other.mean(table.value(u - a2, other.half_squares))
    return _Rules(u, step, y_weights, xi, missed, table)


def _squares(centres: np.ndarray, width: float, farthest: float) -> _Squares:
    """A rule for x ~ N(centre, width^2), one row for every centre."""
    if width < _NARROW:
        nodes, weights = _normal(_NARROW_NODES)
        around = centres[:, None] + width * nodes
        return _Squares(0.5 * around**2, np.broadcast_to(weights, around.shape))
    step = min(_SQUARE_STEP, width / 1.3)
    x = step * np.arange(int(farthest / step) + 2)
    away = [(x + side * centres[:, None]) / width for side in (-1.0, 1.0)]
    bells = np.exp(-0.5 * away[0] ** 2) + np.exp(-0.5 * away[1] ** 2)
    bells[:, 0] *= 0.5  # x and -x share a square, 0 is alone
    return _Squares(0.5 * x**2, step / (width * np.sqrt(2.0 * np.pi)) * bells)


@cache
def _normal(count: int) -> tuple[np.ndarray, np.ndarray]:
    nodes, weights = hermegauss(count)
    return nodes, weights / weights.sum()


@cache
def _half_normal() -> tuple[np.ndarray, np.ndarray]:
    """A rule for even functions of a standard normal variable."""
    nodes = _NORMAL_STEP * np.arange(int(_REACH / _NORMAL_STEP) + 2)
    weights = 2.0 * _NORMAL_STEP * np.exp(-0.5 * nodes**2) / np.sqrt(2.0 * np.pi)
    weights[0] *= 0.5
    return nodes, weights


class _Table(NamedTuple):
    """M and M' at equal distances; between them polynomials through the nearest points."""

    lowest: float
    spacing: float
    values: np.ndarray
    slopes: np.ndarray

    @staticmethod
    def of(a2: float, lowest: float, step: float, highest: float) -> "_Table":
        spacing, margin = step / _FINER, _POINTS
        low = lowest - margin * spacing
        count = int(np.ceil((highest - low) / spacing)) + margin
        values, slopes = _smoothed(np.sqrt(a2), low, spacing, count)
        return _Table(low, spacing, values, slopes)

    def value(self, u: np.ndarray, lowered: np.ndarray) -> np.ndarray:
        """M(u - lowered): the axes of `lowered`, then that of u."""
        return self._at(self.values, u, lowered)

    def rise(self, u: np.ndarray, lowered: np.ndarray) -> np.ndarray:
        """M'(u - lowered)."""
        return self._at(self.slopes, u, lowered)

    def _at(self, table: np.ndarray, u: np.ndarray, lowered: np.ndarray) -> np.ndarray:
        """The values of u are `_FINER` points apart, so one set of coefficients serves them all."""
        place = (u[0] - lowered - self.lowest) / self.spacing
        first = np.floor(place).astype(int) - (_POINTS // 2 - 1)
        coefficients = _lagrange(place - first)
        from_each = sliding_window_view(table, _FINER * (u.size - 1) + 1)[:, ::_FINER]
        out = coefficients[..., 0, None] * from_each[first]
        for j in range(1, _POINTS):
            out += coefficients[..., j, None] * from_each[first + j]
        return out


def _smoothed(a: float, low: float, spacing: float, count: int) -> tuple[np.ndarray, np.ndarray]:
    """M and M' at low + spacing * (0, ..., count - 1): a Gumbel law convolved with N(0, a^2)."""
    if a < 3.0 * spacing:
        nodes, weights = _normal(_G_NODES)
        rate = _rates(low + spacing * np.arange(count)[:, None] + a * nodes)
        return -np.expm1(-rate) @ weights, (rate * np.exp(-rate)) @ weights
    reach = int(np.ceil(_REACH * a / spacing))
    bell = np.exp(-0.5 * (np.arange(-reach, reach + 1) * spacing / a) ** 2)
    bell /= bell.sum()
    rate = _rates(low + spacing * np.arange(-reach, count + reach))
    return (
        np.convolve(-np.expm1(-rate), bell, "valid"),
        np.convolve(rate * np.exp(-rate), bell, "valid"),
    )


def _rates(x: np.ndarray) -> np.ndarray:
    return np.exp(np.minimum(x, 6.6))  # beyond, exp(-e^x) is 0 in double precision


@cache
def _lagrange_scales() -> np.ndarray:
    j = np.arange(_POINTS)
    apart = j[:, None] - j + np.eye(_POINTS)
    return 1.0 / apart.prod(axis=1)


def _lagrange(place: np.ndarray) -> np.ndarray:
    """Coefficients of the values at 0, ..., _POINTS - 1 in the polynomial at `place`."""
    gaps = place[..., None] - np.arange(_POINTS)
    products = np.ones_like(gaps)
    for j in range(1, _POINTS):
        products[..., j:] *= gaps[..., j - 1 : j]
        products[..., : _POINTS - j] *= gaps[..., _POINTS - j : _POINTS - j + 1]
    return products * _lagrange_scales()
