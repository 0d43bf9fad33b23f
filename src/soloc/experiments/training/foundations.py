"""Do the equalities hold on which everything else rests? Each against another computation."""

from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
import pandas as pd
from scipy import special

from soloc.dynamics.full_dimension import Pair, vectors_path
from soloc.dynamics.population_path import population_path
from soloc.dynamics.sgd_path import sgd_path
from soloc.dynamics.starts import from_vectors
from soloc.experiments.certificates import Certificate
from soloc.experiments.experiment import Experiment
from soloc.maths.randomness import derived_key, generator
from soloc.predictors.attention import (
    AttentionHead,
    attention_layer,
    first_row,
    predict,
    softmax_predictor,
)
from soloc.predictors.pointwise import Erf
from soloc.risk.overlaps import NAMES, Overlaps
from soloc.risk.population import population_risk
from soloc.tasks.single_location import SingleLocation, Truth

CHAIN = (
    "first row of the full layer",
    "one query, one value: softmax(lam X k)' X v",
    "component-wise weight: sum erf(lam X k) X v",
)
MANIFOLD, MAP, RISK = (
    "manifold stays invariant (vectors)",
    "overlap map equals vectors",
    "exact risk equals Monte Carlo",
)


@dataclass(frozen=True)
class Config:
    """Sizes of the checks; `law_runs` runs of SGD each way decide whether the two laws agree."""

    checks: tuple[str, ...] = ("chain", "descent", "law", "risk")
    d: int = 24
    L: int = 6
    draws: int = 50
    descent_d: int = 200
    descent_steps: int = 1500
    law_runs: int = 1000
    law_steps: int = 60
    risk_draws: int = 400_000
    seed: int = 0


def run(config: Config) -> pd.DataFrame:
    """Rows of part "equality" (a deviation and its bar) and of part "law" (ends of SGD runs)."""
    parts = {"chain": _chain, "descent": _descent, "law": _law, "risk": _risk}
    unknown = [name for name in config.checks if name not in parts]
    if unknown:
        raise ValueError(f"`checks` must be among {', '.join(parts)}, got {unknown[0]!r}.")
    return pd.concat([parts[name](config) for name in config.checks], ignore_index=True)


def _equality(name: str, deviation: float, bar: float) -> dict[str, object]:
    return {"part": "equality", "name": name, "deviation": float(deviation), "bar": bar}


def _chain(config: Config) -> pd.DataFrame:
    """The chain attention -> predictor on random tokens and heads, in double precision."""
    rng = generator(derived_key(config.seed, "chain"))
    n, L, d = config.draws, config.L, config.d
    X = rng.normal(size=(n, L, d))
    lam = 0.7
    wide = AttentionHead(*(rng.normal(size=(d, 5)) / np.sqrt(d) for _ in range(4)))
    Q, k, v, O = rng.normal(size=(4, d))
    O = O / np.linalg.norm(O)
    asked = X.copy()
    asked[:, 0] += (1.0 - X[:, 0] @ Q)[:, None] * Q / (Q @ Q)  # a [CLS] token whose query is 1
    thin = AttentionHead(*(x[:, None] for x in (Q, k, v, O)))

    @jax.jit  # one program: a step at a time, each operation would be compiled by itself
    def steps(
        wide: AttentionHead,
        thin: AttentionHead,
        k: jax.Array,
        v: jax.Array,
        X: jax.Array,
        asked: jax.Array,
    ) -> list[jax.Array]:
        layer, row = attention_layer(wide, lam, X)[:, 0], first_row(wide, lam, X)
        one_query = first_row(thin, lam, asked) @ O, softmax_predictor(k, v, lam, asked)
        return [layer, row, *one_query, predict(Erf(lam), k, v, asked)]

    with jax.enable_x64(True):
        layer, row, output, softmax, ours = (
            np.asarray(x) for x in steps(wide, thin, k, v, X, asked)
        )
    plain = np.array([sum(special.erf(lam * x @ k) * (x @ v) for x in tokens) for tokens in asked])
    worst = [np.abs(a - b).max() for a, b in ((layer, row), (output, softmax), (ours, plain))]
    return pd.DataFrame(
        [_equality(name, deviation, 1e-10) for name, deviation in zip(CHAIN, worst, strict=True)]
    )


def _descent(config: Config) -> pd.DataFrame:
    """Descent on vectors: it stays on the manifold and follows the overlap map."""
    d, runs = config.descent_d, 4
    task = SingleLocation(d=d, L=config.L)
    rng = generator(derived_key(config.seed, "descent"))
    basis = np.linalg.qr(rng.normal(size=(d, 2)))[0].T
    truth = Truth(*basis)
    how: dict[str, Any] = {
        "steps": config.descent_steps,
        "step_size": 4e-3,
        "every": config.descent_steps // 10,
    }
    sphere = Pair(*(_unit(rng.normal(size=(runs, d))) for _ in "kv"))
    both = Pair(
        *(
            np.concatenate(parts)
            for parts in zip(_on_manifold(basis, runs, rng), sphere, strict=True)
        )
    )
    path = vectors_path(task, truth, Erf(0.1), both, **how)
    short = population_path(task, Erf(0.1), from_vectors(*sphere, truth), **how)
    apart = max(np.abs(short.columns[name] - path.columns[name][:, runs:]).max() for name in NAMES)
    rows = [_equality(MANIFOLD, path.distance[:, :runs].max(), 1e-9), _equality(MAP, apart, 1e-9)]
    return pd.DataFrame(rows)


def _on_manifold(basis: np.ndarray, runs: int, rng: np.random.Generator) -> Pair:
    """Unit k orthogonal to v*, unit v orthogonal to k* and to k."""
    k = rng.normal(size=(runs, basis.shape[1]))
    k = _unit(k - np.outer(k @ basis[1], basis[1]))
    v = rng.normal(size=k.shape)
    for i in range(runs):
        frame = np.linalg.qr(np.stack([basis[0], k[i]]).T)[0]
        v[i] -= frame @ (frame.T @ v[i])
    return Pair(k, _unit(v))


def _unit(x: np.ndarray) -> np.ndarray:
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def _law(config: Config) -> pd.DataFrame:
    """SGD in overlaps (exact in law) and on vectors (the definition), independent samples."""
    task = SingleLocation(d=config.d, L=config.L, eps=0.3)
    rng = generator(derived_key(config.seed, "law"))
    basis = np.linalg.qr(rng.normal(size=(config.d, 2)))[0].T
    k, v = (
        _unit(basis[0] + rng.normal(size=config.d) / 4.0),
        _unit(basis[1] + rng.normal(size=config.d) / 4.0),
    )
    truth = Truth(*basis)
    start = from_vectors(k, v, truth)
    many = np.ones(config.law_runs)
    spread = Overlaps(*(getattr(start, name) * many for name in NAMES))
    how: dict[str, Any] = {
        "steps": config.law_steps,
        "step_size": 0.01,
        "batch_size": 3,
        "every": config.law_steps,
    }
    ours = sgd_path(task, Erf(0.4), spread, derived_key(config.seed, "law", "ours"), **how).last()
    pair = Pair(*(np.repeat(x[None], config.law_runs, axis=0) for x in (k, v)))
    full = vectors_path(
        task, truth, Erf(0.4), pair, key=derived_key(config.seed, "law", "full"), **how
    ).last()
    blocks = [
        pd.DataFrame({"part": "law", "name": name, "how": how_run, "value": table[name]})
        for name in NAMES
        for how_run, table in (("in overlaps", ours), ("on vectors", full))
    ]
    return pd.concat(blocks, ignore_index=True)


def _risk(config: Config) -> pd.DataFrame:
    """The closed form off the manifold against simulated sequences, in standard errors."""
    overlaps, lam = Overlaps(0.6, 0.5, 0.2, -0.3, 0.1), 0.3
    task = SingleLocation(d=20, L=config.L, eps=0.2)
    rng = generator(derived_key(config.seed, "risk"))
    n = config.risk_draws
    k = np.array(
        [overlaps.kappa, overlaps.eta, np.sqrt(1.0 - overlaps.kappa**2 - overlaps.eta**2), 0.0]
    )
    third = (overlaps.rho - overlaps.kappa * overlaps.theta - overlaps.eta * overlaps.nu) / k[2]
    v = np.array(
        [
            overlaps.theta,
            overlaps.nu,
            third,
            np.sqrt(1.0 - overlaps.theta**2 - overlaps.nu**2 - third**2),
        ]
    )
    squares = []
    for size in [n // 8] * 8:
        X = rng.normal(size=(size, config.L, 4))
        X[:, 0] = task.gamma * X[:, 0] + np.array([task.m, 0.0, 0.0, 0.0])
        answer = X[:, 0, 1] + task.eps * rng.normal(size=size)
        squares.append((np.sum(special.erf(lam * X @ k) * (X @ v), axis=1) - answer) ** 2)
    error = np.concatenate(squares)
    exact = float(population_risk(task, Erf(lam), overlaps))
    z = abs(error.mean() - exact) / (error.std() / np.sqrt(len(error)))
    return pd.DataFrame([_equality(RISK, z, 4.0)])


def law_tests(table: pd.DataFrame) -> pd.Series:
    """Kolmogorov-Smirnov p-value of every overlap: are the two samples of one law?"""
    # here: it takes a third of a second to import, and few tables need it
    from scipy.stats import ks_2samp

    law = table[table.part == "law"]
    return pd.Series(
        {
            name: (
                ks_2samp(
                    *(group[group.how == how].value for how in ("in overlaps", "on vectors"))
                ).pvalue
            )
            for name, group in law.groupby("name", sort=False)
        }
    )


def findings(table: pd.DataFrame) -> str:
    """What the table shows."""
    equal = table[(table.part == "equality") & (table.name != RISK)]
    said = (
        f"The {len(equal)} equalities between attention, vectors and overlaps hold to"
        f" {equal.deviation.max():.0e} or better."
    )
    if (table.part == "law").any():
        p = law_tests(table)
        count = int((table.part == "law").sum() // (2 * len(p)))
        said += (
            " Stochastic descent in overlaps and on vectors gives the same law of end points over"
            f" {count} runs each: Kolmogorov-Smirnov p between {p.min():.2f} and {p.max():.2f} on"
            " the five overlaps."
        )
    return said


def certificates(table: pd.DataFrame) -> list[Certificate]:
    """The chain, invariance, the overlap map, the law of SGD, the exact risk."""
    equal = table[table.part == "equality"].set_index("name")
    claims = []
    if set(CHAIN) <= set(equal.index):
        worst = equal.loc[list(CHAIN)].deviation.max()
        claims.append(
            Certificate(
                "From a full attention layer to the paper's predictor, every step is an equality",
                "largest difference over random tokens and heads, three steps, double precision",
                "below 1e-10",
                f"{worst:.1e}",
                bool(worst < 1e-10),
                "the last step replaces softmax by a component-wise weight: that is the paper's"
                " choice, not an equality.",
            )
        )
    for name, claim in (
        (MANIFOLD, "The manifold is invariant in full dimension"),
        (MAP, "Descent in five overlaps is descent in full dimension"),
    ):
        if name in equal.index:
            found = equal.deviation[name]
            check = "projected descent on vectors k, v by automatic differentiation"
            claims.append(
                Certificate(claim, check, "below 1e-9", f"{found:.1e}", bool(found < 1e-9))
            )
    if (table.part == "law").any():
        p = law_tests(table)
        claims.append(
            Certificate(
                "Stochastic gradient descent in overlaps is exact in law",
                "two-sample Kolmogorov-Smirnov tests against full-dimensional SGD, five overlaps,"
                " Bonferroni at 1 %",
                "every p above 0.002",
                f"smallest p {p.min():.3f}",
                bool(p.min() > 0.002),
            )
        )
    if RISK in equal.index:
        z = equal.deviation[RISK]
        check = "simulated sequences off the manifold, difference in standard errors"
        claims.append(
            Certificate("The population risk is exact", check, "below 4", f"{z:.2f}", bool(z < 4.0))
        )
    return claims


EXPERIMENT = Experiment(
    name="foundations",
    question="Do the equalities hold on which everything else rests?",
    config=Config(),
    quick=Config(checks=("chain", "descent", "risk"), descent_steps=200, risk_draws=100_000),
    run=run,
    findings=findings,
    certificates=certificates,
    axes=("checks",),
    seconds=4.0,
)
