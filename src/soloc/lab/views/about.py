"""What the page has to know before its first question: the controls with their bounds, the paper's
experiments.
"""

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, Field

from soloc.experiments.training import PAPER, QUESTIONS, Config
from soloc.lab.controls import WEIGHTS, Controls
from soloc.lab.training import Training
from soloc.text.extras import missing

router = APIRouter(prefix="/api")
_LABELS = {
    "training_manifold": "On the manifold, λ = 0.1",
    "training_sphere_hot": "From the sphere, λ = 0.9",
    "training_sphere_cool": "From the sphere, λ = 0.1",
    "training_sphere_schedule": "From the sphere, λ falling",
    "training_sgd": "Stochastic gradients",
}


class ControlField(BaseModel):
    """A control of the page."""

    name: str
    label: str
    help: str
    default: float | int | str
    low: float | None = None
    high: float | None = None
    log: bool = False
    zero: bool = Field(default=False, description="a logarithmic control that also reaches 0")
    least: float | None = Field(
        default=None, description="the smallest number above 0 of such a control"
    )
    whole: bool = False
    slider: bool = Field(default=True, description="whether a slider makes sense beside the number")
    choices: list[tuple[str, str]] | None = None


class Preset(BaseModel):
    """Values of the controls for one experiment of the paper."""

    name: str
    label: str
    question: str
    values: dict[str, float | int | str]


class About(BaseModel):
    """Controls and choices of the lab."""

    setting: list[ControlField]
    training: list[ControlField]
    presets: list[Preset]
    text: bool = Field(description="whether sentences can be scored: their extra is installed")


def control(model: Any, name: str, label: str, **options: Any) -> ControlField:
    """The control of one field of a request: bounds, default and explanation are those of the
    model.
    """
    field = model.model_fields[name]
    bounds = {
        key: getattr(rule, key)
        for rule in field.metadata
        for key in ("ge", "le")
        if hasattr(rule, key)
    }
    return ControlField(
        name=name, label=label, help=field.description or "", default=field.default,
        low=bounds.get("ge"), high=bounds.get("le"), whole=field.annotation is int, **options,
    )  # fmt: skip


@router.get("/about", summary="Controls of the page, with their bounds")
async def about() -> About:
    """The controls of the page."""
    weights = [(name, name.replace("-", " ").replace("one plus", "1 +")) for name in WEIGHTS]
    return About(
        setting=[
            control(Controls, "d", "dimension d", log=True),
            control(Controls, "L", "length L", log=True),
            control(Controls, "gamma", "spread γ", log=True),
            control(Controls, "eps", "noise ε", log=True, zero=True, least=0.01),
            control(Controls, "weight", "weight function", choices=weights),
            control(Controls, "lam", "temperature⁻¹ λ", log=True),
        ],
        training=[
            control(
                Training,
                "where",
                "random starts",
                choices=[("sphere", "on the sphere"), ("manifold", "on the manifold")],
            ),
            control(Training, "runs", "runs"),
            control(Training, "seed", "seed", slider=False),
            control(Training, "step_size", "step size α", log=True),
            control(Training, "steps", "steps", log=True),
            control(Training, "decay", "decay of λ", log=True, zero=True, least=1e-6),
            control(Training, "batch", "batch (SGD)"),
        ],
        presets=[_preset(name, config) for name, config in PAPER.items()],
        text=not missing("text"),
    )


def _preset(name: str, config: Config) -> Preset:
    """An experiment of the paper as values of the controls."""
    values: dict[str, float | int | str] = {
        "d": config.d, "L": config.L, "gamma": config.gamma, "eps": config.eps, "weight": "erf", "lam": config.lam,
        "where": config.start, "step_size": config.step_size, "steps": config.steps, "decay": config.lam_decay,
        "batch": config.batch, "starts": "", "t": 1.0,
    }  # fmt: skip
    return Preset(name=name, label=_LABELS[name], question=QUESTIONS[name], values=values)
