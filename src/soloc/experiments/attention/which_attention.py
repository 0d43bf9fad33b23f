"""Which attention? Every weight of the catalogue at its best temperature against the Bayes risk."""

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from soloc.experiments.attention.settings_at_best import Found, exact, known, simulated, task_of
from soloc.experiments.certificates import Certificate, log_slope
from soloc.experiments.experiment import Experiment
from soloc.maths.randomness import derived_key
from soloc.predictors.catalogue import WEIGHTS, by_label, of_kind
from soloc.predictors.normalised import HardMax, Softmax
from soloc.predictors.pointwise import Erf, Linear
from soloc.risk.baselines import bayes_risk, linear_risk, null_risk
from soloc.risk.best_weight import largest_at_best
from soloc.risk.monte_carlo import monte_carlo_bayes_risk
from soloc.tasks.max_location import MaxLocation
from soloc.tasks.single_location import SingleLocation

#: what the claims are about
SOFTMAX, LINEAR, HARD = (of_kind(kind).label for kind in (Softmax, Linear, HardMax))
LARGEST = "largest"  #: rows of the task in which the largest score decides
CHECK = "Bayes, simulated"  #: not a weight: the posterior mean itself, as a check
# beyond, misses are too rare to be seen in a simulation
LONGEST_SIMULATED, STRONGEST_SIMULATED = 30, 5.0


def every_weight() -> tuple[str, ...]:
    """The labels of the catalogue as it is now, and the check."""
    return (*(entry.label for entry in WEIGHTS.values()), CHECK)


@dataclass(frozen=True)
class Config:
    """gamma = 1, where Bayes is softmax; `signal` and `length` are held while the other varies."""

    weights: tuple[str, ...] = field(default_factory=every_weight)
    signals: tuple[float, ...] = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0)
    lengths: tuple[int, ...] = (2, 5, 10, 30, 100, 1000)
    signal: float = 5.0
    length: int = 10
    shortest: int = 5
    longest: int = 15
    samples: int = 20_000
    seed: int = 0


def run(config: Config) -> pd.DataFrame:
    """One row per weight and setting: the best lam, the excess there, its error, Bayes beside."""
    unknown = [name for name in config.weights if name not in every_weight()]
    if unknown:
        raise ValueError(
            f"`weights` must be among {'; '.join(every_weight())}, got {unknown[0]!r}."
        )
    settings = _settings(replace(config, weights=()))
    parts = [_weight(config, settings, name) for name in config.weights]
    parts += [_largest(config, name) for name in config.weights if name != CHECK]
    return pd.concat([part for part in parts if len(part)], ignore_index=True)


def _largest(config: Config, name: str) -> pd.DataFrame:
    """The weight where the largest score decides, as sharply as the signal marks it elsewhere."""
    L, beta = config.length, config.signal
    best, bayes = (largest_at_best(label, L, beta) for label in (name, SOFTMAX))
    if best is None or bayes is None:
        return pd.DataFrame()
    task = MaxLocation(L=L, beta=beta)
    row = {"part": LARGEST, "m": beta, "L": float(L), "weight": name, "lam": best.lam}
    row |= {"excess": best.excess, "error": 0.0, "bayes": bayes.excess}
    return pd.DataFrame([row | {"linear": task.linear_risk(), "null": task.null_risk()}])


def _weight(config: Config, settings: pd.DataFrame, name: str) -> pd.DataFrame:
    if name == CHECK:
        return _bayes_check(config, settings)
    entry = by_label(name)
    if entry.kind is Softmax:  # slow, and its optimum is known: it is checked on both sides
        return _merge_random(settings, known(settings, entry), name)
    if entry.exact and not entry.slow:
        return _merge_random(settings, exact(settings, entry), name)
    seen = settings[(settings.m <= STRONGEST_SIMULATED) & (settings.L <= LONGEST_SIMULATED)]
    found = simulated(
        seen, entry, config.samples, LONGEST_SIMULATED, derived_key(config.seed, "attentions")
    )
    return _merge_random(seen, found, name)


def _bayes_check(config: Config, settings: pd.DataFrame) -> pd.DataFrame:
    """The posterior mean on simulated tokens at the second signal, beside the exact Bayes risk."""
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
    """Signals at one length, lengths at one signal, lengths of the random one; Bayes beside."""
    rows = [("signal", m, float(config.length)) for m in config.signals]
    rows += [("length", config.signal, float(L)) for L in config.lengths]
    rows += [
        ("random", config.signal, float(L)) for L in range(config.shortest, config.longest + 1)
    ]
    settings = pd.DataFrame(rows, columns=["part", "m", "L"])
    task, one = task_of(settings), np.ones(len(rows))
    floors: dict[str, Any] = {"bayes": bayes_risk, "linear": linear_risk, "null": null_risk}
    return settings.assign(**{name: np.asarray(risk(task)) * one for name, risk in floors.items()})


def _merge_random(settings: pd.DataFrame, found: Found, name: str) -> pd.DataFrame:
    """One row per setting; the random length, drawn independently, averages over its values."""
    rows = settings.assign(weight=name, **found._asdict())
    random = rows[rows.part == "random"]
    mean = random.mean(numeric_only=True)
    for error in ("error", "gap_error"):
        mean[error] = float(np.sqrt((random[error] ** 2).sum()) / len(random))
    last = pd.DataFrame([{"part": "random", "weight": name, **mean}])
    return pd.concat([rows[rows.part != "random"], last], ignore_index=True)


def _over_bayes(table: pd.DataFrame) -> pd.Series:
    return table.excess / table.bayes


def _signal_slopes(table: pd.DataFrame) -> tuple[float, float]:
    """Exponent of linear attention, and slope of log softmax, in m^2 at the strongest signals."""
    signal = table[table.part == "signal"]
    linear, soft = (
        signal[signal.weight == name].sort_values("m").tail(3) for name in (LINEAR, SOFTMAX)
    )
    power = log_slope(linear.m**2, linear.excess)
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
    second = order[order.weight != SOFTMAX].iloc[0]
    said = (
        f"At gamma = 1, signal {order.m.iloc[0]:g} and L = {order.L.iloc[0]:.0f} only softmax"
        f" reaches Bayes ({order.bayes.iloc[0]:.2e}); next comes {second.weight} at"
        f" {second.excess / second.bayes:.2f} times Bayes, and {order.weight.iloc[-1]} is last at"
        f" {order.excess.iloc[-1] / order.bayes.iloc[-1]:.0f} times."
    )
    if {LINEAR, SOFTMAX} <= set(table.weight):
        power, exponent = _signal_slopes(table)
        said += (
            " With the squared signal m^2 the excess of linear attention falls as a power"
            f" ({power:.2f}), that of softmax as exp({exponent:.2f} m^2)."
        )
    largest = table[(table.part == LARGEST) & (table.weight != SOFTMAX)].sort_values("excess")
    if len(largest):
        over = largest.excess / largest.bayes
        said += (
            " Where no token is marked and the largest score decides, softmax is Bayes again"
            f" ({largest.bayes.iloc[0]:.2f}); {largest.weight.iloc[0]} comes next at"
            f" {over.iloc[0]:.2f} times Bayes, {largest.weight.iloc[-1]} is last at"
            f" {over.iloc[-1]:.2f} times."
        )
    return said


def certificates(table: pd.DataFrame) -> list[Certificate]:
    """Softmax is Bayes and nobody else is; powers against exponentials."""
    claims = []
    table_of_weights = table[~table.part.isin(("check", LARGEST))]
    soft = table_of_weights[
        (table_of_weights.weight == SOFTMAX) & (table_of_weights.part != "random")
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
        (table_of_weights.weight != SOFTMAX) & (table_of_weights.part != "length")
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
    if {LINEAR, SOFTMAX} <= set(table.weight):
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
    largest = table[table.part == LARGEST]
    if len(largest) > 1:
        one_score = largest[~largest.weight.isin((SOFTMAX, HARD))]
        ratio = one_score.excess / one_score.bayes
        claims.append(
            Certificate(
                "Where the largest score decides, weights of one score each lose",
                "exact risk of every component-wise weight at its best lam over that of softmax at"
                " lam = beta, which is Bayes",
                "above 1.5 for every weight",
                f"{ratio.min():.2f} to {ratio.max():.2f} times Bayes over {len(ratio)} weights",
                bool((ratio > 1.5).all()),
            )
        )
    return claims


EXPERIMENT = Experiment(
    name="attentions",
    question="Which attention? Every weight at its best temperature against Bayes",
    config=Config,
    quick=Config(
        weights=(*(of_kind(kind).label for kind in (Softmax, Erf, Linear, HardMax)), CHECK),
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
