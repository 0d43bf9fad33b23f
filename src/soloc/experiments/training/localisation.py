"""Does it look at the right token? Attention mass on J0 and correct localisation along training."""

from dataclasses import dataclass

import pandas as pd

from soloc.dynamics.population_path import population_path
from soloc.dynamics.schedules import InverseDecay
from soloc.dynamics.starts import uniform_on_manifold, uniform_on_sphere
from soloc.experiments.certificates import Certificate
from soloc.experiments.experiment import Experiment
from soloc.maths.randomness import derived_key
from soloc.predictors.pointwise import Erf
from soloc.risk.localisation import attention_mass, localisation_rate
from soloc.tasks.single_location import SingleLocation

#: The paper's settings: start, lam, decay of lam, step size, steps.
SETTINGS = {
    "manifold, lam = .1": (uniform_on_manifold, 0.1, 0.0, 4e-3, 20_000),
    "sphere, lam = .9": (uniform_on_sphere, 0.9, 0.0, 1e-3, 120_000),
    "sphere, lam = .1": (uniform_on_sphere, 0.1, 0.0, 4e-3, 20_000),
    "sphere, falling lam": (uniform_on_sphere, 1.0, 1e-4, 4e-3, 120_000),
}
SUCCESS, HOT = "manifold, lam = .1", "sphere, lam = .9"


@dataclass(frozen=True)
class Config:
    """The paper's gradient-descent settings, seen through the attention weights."""

    settings: tuple[str, ...] = tuple(SETTINGS)
    runs: int = 30
    records: int = 40
    d: int = 400
    L: int = 10
    gamma: float = 0.5**0.5
    seed: int = 0


def run(config: Config) -> pd.DataFrame:
    """One row per setting, run and record: mass on J0, rate of localisation, kappa, excess."""
    return pd.concat([_setting(config, name) for name in config.settings], ignore_index=True)


def _setting(config: Config, name: str) -> pd.DataFrame:
    if name not in SETTINGS:
        raise ValueError(f"`settings` must be among {'; '.join(SETTINGS)}, got {name!r}.")
    start, lam, decay, step_size, steps = SETTINGS[name]
    task = SingleLocation(d=config.d, L=config.L, gamma=config.gamma)
    path = population_path(
        task,
        Erf(lam),
        start(config.d, config.runs, derived_key(config.seed, "localisation", name)),
        steps=steps,
        step_size=step_size,
        lam=InverseDecay(lam, decay),
        every=max(steps // config.records, 1),
    ).table()
    mass = attention_mass(task, Erf(path.lam.to_numpy()), path.kappa.to_numpy())
    rate = localisation_rate(task, Erf(1.0), path.kappa.to_numpy())
    swapped = path.run.map(path[path.step == steps].set_index("run").eta.abs() > 0.9)
    return pd.DataFrame(
        {
            "setting": name,
            "run": path.run,
            "step": path.step,
            "share_of_training": path.step / steps,
            "kappa": path.kappa,
            "lam": path.lam,
            "mass": mass,
            "rate": rate,
            "excess": path.risk,
            "swapped": swapped,
            "L": config.L,
        }
    )


def _end(table: pd.DataFrame, name: str) -> pd.DataFrame:
    rows = table[table.setting == name]
    return rows[rows.step == rows.step.max()]


def findings(table: pd.DataFrame) -> str:
    """What the table shows."""
    chance = 1.0 / table.L.iloc[0]
    parts = []
    for name in dict.fromkeys(table.setting):
        end = _end(table, name)
        parts.append(f"{name}: mass {end.mass.median():.2f}, right token {end.rate.median():.1%}")
    return (
        f"At the end of training the median run has, by setting, {'; '.join(parts)} (chance is"
        f" {chance:.0%}). Pointing is easier than weighing: the decisive token already has the"
        " largest weight while much of the mass is still elsewhere, so a risk well above Bayes can"
        " hide a perfect localisation."
    )


def certificates(table: pd.DataFrame) -> list[Certificate]:
    """Attention ends on the decisive token where training succeeds, and nowhere where it fails."""
    names = set(table.setting)
    found = []
    if SUCCESS in names:
        rows = table[table.setting == SUCCESS]
        end, start = _end(table, SUCCESS), rows[rows.step == 0]
        found.append(
            Certificate(
                "Where training succeeds, attention points at the decisive token",
                f"exact chance that J0 has the largest weight, every run of '{SUCCESS}', last step"
                " (first step beside it)",
                "above 99 %",
                f"{end.rate.min():.4%} (began at {start.rate.median():.1%})",
                bool(end.rate.min() > 0.99),
            )
        )
    if HOT in names and SUCCESS in names:
        hot, good = _end(table, HOT), _end(table, SUCCESS)
        found.append(
            Certificate(
                "At lam = .9 the attention mass does not concentrate on the decisive token",
                "median exact mass on J0 at the last step, lam = .9 against lam = .1 on the"
                " manifold",
                f"below {2.0 / table.L.iloc[0]:.2f} (twice chance) against above 0.4",
                f"{hot.mass.median():.3f} against {good.mass.median():.3f}",
                bool(hot.mass.median() < 2.0 / table.L.iloc[0] and good.mass.median() > 0.4),
            )
        )
    return found


EXPERIMENT = Experiment(
    name="localisation",
    question="Does it look at the right token?",
    config=Config(),
    quick=Config(runs=8, records=25),
    run=run,
    findings=findings,
    certificates=certificates,
    axes=("settings",),
    seconds=4.0,
)
