"""Which attention? Every weight of the package at its best temperature against the Bayes risk."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import jax
import numpy as np
import pandas as pd

from soloc.experiments.experiment import Certificate, Experiment
from soloc.maths.randomness import derived_key, generator
from soloc.predictors.normalised import (
    CosineReweighted,
    Entmax15,
    HardMax,
    NormalisedReLU,
    NormalisedSigmoid,
    NormalisedSoftplus,
    Softmax,
    Sparsemax,
)
from soloc.predictors.pointwise import (
    Erf,
    Exponential,
    Linear,
    OnePlusErf,
    OnePlusLinear,
    ReLU,
    Sigmoid,
    Softplus,
    Tanh,
)
from soloc.risk.best_temperature import best_temperature
from soloc.risk.monte_carlo import monte_carlo_bayes_risk
from soloc.risk.overlaps import Overlaps
from soloc.risk.population import bayes_risk, excess_risk, linear_risk, null_risk
from soloc.tasks.single_location import SingleLocation

TRUTH = Overlaps(1.0, 1.0)
#: Weights with an exact risk, from lam and the length; those that do not vanish are divided by it,
#: as their papers do.
EXACT: dict[str, Callable[[Any, Any], Any]] = {
    "softmax": lambda lam, L: Softmax(lam),
    "erf": lambda lam, L: Erf(lam),
    "tanh": lambda lam, L: Tanh(lam),
    "sigmoid, shift log L": lambda lam, L: Sigmoid(lam, shift=np.log(L)),
    "linear": lambda lam, L: Linear(lam),
    "ReLU": lambda lam, L: ReLU(lam),
    "1 + linear, over L": lambda lam, L: OnePlusLinear(lam, per_length=True),
    "1 + erf, over L": lambda lam, L: OnePlusErf(lam, per_length=True),
    "softplus, over L": lambda lam, L: Softplus(lam, per_length=True),
    "exponential, over L": lambda lam, L: Exponential(lam, per_length=True),
}
#: Weights whose risk is simulated here, with its error.
SIMULATED: dict[str, Callable[[Any], Any]] = {
    "normalised softplus": NormalisedSoftplus,
    "normalised sigmoid": NormalisedSigmoid,
    "normalised ReLU": NormalisedReLU,
    "sparsemax": Sparsemax,
    "1.5-entmax": Entmax15,
    "cosine reweighted": CosineReweighted,
    "hard maximum": HardMax,
}
HIGHEST_LAM = {"exponential, over L": 1.5}  #: beyond, its risk exceeds the largest double
CHECK = "Bayes, simulated"  #: not a weight: the posterior mean itself, as a check
# beyond, misses are too rare to be seen in a simulation
LONGEST_SIMULATED, STRONGEST_SIMULATED = 30, 5.0


class Found(NamedTuple):
    """The best lam of every setting, the excess there with its error, and the gap to Bayes with its
    error.
    """

    lam: np.ndarray
    excess: np.ndarray
    error: np.ndarray
    gap: np.ndarray
    gap_error: np.ndarray


@dataclass(frozen=True)
class Config:
    """gamma = 1, where Bayes is softmax; `signal` and `length` are held while the other varies."""

    weights: tuple[str, ...] = (*EXACT, *SIMULATED, CHECK)
    signals: tuple[float, ...] = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0)
    lengths: tuple[int, ...] = (2, 5, 10, 30, 100, 1000)
    signal: float = 5.0
    length: int = 10
    shortest: int = 5
    longest: int = 15
    samples: int = 20_000
    seed: int = 0


def run(config: Config) -> pd.DataFrame:
    """One row per weight and setting: the best lam, the excess risk there, its error, and Bayes
    beside it.
    """
    known = (*EXACT, *SIMULATED, CHECK)
    unknown = [name for name in config.weights if name not in known]
    if unknown:
        raise ValueError(f"`weights` must be among {'; '.join(known)}, got {unknown[0]!r}.")
    settings = _settings(replace(config, weights=()))
    return pd.concat(
        [_weight(config, settings, name) for name in config.weights], ignore_index=True
    )


def _weight(config: Config, settings: pd.DataFrame, name: str) -> pd.DataFrame:
    if name == CHECK:
        return _bayes_check(config, settings)
    if name in EXACT:
        return _merge_random(settings, _exact(settings, name), name)
    seen = settings[(settings.m <= STRONGEST_SIMULATED) & (settings.L <= LONGEST_SIMULATED)]
    return _merge_random(seen, _simulated(config, seen, name), name)


def _bayes_check(config: Config, settings: pd.DataFrame) -> pd.DataFrame:
    """The posterior mean on simulated tokens at the second signal, beside the exact Bayes risk
    there.
    """
    at = settings[settings.part == "signal"].iloc[[1]]
    task = SingleLocation(d=20, L=int(at.L.iloc[0]), gamma=1.0, signal=float(at.m.iloc[0]))
    found = monte_carlo_bayes_risk(
        task, derived_key(config.seed, "attentions", "bayes"), config.samples
    )
    return at.assign(
        part="check", weight=CHECK, excess=float(found.value), error=float(found.error)
    )


@lru_cache(maxsize=4)
def _settings(config: Config) -> pd.DataFrame:
    """Signals at one length, lengths at one signal, the lengths over which the random one is
    uniform; Bayes beside each.
    """
    rows = [("signal", m, float(config.length)) for m in config.signals]
    rows += [("length", config.signal, float(L)) for L in config.lengths]
    rows += [
        ("random", config.signal, float(L)) for L in range(config.shortest, config.longest + 1)
    ]
    settings = pd.DataFrame(rows, columns=["part", "m", "L"])
    task, one = _task(settings), np.ones(len(rows))
    floors = {"bayes": bayes_risk, "linear": linear_risk, "null": null_risk}
    return settings.assign(**{name: np.asarray(risk(task)) * one for name, risk in floors.items()})


def _task(settings: pd.DataFrame) -> SingleLocation:
    return SingleLocation(d=100, L=settings.L.to_numpy(), gamma=1.0, signal=settings.m.to_numpy())


def _without_error(settings: pd.DataFrame, lam: np.ndarray, excess: np.ndarray) -> Found:
    zero = np.zeros(len(lam))
    return Found(lam, excess, zero, excess - settings.bayes.to_numpy(), zero)


def _merge_random(settings: pd.DataFrame, found: Found, name: str) -> pd.DataFrame:
    """One row per setting; the random length is the average over its values, since the length is
    drawn independently.
    """
    rows = settings.assign(weight=name, **found._asdict())
    random = rows[rows.part == "random"]
    mean = random.mean(numeric_only=True)
    for error in ("error", "gap_error"):
        mean[error] = float(np.sqrt((random[error] ** 2).sum()) / len(random))
    last = pd.DataFrame([{"part": "random", "weight": name, **mean}])
    return pd.concat([rows[rows.part != "random"], last], ignore_index=True)


def _exact(settings: pd.DataFrame, name: str) -> Found:
    """Best lam of every setting (one for all lengths of the random one) and the exact excess there."""
    task, L, m = _task(settings), settings.L.to_numpy(), settings.m.to_numpy()

    def value(lam: np.ndarray) -> np.ndarray:
        return np.asarray(
            excess_risk(task, EXACT[name](np.broadcast_to(lam, (len(lam), len(L))), L), TRUTH)
        )

    if (
        name == "softmax"
    ):  # its integrals are dear and its optimum known: that it is one is checked on both sides
        lam = m * np.array([[0.97], [1.0], [1.03]])
        values = value(lam)
        at = np.argmin(values, axis=0)[None]
        return _without_error(
            settings, np.take_along_axis(lam, at, 0)[0], np.take_along_axis(values, at, 0)[0]
        )
    random = (settings.part == "random").to_numpy()

    def shared(lam: np.ndarray) -> np.ndarray:
        values = value(lam).copy()
        values[:, random] = values[:, random].mean(axis=1, keepdims=True)
        return values

    best = best_temperature(shared, 1e-3, HIGHEST_LAM.get(name, 30.0))
    return _without_error(settings, best.lam, best.value)


def _simulated(config: Config, settings: pd.DataFrame, name: str) -> Found:
    """The best of a grid of lam on few samples, then the excess there on all of them.

    At the truth the values are independent of the scores: given these, the squared error is
    (1-p_J)^2 + sum of the other p^2.
    """
    rng = generator(derived_key(config.seed, "attentions"))
    noise, place = (
        rng.normal(size=(config.samples, LONGEST_SIMULATED)),
        rng.uniform(size=config.samples),
    )
    weigh = jax.jit(lambda lam, scores, present: SIMULATED[name](lam)(scores, present))
    bayes = jax.jit(lambda lam, scores, present: Softmax(lam)(scores, present))
    grid = [1.0] if name == "hard maximum" else list(np.logspace(-1.0, 1.0, 13))
    few = config.samples // 10
    trials = np.array(
        [
            [
                _errors(weigh, lam, *_sequences(noise[:few], place[:few], m, L)).mean()
                for lam in grid
            ]
            for m, L in zip(settings.m, settings.L, strict=True)
        ]
    )
    random = (settings.part == "random").to_numpy()
    trials[random] = trials[random].mean(axis=0)  # one lam for all lengths of the random one
    rows = []
    for m, L, at in zip(settings.m, settings.L, np.argmin(trials, axis=1), strict=True):
        sequences = _sequences(noise, place, m, L)
        errors = _errors(weigh, grid[at], *sequences)
        gap = errors - _errors(bayes, m, *sequences)  # paired with Bayes on the same sequences
        rows.append(
            (
                grid[at],
                errors.mean(),
                *(x.std() / np.sqrt(len(x)) for x in (errors, gap)),
                gap.mean(),
            )
        )
    lam, excess, error, gap_error, gap = (np.asarray(column) for column in zip(*rows, strict=True))
    return Found(lam, excess, error, gap, gap_error)


def _sequences(
    noise: np.ndarray, place: np.ndarray, m: float, L: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores, which tokens are present, and which is decisive."""
    positions = np.arange(noise.shape[1])
    decisive = positions == np.floor(place * L)[:, None]
    return noise + m * decisive, np.broadcast_to(positions < L, noise.shape), decisive


def _errors(
    weigh: Any, lam: float, scores: np.ndarray, present: np.ndarray, decisive: np.ndarray
) -> np.ndarray:
    p = np.asarray(weigh(lam, scores, present), dtype=float)
    return np.sum(np.where(decisive, 1.0 - p, p) ** 2, axis=1)


def _over_bayes(table: pd.DataFrame) -> pd.Series:
    return table.excess / table.bayes


def _signal_slopes(table: pd.DataFrame) -> tuple[float, float]:
    """Exponent of linear attention in m^2, and slope of log softmax in m^2, at the three strongest
    signals.
    """
    signal = table[table.part == "signal"]
    linear, soft = (
        signal[signal.weight == name].sort_values("m").tail(3) for name in ("linear", "softmax")
    )
    power = float(np.polyfit(np.log(linear.m**2), np.log(linear.excess), 1)[0])
    exponent = float(np.polyfit(soft.m**2, np.log(soft.excess), 1)[0])
    return power, exponent


def findings(table: pd.DataFrame) -> str:
    """What the table shows."""
    at = (
        table[(table.part == "length") & (table.L == 10.0)]
        if (table.L == 10.0).any()
        else table[table.part == "random"]
    )
    order = at.sort_values("excess")
    second = order[order.weight != "softmax"].iloc[0]
    said = (
        f"At gamma = 1, signal {order.m.iloc[0]:g} and L = {order.L.iloc[0]:.0f} only softmax"
        f" reaches Bayes ({order.bayes.iloc[0]:.2e}); next comes {second.weight} at"
        f" {second.excess / second.bayes:.2f} times Bayes, and {order.weight.iloc[-1]} is last at"
        f" {order.excess.iloc[-1] / order.bayes.iloc[-1]:.0f} times."
    )
    if {"linear", "softmax"} <= set(table.weight):
        power, exponent = _signal_slopes(table)
        said += (
            " With the squared signal m^2 the excess of linear attention falls as a power"
            f" ({power:.2f}), that of softmax as exp({exponent:.2f} m^2)."
        )
    return said


def certificates(table: pd.DataFrame) -> list[Certificate]:
    """Softmax is Bayes and nobody else is; powers against exponentials."""
    claims = []
    table_of_weights = table[table.part != "check"]
    soft = table_of_weights[
        (table_of_weights.weight == "softmax") & (table_of_weights.part != "random")
    ]
    if len(soft):
        gap, off = (_over_bayes(soft) - 1.0).abs().max(), (soft.lam / soft.m - 1.0).abs().max()
        claims.append(
            Certificate(
                "At gamma = 1 softmax attention at lam = m is the Bayes predictor",
                "exact softmax risk at its best lam against the exact Bayes risk, every signal and"
                " length",
                "equal to 1e-6; the risk is higher at .97 m and 1.03 m",
                f"relative gap {gap:.1e}; best at lam = m"
                f" {'everywhere' if off == 0 else 'not everywhere'}",
                bool(gap < 1e-6 and off == 0.0),
            )
        )
    others = table_of_weights[
        (table_of_weights.weight != "softmax") & (table_of_weights.part != "length")
    ]
    others = others[(others.m <= 4.0) | (others.part == "random")]
    if len(others):
        by_weight = (
            others.assign(square=others.gap_error**2)
            .groupby("weight", sort=False)[["gap", "square", "bayes"]]
            .sum()
        )
        z = by_weight.gap / np.sqrt(by_weight.square.where(by_weight.square > 0))
        nearest = (by_weight.gap / by_weight.bayes).idxmin()
        claims.append(
            Certificate(
                "No other weight reaches Bayes, fixed and random lengths",
                "gap to Bayes over the signals up to 4 and the random length, for every weight;"
                " simulated weights are paired with Bayes on the same sequences",
                "above 0 for every weight, by more than 4 standard errors where simulated",
                f"closest: {nearest}, {by_weight.gap[nearest] / by_weight.bayes[nearest]:.2%} above"
                f" Bayes; smallest z {z.min():.1f}",
                bool((by_weight.gap > 0.0).all() and not (z < 4.0).any()),
            )
        )
    checks = table[table.part == "check"]
    if len(checks):
        z = float(((checks.excess - checks.bayes) / checks.error).abs().max())
        claims.append(
            Certificate(
                "The exact Bayes risk is that of the posterior mean",
                "posterior mean computed from the densities of simulated tokens in R^d, difference"
                " in standard errors",
                "below 4",
                f"{z:.2f}",
                z < 4.0,
            )
        )
    if {"linear", "softmax"} <= set(table.weight):
        power, exponent = _signal_slopes(table)
        claims.append(
            Certificate(
                "In the squared signal, linear attention decays polynomially and softmax"
                " exponentially",
                "slopes at the three strongest signals: log excess in log m^2 for linear, in m^2"
                " for softmax",
                "power -1.0 +- 0.25; exponent between -0.32 and -0.2",
                f"power {power:.3f}; exponent {exponent:.3f}",
                bool(abs(power + 1.0) <= 0.25 and -0.32 <= exponent <= -0.2),
            )
        )
    return claims


EXPERIMENT = Experiment(
    name="attentions",
    question="Which attention? Every weight at its best temperature against Bayes",
    config=Config(),
    quick=Config(
        weights=("softmax", "erf", "linear", "hard maximum", CHECK),
        signals=(2.0, 4.0, 6.0, 7.0, 8.0),
        lengths=(2, 10, 100),
        samples=10_000,
        shortest=9,
        longest=11,
    ),
    run=run,
    findings=findings,
    certificates=certificates,
    axes=("weights",),
    seconds=4.0,
)
