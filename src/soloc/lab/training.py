"""Training as the controls describe it: where runs start, how far and how fast they go."""

from typing import Annotated, Any, ClassVar, Literal

import jax
import numpy as np
from pydantic import Field, model_validator

from soloc.dynamics.schedules import InverseDecay
from soloc.dynamics.starts import uniform_on_manifold, uniform_on_sphere
from soloc.lab.body import Body, Choices, Group, Knob
from soloc.lab.controls import Controls, Overlap
from soloc.lab.lines import imports_of
from soloc.lab.view import Tab
from soloc.risk.overlaps import NAMES, Overlaps

# fewer where every recorded risk is an integral over all scores
RECORDS, RECORDS_INTEGRATED = 120, 40
_FINE = 20  # times as many are made where they cost nothing, and thinned on logarithmic time
MOST_RUNS = 8
TAB = Tab("training", "Training")
_TOKENS_A_STEP, _TOKENS = 20_000, 300_000_000  # that SGD may draw: about 20 seconds of work
_INTEGRATED_STEPS = 20_000  # of weights whose slopes are integrals: about a millisecond each
_DRAWS = {"sphere": uniform_on_sphere, "manifold": uniform_on_manifold}


def _where() -> Choices:
    return [("sphere", "on the sphere"), ("manifold", "on the manifold")]


class Start(Body):
    """Where one run starts."""

    kappa: Annotated[Overlap, Knob("κ")] = 0.1
    nu: Annotated[Overlap, Knob("ν")] = 0.1
    theta: Overlap = 0.0
    eta: Overlap = 0.0
    rho: Overlap = 0.0


class Training(Body):
    """Projected gradient descent from random starts, or from given ones."""

    group: ClassVar[Group] = Group("training", "Training")
    where: Annotated[Literal["sphere", "manifold"], Knob("random starts", choices=_where)] = Field(
        default="manifold", description="key and value unrelated, or anywhere"
    )
    runs: Annotated[int, Knob("runs")] = Field(
        default=4, ge=1, le=MOST_RUNS, description="random starts at once"
    )
    seed: Annotated[int, Knob("seed", slider=False)] = Field(
        default=0, ge=0, le=2**31 - 1, description="of the random starts, and of the samples of SGD"
    )
    starts: list[Start] = Field(
        default=[], max_length=MOST_RUNS, description="starts instead of random ones"
    )
    step_size: Annotated[float, Knob("step size α", log=True)] = Field(
        default=4e-3, ge=1e-6, le=1, description="length of a gradient step"
    )
    steps: Annotated[int, Knob("steps", log=True)] = Field(
        default=20_000, ge=1, le=200_000, description="number of steps"
    )
    decay: Annotated[float, Knob("decay of λ", log=True, least=1e-6)] = Field(
        default=0.0, ge=0, le=1, description="λ falls as λ / (1 + decay · step)"
    )
    batch: Annotated[int, Knob("batch (SGD)")] = Field(
        default=0, ge=0, le=64, description="fresh samples per step; 0 descends the exact risk"
    )

    def start(self, d: int) -> Overlaps:
        """The overlaps at which the runs start."""
        if not self.starts:
            return _DRAWS[self.where](d, self.runs, jax.random.key(self.seed))
        return Overlaps(
            *(np.asarray([getattr(one, name) for one in self.starts]) for name in NAMES)
        )

    def every(self, setting: Controls) -> int:
        """Steps between records."""
        fine = _FINE if self.is_thinned(setting) else 1
        records = RECORDS_INTEGRATED if setting.entry.slow else RECORDS * fine
        return max(1, self.steps // records)

    def is_thinned(self, setting: Controls) -> bool:
        """Whether the path is recorded finely, and shown on logarithmic time."""
        return setting.entry.closed_slopes and not self.batch

    def how(self, setting: Controls) -> dict[str, Any]:
        """Keywords of `population_path` and `sgd_path`."""
        lam = InverseDecay(setting.lam, self.decay)
        return {
            "steps": self.steps,
            "step_size": self.step_size,
            "lam": lam,
            "every": self.every(setting),
        }

    def lines(self, setting: Controls) -> list[str]:
        """The Python lines that run the same training, after those of the setting."""
        if self.starts:
            rows = ", ".join(
                f"{name}=np.array({[getattr(one, name) for one in self.starts]})" for name in NAMES
            )
            start = f"start = Overlaps({rows})"
        else:
            start = (
                f"start = uniform_on_{self.where}(task.d, runs={self.runs},"
                f" key=jax.random.key({self.seed}))"
            )
        how = (
            f"steps={self.steps}, step_size={self.step_size!r}, lam=InverseDecay({setting.lam!r},"
            f" {self.decay!r}), every={self.every(setting)}"
        )
        if self.batch:
            run = (
                f"path = sgd_path(task, attention, start, jax.random.key({self.seed}),"
                f" batch_size={self.batch}, {how})"
            )
        else:
            run = f"path = population_path(task, attention, start, {how})"
        thin = [f"path = path.thinned({RECORDS})"] if self.is_thinned(setting) else []
        return [start, run, *thin, "path.table()"]

    def imports(self, setting: Controls) -> list[str]:
        """The imports of these lines and of those of the setting."""
        run = "sgd_path" if self.batch else "population_path"
        names = [run, "SingleLocation", *(["Overlaps"] if self.starts else [])]
        starts = (
            [] if self.starts else [f"from soloc.dynamics.starts import uniform_on_{self.where}"]
        )
        return [
            *(["import jax"] if self.batch or not self.starts else []),
            *(["import numpy as np"] if self.starts else []),
            *imports_of([setting.entry.kind], names),
            "from soloc.dynamics.schedules import InverseDecay",
            *starts,
        ]


class PathsAsk(Body):
    """A setting and how it is trained."""

    setting: Controls = Controls()
    training: Training = Training()
    columns: Literal[1, 2, 3] = Field(default=3, description="of the small plots side by side")


class QuickPathsAsk(PathsAsk):
    """Training that is answered while one waits."""

    @model_validator(mode="after")
    def _is_quick(self) -> "QuickPathsAsk":
        if not self.setting.entry.closed_slopes or self.training.batch:
            raise ValueError(
                "`training` must descend the exact risk of a weight whose slopes are closed forms,"
                f" as those of erf, to be answered at once, got `weight` {self.setting.weight} and"
                f" `batch` {self.training.batch}; start a job with POST /api/jobs/paths."
            )
        return self


class LongPathsAsk(PathsAsk):
    """Training that takes seconds: stochastic, or on an exact risk that is an integral."""

    @model_validator(mode="after")
    def _is_bounded(self) -> "LongPathsAsk":
        setting, training = self.setting, self.training
        runs = len(training.starts) or training.runs
        if training.batch:
            tokens = training.batch * setting.L
            if tokens > _TOKENS_A_STEP or tokens * training.steps * runs > _TOKENS:
                raise ValueError(
                    f"`batch` times `L` must be at most {_TOKENS_A_STEP:,}, and times `steps` and"
                    f" runs at most {_TOKENS:,}, for SGD in the lab, got {tokens:,} and"
                    f" {tokens * training.steps * runs:,}; take fewer, or sgd_path in Python."
                )
        elif setting.entry.slow:
            raise ValueError(
                f"`weight` {setting.weight} must be trained on samples here: set `batch` to 1 or"
                " more."
            )
        elif training.steps > _INTEGRATED_STEPS and not setting.entry.closed_slopes:
            raise ValueError(
                f"`steps` must be at most {_INTEGRATED_STEPS:,} where every step integrates, as for"
                f" {setting.weight}, got {training.steps:,}; take fewer steps, or population_path"
                " in Python."
            )
        return self
