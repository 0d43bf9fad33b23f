"""Questions that a sweep can ask at every point of a grid: each a function of plain numbers."""

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from soloc.closest import did_you_mean
from soloc.datasets.single_location import single_location_law
from soloc.dynamics.pieces import Diverged
from soloc.dynamics.population_path import population_path
from soloc.dynamics.starts import uniform_on_manifold, uniform_on_sphere
from soloc.estimators.regressor import SingleLocationRegressor
from soloc.maths.randomness import generator
from soloc.predictors import catalogue
from soloc.risk.baselines import bayes_risk, linear_risk, null_risk
from soloc.risk.best_temperature import best_temperature as best_over_lam
from soloc.risk.overlaps import NAMES, Overlaps
from soloc.risk.population import excess_risk, population_risk
from soloc.tasks.single_location import SingleLocation

TRUTH = Overlaps(1.0, 1.0)
HALF = 0.5**0.5
REACHED = 0.9  # |kappa| and |nu| beyond which a run has found the solution
STARTS = {"sphere": uniform_on_sphere, "manifold": uniform_on_manifold}
_TEST_BAGS = 2000


def risk(
    attention: str = "erf",
    lam: float = 1.0,
    d: int = 400,
    L: int = 10,
    gamma: float = HALF,
    eps: float = 0.0,
    signal: float | None = None,
    kappa: float = 1.0,
    nu: float = 1.0,
    theta: float = 0.0,
    eta: float = 0.0,
    rho: float = 0.0,
) -> dict[str, float]:
    """The exact risk of a predictor, beside Bayes, linear and null."""
    task = SingleLocation(d=d, L=L, gamma=gamma, eps=eps, signal=signal)
    weight = _exact(attention).kind(lam)
    found = population_risk(task, weight, Overlaps(kappa, nu, theta, eta, rho))
    return {
        "risk": float(found),
        "bayes": float(bayes_risk(task)),
        "linear": float(linear_risk(task)),
        "null": float(null_risk(task)),
    }


def best_temperature(
    attention: str = "erf",
    d: int = 400,
    L: int = 10,
    gamma: float = HALF,
    eps: float = 0.0,
    signal: float | None = None,
) -> dict[str, float]:
    """The inverse temperature at which a weight at the truth does best, and its excess risk."""
    task = SingleLocation(d=d, L=L, gamma=gamma, eps=eps, signal=signal)
    entry = _exact(attention)
    found = best_over_lam(
        lambda lam: np.asarray(excess_risk(task, entry.at(lam, L), TRUTH)),
        1e-3,
        entry.highest_lam,
    )
    bayes = float(bayes_risk(task)) - eps**2
    return {"best_lam": float(found.lam[0]), "excess": float(found.value[0]), "bayes": bayes}


def success(
    attention: str = "erf",
    lam: float = 0.1,
    d: int = 400,
    L: int = 10,
    gamma: float = HALF,
    eps: float = 0.0,
    signal: float | None = None,
    start: str = "sphere",
    starts: int = 25,
    steps: int = 20_000,
    step_size: float = 4e-3,
    *,
    key: jax.Array,
) -> dict[str, float]:
    """The share of random starts from which training finds the solution: |kappa|, |nu| > .9.

    A run that diverges finds nothing; `diverged` is their share.
    """
    where = _starts(start, d, starts, key)
    setting = attention, lam, d, L, gamma, eps, signal
    left, found = np.arange(starts), np.zeros(0, bool)
    while len(left):  # the others, without those that diverge
        some = Overlaps(*(np.asarray(getattr(where, name))[left] for name in NAMES))
        try:
            found = _reached(_trained(*setting, some, steps, step_size))
            break
        except Diverged as lost:
            left = np.delete(left, lost.runs)
    return {"share": float(np.sum(found)) / starts, "diverged": (starts - len(left)) / starts}


def end_of_training(
    attention: str = "erf",
    lam: float = 0.1,
    d: int = 400,
    L: int = 10,
    gamma: float = HALF,
    eps: float = 0.0,
    signal: float | None = None,
    start: str = "sphere",
    steps: int = 20_000,
    step_size: float = 4e-3,
    run: int = 0,
    *,
    key: jax.Array,
) -> dict[str, float]:
    """Where training ends from one random start; `run` numbers the starts."""
    where = _starts(start, d, 1, key)
    end = _trained(attention, lam, d, L, gamma, eps, signal, where, steps, step_size)
    task = SingleLocation(d=d, L=L, gamma=gamma, eps=eps, signal=signal)
    overlaps = {name: float(getattr(end, name)[0]) for name in NAMES}
    left = excess_risk(task, _exact(attention).kind(lam), Overlaps(**overlaps))
    return {**overlaps, "excess": float(left)}


def learning_curve(
    n: int,
    d: int = 50,
    L: int = 10,
    signal: float = 5.0,
    gamma: float = 1.0,
    eps: float = 0.3,
    run: int = 0,
    *,
    key: jax.Array,
) -> dict[str, float]:
    """The risk of a fit on `n` generated bags, beside Bayes and null; `run` numbers the sets."""
    train, test, law = _bags(n, d, L, signal, gamma, eps, key)
    model = SingleLocationRegressor(random_state=0).fit(train.bags, train.labels)
    best, _ = law.bayes(test.bags)
    return {
        "risk": float(np.mean((model.predict(test.bags) - test.labels) ** 2)),
        "bayes": float(np.mean((best - test.labels) ** 2)),
        "null": float(np.mean(test.labels**2)),
    }


def fit_scores(
    n: int,
    d: int = 50,
    L: int = 10,
    signal: float = 5.0,
    gamma: float = 1.0,
    eps: float = 0.3,
    loss: str = "likelihood",
    run: int = 0,
    *,
    key: jax.Array,
) -> dict[str, float]:
    """R^2 on new bags and the share whose decisive instance is found; `run` numbers the sets."""
    train, test, _ = _bags(n, d, L, signal, gamma, eps, key)
    model = SingleLocationRegressor(loss=loss, random_state=0).fit(train.bags, train.labels)
    return {
        "score": float(model.score(test.bags, test.labels)),
        "located": float(np.mean(model.locate(test.bags) == test.locations)),
    }


QUESTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (risk, best_temperature, success, end_of_training, learning_curve, fit_scores)
}


def find(name: str) -> Callable[..., Any]:
    """The question of that name; a wrong one is answered with the closest and the list."""
    if name in QUESTIONS:
        return QUESTIONS[name]
    hint = did_you_mean(name, QUESTIONS)
    raise ValueError(f"`question` must be one of {', '.join(QUESTIONS)}; got {name!r}.{hint}")


def _exact(attention: str) -> catalogue.Entry:
    entry = catalogue.find(attention)
    if not entry.exact:
        exact = ", ".join(name for name, known in catalogue.WEIGHTS.items() if known.exact)
        raise ValueError(
            f"`attention` must be one whose risk is exact, {exact}; got {attention!r}."
        )
    return entry


def _starts(start: str, d: int, starts: int, key: jax.Array) -> Overlaps:
    if start not in STARTS:
        raise ValueError(f"`start` must be one of {', '.join(STARTS)}; got {start!r}.")
    return STARTS[start](d, starts, key)


def _reached(end: Overlaps) -> np.ndarray:
    return (np.abs(end.kappa) > REACHED) & (np.abs(end.nu) > REACHED)


def _trained(
    attention: str,
    lam: float,
    d: int,
    L: int,
    gamma: float,
    eps: float,
    signal: float | None,
    start: Overlaps,
    steps: int,
    step_size: float,
) -> Overlaps:
    task = SingleLocation(d=d, L=L, gamma=gamma, eps=eps, signal=signal)
    return population_path(
        task,
        _exact(attention).kind(lam),
        start,
        steps=steps,
        step_size=step_size,
        every=steps,
    ).final


def _bags(
    n: int, d: int, L: int, signal: float, gamma: float, eps: float, key: jax.Array
) -> tuple[Any, Any, Any]:
    """Bags to fit, bags to try, and their law."""
    seeds = generator(key).integers(2**31, size=3).tolist()
    law = single_location_law(d, signal, eps, gamma, background=0.0, random_state=seeds[0])
    train, test = (
        law.sample(n, L, random_state=seeds[1]),
        law.sample(_TEST_BAGS, L, random_state=seeds[2]),
    )
    return train, test, law
