"""Latent: three tasks in which attention infers a latent, error against length side by side."""

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from soloc.experiments.latent.exact_curves import exact_curves
from soloc.experiments.latent.tasks import Config, run
from soloc.lab.body import Body, Choices, Group, Knob
from soloc.lab.figures.latent import latent_figure
from soloc.lab.panel import Panel, full, number
from soloc.lab.view import Look, Tab, View
from soloc.lab.work.jobs import Job

TOKENS = 100_000  # drawn at most at every length
SECONDS = 30.0
TITLES = {
    "ExchangeableLatent": "a rule z",
    "NoisyRecall": "a blurred key",
    "SingleLocation": "a decisive token",
}


def _lengths() -> Choices:
    return [(tokens, f"{tokens:,} tokens") for tokens in (64, 256, 1024, 4096)]


class LatentAsk(Body):
    """Settings of the three tasks, and the lengths."""

    group: ClassVar[Group] = Group("tasks", "The three tasks")
    sigma: Annotated[float, Knob("rule z: noise σ", log=True)] = Field(
        default=0.5, ge=0.05, le=2, description="noise of a value around the rule"
    )
    temperature: Annotated[float, Knob("rule z: temperature of softmax", log=True)] = Field(
        default=0.2, ge=0.02, le=5, description="a fixed one leaves a floor"
    )
    recall_tau: Annotated[float, Knob("blurred key: blur τ", log=True)] = Field(
        default=0.1, ge=0.005, le=2, description="variance added to the key that is asked for"
    )
    recall_d: Annotated[int, Knob("blurred key: dimension", log=True)] = Field(
        default=8, ge=2, le=64, description="of a key"
    )
    location_d: Annotated[int, Knob("decisive token: dimension d", log=True)] = Field(
        default=16, ge=4, le=64, description="its signal is √(d/2)"
    )
    location_eps: Annotated[float, Knob("decisive token: noise ε", log=True, least=0.01)] = Field(
        default=0.1, ge=0, le=2, description="noise of the answer"
    )
    longest: Annotated[Literal[64, 256, 1024, 4096], Knob("longest sequence", choices=_lengths)] = (
        Field(default=1024, description="most tokens of a sequence")
    )
    sequences: Annotated[int, Knob("simulated sequences", log=True)] = Field(
        default=1000, ge=50, le=2000, description=f"per length, up to {TOKENS:,} tokens in all"
    )
    seed: int = Field(default=0, ge=0, le=10**6, description="which sequences are drawn")
    columns: Literal[1, 3] = Field(default=3, description="panels side by side")

    def config(self) -> Config:
        """The experiment of these settings."""
        lengths = tuple(4**power for power in range(1, 7) if 4**power <= self.longest)
        return Config(
            seed=self.seed,
            lengths=lengths,
            sequences=self.sequences,
            tokens=TOKENS,
            latent_sigma=self.sigma,
            latent_temperature=self.temperature,
            recall_d=self.recall_d,
            recall_tau=self.recall_tau,
            location_d=self.location_d,
            location_eps=self.location_eps,
        )


def latent_panel(ask: LatentAsk) -> Panel:
    """The exact curves; the job adds simulated points."""
    found = panel_of(ask, [], integrals=False)
    # the page starts the job instead of asking again
    return found.model_copy(update={"pending": None})


def latent_job(ask: LatentAsk, job: Job) -> dict[str, Any]:
    """Panels to which the simulated points of one length after the other are added."""
    config = ask.config()
    parts: list[pd.DataFrame] = []
    job.report(panel=job.elsewhere(_dumped, ask, parts))
    for L in config.lengths:
        parts.append(job.elsewhere(_points, replace(config, lengths=(L,))))
        if config.lengths[-1] != L:
            job.report(panel=job.elsewhere(_dumped, ask, parts))
    return {"panel": job.elsewhere(_dumped, ask, parts)}


def _dumped(ask: LatentAsk, parts: Sequence[pd.DataFrame]) -> dict[str, Any]:
    return panel_of(ask, parts).model_dump()


def _points(config: Config) -> pd.DataFrame:
    return run(config).rename(columns={"risk": "error"})[
        ["task", "mechanism", "L", "error", "standard_error"]
    ]


def panel_of(ask: LatentAsk, parts: Sequence[pd.DataFrame], integrals: bool = True) -> Panel:
    """What is known so far: curves, and the points of some lengths."""
    config = ask.config()
    curves = exact_curves(config, 2 ** np.arange(1, ask.longest.bit_length()), integrals)
    points = pd.concat(parts, ignore_index=True) if parts else None
    return Panel(
        figure=latent_figure(curves, points, TITLES, ask.columns),
        table=_table(curves, points),
        python=_python(config, ask.longest),
        sentence=(
            "In each task the tokens hide something and attention infers it: a rule that all tokens"
            " share, or the one token that matters; lines are exact, points are simulated with two"
            " standard errors. When the tokens share a rule, more of them tell more and the error"
            " falls with the length; when one token among them matters, more of them hide it and"
            " the error rises."
        ),
        numbers=_numbers(curves, points),
        pending=(
            None
            if len(parts) == len(config.lengths)
            else f"{len(config.lengths) - len(parts)} lengths are being simulated"
        ),
    )


def _table(curves: pd.DataFrame, points: pd.DataFrame | None) -> dict[str, list[Any]]:
    rows = [curves.assign(standard_error=0.0)]
    if points is not None:
        rows.append(points.assign(kind="simulated"))
    table = pd.concat(rows, ignore_index=True)[
        ["task", "mechanism", "kind", "L", "error", "standard_error"]
    ]
    return {name: full(table[name]) for name in table}


def _numbers(curves: pd.DataFrame, points: pd.DataFrame | None) -> dict[str, Any]:
    longest = int(curves.L.max())
    last = curves[(longest == curves.L) & (curves.kind == "exact")]
    numbers = {
        f"{TITLES[row.task]}, {row.mechanism}, L = {longest}": number(row.error)
        for row in last.itertuples()
    }
    if points is not None:
        reached = int(points.L.max())
        for row in points[(reached == points.L) & (points.mechanism == "Bayes")].itertuples():
            numbers[f"{TITLES[row.task]}, Bayes simulated, L = {reached}"] = number(row.error)
    return numbers


def _python(config: Config, longest: int) -> str:
    given = [
        f"{field.name}={getattr(config, field.name)!r}"
        for field in fields(config)
        if getattr(config, field.name) != field.default
    ]
    return "\n".join(
        [
            "import numpy as np",
            "from soloc.experiments.latent.tasks import Config, run",
            "from soloc.experiments.latent.exact_curves import exact_curves",
            "",
            f"config = Config({', '.join(given)})",
            (
                f"curves = exact_curves(config, 2 ** np.arange(1, {longest.bit_length()}))  #"
                " lines: task, mechanism, L, error"
            ),
            "points = run(config)  # points: task, mechanism, L, risk, standard_error",
        ]
    )


VIEW = View(
    name="latent",
    tab=Tab("latent", "Latent"),
    title="Three tasks with a latent",
    summary="Error against length for three tasks",
    draw=latent_panel,
    job=latent_job,
    seconds=SECONDS,
    slow=lambda ask: True,
    with_table=True,
    look=Look(height="500px", narrow_height="1080px", rest=250),
)
