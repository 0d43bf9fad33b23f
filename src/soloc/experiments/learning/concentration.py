"""Does attention concentrate on the place as data grow? Its mass on J0 against n/d."""

from dataclasses import dataclass, replace

import pandas as pd

from soloc.experiments.certificates import Certificate, at_most
from soloc.experiments.experiment import Experiment
from soloc.experiments.learning import samples
from soloc.experiments.learning.samples import AMP, BAYES, REGRESSOR, TRAINED, at
from soloc.learning.bayes import bayes_curve
from soloc.tasks.single_location import SingleLocation


@dataclass(frozen=True)
class Config:
    """The Bayes learner at several lengths; algorithms at the first of them."""

    methods: tuple[str, ...] = (BAYES, TRAINED, AMP, REGRESSOR)
    lengths: tuple[int, ...] = (3, 30, 1000, 1_000_000)
    ratios: tuple[float, ...] = (0.5, 0.7, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
    tried: tuple[float, ...] = (1.0, 2.0, 4.0, 8.0)
    signal: float = 2.0
    long_signal: float = 5.0
    eps: float = 0.3
    fitted: tuple[float, ...] = (8.0,)
    fits: int = 2
    d: int = 80
    sets: int = 5
    points: int = 256
    seed: int = 1


def run(config: Config) -> pd.DataFrame:
    """One row per method, length, start and ratio: the mass on the decisive token."""
    return pd.concat([_method(config, name) for name in config.methods], ignore_index=True)


def _method(config: Config, method: str) -> pd.DataFrame:
    if method == BAYES:
        return pd.concat([_bayes(config, L) for L in config.lengths], ignore_index=True)
    names = ("ratios", "tried", "fitted", "fits", "eps", "d", "sets", "points")
    shared = {name: getattr(config, name) for name in names}
    settings = replace(
        samples.Config(), **shared, L=config.lengths[0], signal=config.signal, seed=config.seed
    )
    return samples.rows_of(settings, method).assign(start="", signal=config.signal)


def _bayes(config: Config, L: int) -> pd.DataFrame:
    signal = config.signal if config.lengths[0] == L else config.long_signal
    task = SingleLocation(L=L, gamma=1.0, eps=config.eps, signal=signal)
    rows = bayes_curve(task, config.ratios)
    limit = bayes_curve(task, float("inf")).mass[0]
    columns = ["samples_per_dimension", "mass", "risk", "start", "optimal"]
    return rows[columns].assign(
        method=BAYES, kind="theory", L=L, signal=signal, limit=limit, agrees=True
    )


def findings(table: pd.DataFrame) -> str:
    """What the table shows."""
    exact = table[(table.method == BAYES) & (table.start == "uninformed")]
    parts = []
    for L, rows in exact.groupby("L"):
        reached = rows[rows.mass > 0.95 * rows.limit].samples_per_dimension
        when = f"from n/d = {reached.min():g} on" if len(reached) else "at none of these ratios"
        parts.append(f"{L:,} tokens (m = {rows.signal.iloc[0]:g}): {when}")
    last = max(table.samples_per_dimension)
    tried = table[table.kind == "simulation"].method.iloc[-1]  # the regressor, unless left out
    dots = at(table, tried, "simulation").mass
    ratio = dots.index.max()
    short = exact[exact.L.min() == exact.L].set_index("samples_per_dimension")
    return (
        f"What AMP reaches has 95 % of the mass on J0 that all data would give, with"
        f" {'; '.join(parts)} (of ratios up to {last:g}). {tried} has"
        f" {dots[ratio]:.2f} at n/d = {ratio:g}, the best learner {short.mass[ratio]:.2f} there and"
        f" {short.limit.iloc[0]:.2f} in the end: attention stays spread because scores overlap, not"
        " for want of data."
    )


def certificates(table: pd.DataFrame) -> list[Certificate]:
    """Mass never falls with data, and AMP has that of the theory."""
    exact = table[(table.method == BAYES) & (table.start == "uninformed")]
    fall = max(-rows.mass.diff().min() for _, rows in exact.groupby("L"))
    theory = exact[exact.L.min() == exact.L].set_index("samples_per_dimension").mass
    dots = at(table, AMP, "simulation")
    far = max(
        abs(row.mass - theory[ratio]) / (4.0 * row.mass_error + 0.02)
        for ratio, row in dots.iterrows()
        if ratio in theory
    )
    return [
        at_most(
            "More data never take mass from the decisive token",
            "largest fall of the Bayes learner's mass between ratios, all lengths",
            fall,
            1e-9,  # to which the mass is computed
        ),
        at_most(
            "AMP puts the predicted mass on the decisive token",
            "largest |simulated - theory| over (4 errors + .02)",
            far,
            1.0,
        ),
    ]


EXPERIMENT = Experiment(
    name="concentration",
    question="Does attention concentrate on the place as data grow?",
    config=Config(),
    quick=Config(
        methods=(BAYES, AMP), lengths=(3, 1000), ratios=(0.5, 2.0, 4.0, 8.0, 32.0),
        tried=(2.0, 8.0), d=40, sets=4,
    ),
    run=run,
    findings=findings,
    certificates=certificates,
    axes=("methods",),
    seconds=4.0,
)  # fmt: skip
