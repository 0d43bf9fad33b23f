"""Learning curves of attention trained on n sequences [replica]: least squares with ridge.

    min over (k, v) of  sum_i (Y_i - sigma(X_i k)' X_i v)^2 / 2 + d (rho_k |k|^2 + rho_v |v|^2) / 2

As n, d grow, its minimum is described by m_k = k.k*, m_v = v.v*, q_k = |k|^2, q_v = |v|^2 and the
susceptibilities V_k, V_v, which solve the six equations of `_update`. Their means over sequences
are taken over scrambled Sobol points, the same in every iteration; `fields` solves the problem of
one sequence.
"""

from dataclasses import replace
from functools import cache
from typing import Any, Literal, NamedTuple

import jax
import numpy as np
import pandas as pd
from scipy.special import ndtri

from soloc.learning.fields import Fields, Sequence, solve_sequences
from soloc.learning.regime import Regime, ratios_of, regime_of
from soloc.maths.numbers import check_count, check_real
from soloc.tasks.single_location import SingleLocation

LONGEST = 8
_START = np.array([1.0, 0.8, 1.5, 1.0, 0.5, 0.5])
_DAMPING = 0.3
_TOLERANCE = 1e-4  # the argmin jumps at some points, so that finitely many settle no better
_ITERATIONS = 100
_SWEEP_EVERY = 8  # iterations after which all starts of the argmin are tried again
_RIDGES = (0.05, 30.0)  # between which the best is sought; below, the equations are untested
_RIDGE_FACTOR = 0.15  # of its logarithm: the minimum is flat
_SEARCH = 4  # times fewer points serve that search


class Order(NamedTuple):
    """Order parameters of the minimum."""

    m_k: float
    m_v: float
    q_k: float
    q_v: float
    V_k: float
    V_v: float


class Solved(NamedTuple):
    """Order parameters, the errors that they mean, and whether the iteration settled."""

    order: Order
    risk: float
    training: float
    mass: float
    settled: bool


def erm_curve(
    task: SingleLocation,
    weight: Any,
    ratios: Any,
    ridge: float | tuple[float, float] | Literal["best"] = 0.1,
    points: int = 4096,
) -> pd.DataFrame:
    """Errors of attention trained by least squares with ridge against n/d; for L <= 8.

    Parameters
    ----------
    weight : any weight whose value does not depend on the position; its lam is absorbed in |k|.
    ridge : rho for key and value, a pair (rho_k, rho_v), or "best" for the common rho of least test
        risk at each ratio.
    points : Sobol points of each of two scrambles; what they differ by is the column `error`.

    Returns
    -------
    One row per ratio: `samples_per_dimension`, the overlaps `m_k`, `m_v`, `q_k`, `q_v`, the test
    `risk` with the `error` of its quadrature, the `training` error, the attention `mass` on the
    decisive token, `ridge_k`, `ridge_v` and `settled`. Replica symmetry is assumed: at small
    ridges there are several minima and the curve may be wrong, see docs/learning.md.
    """
    regime, wanted = regime_of(task), ratios_of(ratios)
    _check_kind(regime, weight)
    check_count("points", points, 64)
    if np.any(~np.isfinite(wanted) | (wanted <= 0.0)):
        raise ValueError(f"`ratios` must be positive finite numbers for erm_curve, got {ratios}.")
    pair = None if isinstance(ridge, str) else _pair(ridge)
    if pair is None and ridge != "best":
        raise ValueError(f"`ridge` must be a number, a pair of numbers or 'best', got {ridge!r}.")
    weight = replace(weight, lam=1.0)
    rows: dict[float, dict[str, Any]] = {}
    starts: list[Order | None] = [None, None]
    for ratio in sorted(set(wanted), reverse=True):  # from much data, where the minimum is one
        problems = [_Problem(regime, weight, ratio, points, scramble) for scramble in (0, 1)]
        if pair is None:
            found_pair = _best_ridge(problems[0], starts[0])
        else:
            found_pair = pair
        found = [
            problem.solve(found_pair, start)
            for problem, start in zip(problems, starts, strict=True)
        ]
        starts = [one.order for one in found]
        rows[ratio] = _row(ratio, found_pair, found)
    return pd.DataFrame([rows[ratio] for ratio in wanted])


def _row(ratio: float, ridge: tuple[float, float], found: list[Solved]) -> dict[str, Any]:
    def mean(values: list[float]) -> float:
        return float(np.mean(values))

    return {
        "samples_per_dimension": ratio,
        **{name: mean([getattr(one.order, name) for one in found]) for name in Order._fields[:4]},
        "risk": mean([one.risk for one in found]),
        "error": 0.5 * abs(found[0].risk - found[1].risk),
        "training": mean([one.training for one in found]),
        "mass": mean([one.mass for one in found]),
        "ridge_k": ridge[0],
        "ridge_v": ridge[1],
        "settled": all(one.settled for one in found),
    }


class _Problem(NamedTuple):
    """The equations at one ratio on one set of points."""

    regime: Regime
    weight: Any
    ratio: float
    points: int
    scramble: int

    def solve(self, ridge: tuple[float, float], start: Order | None = None) -> Solved:
        """Damped iteration from a start to the fixed point."""
        order = _START if start is None else np.array(start)
        normals = _normals(self.points, self.regime.L, self.scramble)
        guess = None
        for count in range(_ITERATIONS):
            sequence = _sequence(self.regime, Order(*order), normals)
            fields = solve_sequences(
                self.weight,
                sequence,
                order[4],
                order[5],
                guess=None if guess is None else guess + sequence.w,
                sweep=count % _SWEEP_EVERY == 0,
            )
            guess = fields.chi - sequence.w
            new = self._update(Order(*order), sequence, fields, ridge)
            change = np.max(np.abs(new - order) / (0.1 + np.abs(order)))
            order = order + (1.0 - _DAMPING) * (new - order)
            if change < _TOLERANCE:
                break
        return self._solved(Order(*map(float, order)), normals, fields, change)

    def _update(self, o: Order, s: Sequence, f: Fields, ridge: tuple[float, float]) -> np.ndarray:
        """One step of the six equations; derivatives by Gaussian integration by parts."""
        alpha, g2 = self.ratio, s.spread**2
        qhat_k = alpha * np.mean(np.sum(g2 * f.g**2, axis=1))
        mhat_k = alpha * self.regime.signal * np.mean(f.g[:, 0])
        Vhat_k = -alpha * np.mean(np.sum((s.w - s.w_mean) * f.g, axis=1)) / o.q_k
        qhat_v = alpha * np.mean(np.sum(g2 * f.h**2, axis=1))
        mhat_v = alpha * self.regime.gamma**2 * np.mean(f.h[:, 0] * s.xi) / s.noise
        Vhat_v = (o.m_v * mhat_v - alpha * np.mean(np.sum(s.z * f.h, axis=1))) / o.q_v
        V = 1.0 / (np.array(ridge) + np.maximum([Vhat_k, Vhat_v], 0.0))
        mhat, qhat = np.array([mhat_k, mhat_v]), np.array([qhat_k, qhat_v])
        return np.concatenate([mhat * V, V**2 * (mhat**2 + qhat), V])

    def _solved(self, o: Order, normals: np.ndarray, f: Fields, change: float) -> Solved:
        regime = self.regime
        s = _sequence(regime, o, normals)
        p = np.asarray(_weights(self.weight)(s.w))
        mass = float(np.mean(p[:, 0]))
        spread = float(np.mean(np.sum(s.spread**2 * p**2, axis=1)))
        g2 = regime.gamma**2
        risk = regime.eps**2 + g2 - 2.0 * o.m_v * g2 * mass + o.q_v * spread
        settled = bool(change < _TOLERANCE)
        return Solved(o, risk, float(np.mean(f.residual**2)), mass, settled)


@cache
def _weights(weight: Any) -> Any:
    return jax.jit(lambda scores: weight(scores))


@cache
def _normals(points: int, L: int, scramble: int) -> np.ndarray:
    """Scrambled Sobol points as standard normals: scores, values and the noise of a sequence."""
    from scipy.stats import qmc  # here: it takes half a second, which the lab would wait for

    sobol = qmc.Sobol(2 * L + 1, rng=np.random.default_rng([L, scramble]))
    return ndtri(np.clip(sobol.random(points), 1e-12, 1.0 - 1e-12))


def _sequence(regime: Regime, o: Order, normals: np.ndarray) -> Sequence:
    """Fields of sequences whose decisive token is the first."""
    L = regime.L
    spread, w_mean = np.ones(L), np.zeros(L)
    spread[0], w_mean[0] = regime.gamma, regime.signal * o.m_k
    G, xi = normals[:, L : 2 * L], normals[:, -1]
    aligned = min(o.m_v / np.sqrt(o.q_v), 1.0)
    noise = np.sqrt(regime.eps**2 + regime.gamma**2 * max(1.0 - aligned**2, 1e-9))
    return Sequence(
        w=w_mean + spread * np.sqrt(o.q_k) * normals[:, :L],
        z=spread * np.sqrt(o.q_v) * G,
        y=regime.gamma * aligned * G[:, 0] + noise * xi,
        w_mean=w_mean,
        spread=spread,
        xi=xi,
        noise=float(noise),
    )


def _best_ridge(problem: _Problem, start: Order | None) -> tuple[float, float]:
    """The common ridge of least test risk."""
    from scipy.optimize import minimize_scalar  # here: importing it takes long

    problem = problem._replace(points=max(problem.points // _SEARCH, 256))
    order = start

    def risk(log_ridge: float) -> float:
        nonlocal order
        rho = float(np.exp(log_ridge))
        solved = problem.solve((rho, rho), order)
        order = solved.order
        return solved.risk

    found = minimize_scalar(
        risk, bounds=np.log(_RIDGES), method="bounded", options={"xatol": _RIDGE_FACTOR}
    )
    best = float(np.exp(found.x))
    return best, best


def _pair(ridge: Any) -> tuple[float, float]:
    values = np.broadcast_to(np.asarray(ridge, dtype=float), 2) if np.ndim(ridge) == 0 else ridge
    if len(values) != 2:
        raise ValueError(f"`ridge` must be a number or a pair (rho_k, rho_v), got {ridge}.")
    for value in values:
        check_real("ridge", float(value), "a positive number, or a pair of them", 0.0, above=True)
    return float(values[0]), float(values[1])


def _check_kind(regime: Regime, weight: Any) -> None:
    if regime.L > LONGEST:
        raise ValueError(
            f"`L` must be at most {LONGEST} for erm_curve, whose problem of one sequence has L"
            f" unknowns, got {regime.L}; bayes_curve takes any length."
        )
    if not getattr(weight, "position_free", False):
        raise ValueError(
            f"`weight` must not depend on the position of a token, got {type(weight).__name__}."
        )
