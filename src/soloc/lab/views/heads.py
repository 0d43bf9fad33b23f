"""Several heads: how they train on several kinds of decisive tokens, and how they share the work.

The quick answer knows what the states that can be written down would cost; the job brings the runs.
"""

from typing import Annotated, Any, ClassVar, Literal

import jax
import pandas as pd
from pydantic import Field, model_validator

from soloc.dynamics.head_starts import heads_on_manifold, heads_on_sphere
from soloc.dynamics.path import Path
from soloc.dynamics.population_path import population_path
from soloc.dynamics.sgd_path import sgd_path
from soloc.experiments.heads.codes import CODE, TRUTH, state_of
from soloc.experiments.heads.sharing import specialised
from soloc.lab.body import Body, Group, Knob
from soloc.lab.controls import Controls
from soloc.lab.figures.heads import heads_figure
from soloc.lab.lines import imports_of
from soloc.lab.panel import Panel, full, number
from soloc.lab.training import TAB, Training
from soloc.lab.view import Look, View
from soloc.lab.work.jobs import Job
from soloc.predictors.heads import Heads
from soloc.predictors.pointwise import Erf
from soloc.risk.population import population_risk
from soloc.tasks.several_locations import SeveralLocations

_DRAWS = {"sphere": heads_on_sphere, "manifold": heads_on_manifold}
_TOKENS = 100_000_000  # that SGD may draw: about 20 seconds of work
_STATES = {TRUTH: "one head for each kind", CODE: "the sum-and-difference code"}
_COUNT = {1: "one", 2: "two", 3: "three", 4: "four"}


class HeadsAsk(Body):
    """A setting, how it is trained, and how many heads there are for how many kinds."""

    group: ClassVar[Group] = Group("heads", "Heads")
    setting: Controls = Controls()
    training: Training = Training()
    heads: Annotated[int, Knob("heads")] = Field(
        default=1, ge=1, le=4, description="each with its own key and value; their answers add up"
    )
    kinds: Annotated[int, Knob("kinds of decisive tokens")] = Field(
        default=1, ge=1, le=3, description="one token of each; the answer is their sum"
    )
    columns: Literal[1, 2] = Field(default=2, description="of plots side by side")

    @model_validator(mode="after")
    def _is_possible(self) -> "HeadsAsk":
        if self.setting.weight != "erf":
            raise ValueError(
                "`weight` must be erf for several heads, whose exact risk is known for erf alone,"
                f" got {self.setting.weight}; choose erf."
            )
        if self.training.starts:
            raise ValueError(
                "`starts` must be empty for several heads, which start at random, got"
                f" {len(self.training.starts)}."
            )
        tokens = self.training.batch * self.setting.L * self.training.steps * self.training.runs
        if tokens * self.heads > _TOKENS:
            raise ValueError(
                f"`batch` times `L`, `steps`, `runs` and `heads` must be at most {_TOKENS:,} for"
                f" SGD in the lab, got {tokens * self.heads:,}; take fewer, or sgd_path in Python."
            )
        self.task()  # refuses what cannot be
        return self

    def task(self) -> SeveralLocations:
        """The task of this setting, with one token of each kind."""
        setting = self.setting
        return SeveralLocations(
            d=setting.d, L=setting.L, kinds=self.kinds, gamma=setting.gamma, eps=setting.eps
        )

    def attention(self) -> Heads:
        """So many erf heads at the temperature of the setting."""
        return Heads((Erf(self.setting.lam),) * self.heads)


def heads_panel(ask: HeadsAsk) -> Panel:
    """What known states of the heads cost; the job adds how training ends."""
    # the page starts the job instead of asking again
    return panel_of(ask, None).model_copy(update={"pending": None})


def heads_job(ask: HeadsAsk, job: Job) -> dict[str, Any]:
    """The runs, on the exact risk or on samples."""
    job.report(panel=panel_of(ask, None).model_dump())
    return {"panel": panel_of(ask, job.elsewhere(_path, ask)).model_dump()}


def _path(ask: HeadsAsk) -> Path:
    training, task = ask.training, ask.task()
    key = jax.random.key(training.seed)
    start = _DRAWS[training.where](task.d, ask.heads, ask.kinds, training.runs, key)
    # the schedule multiplies the temperature of every head
    how = training.how(ask.setting.model_copy(update={"lam": 1.0}))
    if training.batch:
        return sgd_path(task, ask.attention(), start, key, batch_size=training.batch, **how)
    return population_path(task, ask.attention(), start, **how)


def panel_of(ask: HeadsAsk, path: Path | None) -> Panel:
    """What is known so far."""
    states = _states(ask)
    table = None if path is None else _table(ask, path)
    last = None if table is None else table.groupby("run").last()
    return Panel(
        figure=heads_figure(table, states, (ask.heads, ask.kinds), ask.training.steps, ask.columns),
        table={} if table is None else {name: full(table[name]) for name in table},
        python=_python(ask),
        sentence=_sentence(ask, states, last),
        numbers={
            **({} if last is None else {"median risk": number(last.risk.median())}),
            **{name: number(risk) for name, risk in states.items()},
            "null": number(ask.task().null_risk()),
        },
        pending="the runs are being trained" if path is None else None,
    )


def _states(ask: HeadsAsk) -> dict[str, float]:
    """Exact risks of states that can be written down with unit keys and values."""
    if ask.heads > ask.kinds:
        return {}
    names = (TRUTH,) if ask.kinds == 1 else (TRUTH, CODE)
    task, attention = ask.task(), ask.attention()
    return {
        name: float(population_risk(task, attention, state_of(name, ask.heads, ask.kinds)))
        for name in names
    }


def _table(ask: HeadsAsk, path: Path) -> pd.DataFrame:
    """Run, step, risk, temperature and the alignments of every head with every kind."""
    pairs = [f"{h}{g}" for h in range(1, ask.heads + 1) for g in range(1, ask.kinds + 1)]
    names = [f"{name}_{pair}" for name in ("kappa", "nu") for pair in pairs]
    table = path.table()
    table["lam"] *= ask.setting.lam
    return table[["run", "step", "risk", "lam", *names]]


def _sentence(ask: HeadsAsk, states: dict[str, float], last: pd.DataFrame | None) -> str:
    heads = f"{_COUNT[ask.heads]} head{'s' if ask.heads > 1 else ''}"
    kinds = f"{_COUNT[ask.kinds]} kind{'s' if ask.kinds > 1 else ''} of decisive tokens"
    said = [
        f"{heads.capitalize()}, {kinds}: the curves are the exact risk of the runs, the matrices"
        " how far the key and the value of each head (rows) point at each kind (columns) at the"
        " moment of the slider."
    ]
    if len(states) == 2:
        better, worse = sorted(states, key=states.__getitem__)
        said.append(
            f"At this λ {_STATES[better]} has risk {states[better]:.4f}, {_STATES[worse]}"
            f" {states[worse]:.4f}."
        )
    if last is not None:
        end = f"Training ends at {last.risk.median():.4f} in median"
        if ask.heads >= ask.kinds > 1:
            own = int(specialised(last, ask.heads, ask.kinds).sum())
            end += f"; in {own} of {len(last)} runs every kind has a head of its own"
        said.append(f"{end}.")
    return " ".join(said)


def _python(ask: HeadsAsk) -> str:
    training, setting = ask.training, ask.setting
    how = training.how(setting)
    run = "sgd_path" if training.batch else "population_path"
    more = (
        f" jax.random.key({training.seed}), batch_size={training.batch}," if training.batch else ""
    )
    return "\n".join(
        [
            "import jax",
            *imports_of([Erf, Heads, SeveralLocations], [run]),
            f"from soloc.dynamics.head_starts import heads_on_{training.where}",
            "from soloc.dynamics.schedules import InverseDecay",
            "",
            (
                f"task = SeveralLocations(d={setting.d!r}, L={setting.L!r}, kinds={ask.kinds},"
                f" gamma={setting.gamma!r}, eps={setting.eps!r})"
            ),
            f"heads = Heads((Erf({setting.lam!r}),) * {ask.heads})",
            (
                f"start = heads_on_{training.where}(task.d, {ask.heads}, {ask.kinds},"
                f" {training.runs}, jax.random.key({training.seed}))"
            ),
            (
                f"path = {run}(task, heads, start,{more} steps={how['steps']},"
                f" step_size={how['step_size']!r}, lam=InverseDecay(1.0, {training.decay!r}),"
                f" every={how['every']})"
            ),
            "path.table()",
        ]
    )


VIEW = View(
    name="heads",
    tab=TAB,
    title="Several heads",
    summary="Training of several heads on several kinds of decisive tokens",
    draw=heads_panel,
    job=heads_job,
    seconds=120.0,
    slow=lambda ask: True,
    with_table=True,
    look=Look(height="clamp(330px, 34vw, 460px)", narrow_height="640px", rest=250),
)
