"""How many heads are worth having? Fewer heads than kinds, as many, and more."""

from dataclasses import dataclass

import pandas as pd

from soloc.experiments.certificates import Certificate
from soloc.experiments.experiment import Experiment
from soloc.experiments.heads.codes import CODE, TRUTH, at_best_lam, state_of
from soloc.tasks.several_locations import SeveralLocations


@dataclass(frozen=True)
class Config:
    """H heads on H* kinds, each state at its best common temperature."""

    kinds: tuple[int, ...] = (1, 2, 4)
    heads: tuple[int, ...] = (1, 2, 3, 4, 6, 8, 12, 16)
    lengths: tuple[int, ...] = (10, 100)
    d: int = 400


def run(config: Config) -> pd.DataFrame:
    """One row per state, number of kinds and heads, and length."""
    rows = []
    for kinds in config.kinds:
        for L in config.lengths:
            task = SeveralLocations(d=config.d, L=L, kinds=kinds)
            for H in config.heads:
                for name in (TRUTH, CODE):
                    best = at_best_lam(task, H, state_of(name, H, kinds))
                    row = {"state": name, "kinds": kinds, "H": H, "L": L}
                    row |= {"lam": float(best.lam[0]), "risk": float(best.value[0])}
                    rows.append(row | {"null": float(task.null_risk())})
    return pd.DataFrame(rows)


def _best(table: pd.DataFrame, kinds: int, L: int) -> pd.Series:
    """The lower of both risks, by the number of heads."""
    rows = table[(table.kinds == kinds) & (table.L == L)]
    return rows.groupby("H").risk.min()


def findings(table: pd.DataFrame) -> str:
    """What the table shows."""
    L = int(table.L.min())
    parts = []
    for kinds in sorted(set(table.kinds)):
        by_heads = _best(table, kinds, L)
        equal, most = by_heads[kinds], by_heads.index.max()
        parts.append(
            f"H* = {kinds}: {equal:.4f} with as many heads as kinds, {by_heads[most]:.4f} with"
            f" {most}"
        )
    return (
        f"More heads than kinds go on helping, and less and less (L = {L}; {'; '.join(parts)}):"
        " every head of the code sees a smaller part of the signal, where erf is closer to linear."
        " With fewer heads than kinds whole kinds stay unserved, and each costs its variance."
    )


def certificates(table: pd.DataFrame) -> list[Certificate]:
    """Every further head helps; a kind without a head costs about its share of the null risk."""
    worst, unserved = -1.0, []
    for (kinds, L), rows in table.groupby(["kinds", "L"]):
        by_heads = rows.groupby("H").risk.min()
        change = by_heads.diff().dropna() / by_heads.shift().dropna()
        worst = max(worst, float(change.max()))
        if kinds > 1 and table.L.min() == L:
            fewer = by_heads[1] / rows.null.iloc[0]
            unserved.append((fewer, 1.0 - 1.0 / kinds))
    out = [
        Certificate(
            "One head more never hurts",
            "largest relative change of the lower risk from one number of heads to the next",
            "below 0",
            f"{worst:.2e}",
            worst < 0.0,
        )
    ]
    if unserved:
        off = max(abs(found - wanted) for found, wanted in unserved)
        out.append(
            Certificate(
                "A kind without a head costs its variance",
                "risk of a single head over the null risk, against 1 - 1/H*",
                "equal to .15",
                f"largest difference {off:.3f}",
                off < 0.15,
            )
        )
    return out


EXPERIMENT = Experiment(
    name="heads_count",
    question="How many heads are worth having?",
    config=Config(),
    quick=Config(kinds=(1, 2), heads=(1, 2, 4, 8), lengths=(10,)),
    run=run,
    findings=findings,
    certificates=certificates,
    axes=("kinds",),
    seconds=3.0,
)
