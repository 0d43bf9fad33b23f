"""What the page has to know before its first question: the fields of the setting with their bounds, the weights."""

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, Field

from soloc.lab.setting import WEIGHTS, Setting

router = APIRouter(prefix="/api")


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
    least: float | None = Field(default=None, description="the smallest number above 0 of such a control")
    whole: bool = False
    choices: list[tuple[str, str]] | None = None


class About(BaseModel):
    """Controls and choices of the lab."""

    setting: list[ControlField]


def control(model: Any, name: str, label: str, **options: Any) -> ControlField:
    """The control of one field of a request: bounds, default and explanation are those of the model."""
    field = model.model_fields[name]
    bounds = {key: getattr(rule, key) for rule in field.metadata for key in ("ge", "le") if hasattr(rule, key)}
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
            control(Setting, "d", "dimension d", log=True),
            control(Setting, "L", "length L", log=True),
            control(Setting, "gamma", "spread γ", log=True),
            control(Setting, "eps", "noise ε", log=True, zero=True, least=0.01),
            control(Setting, "weight", "weight function", choices=weights),
            control(Setting, "lam", "inverse temperature λ", log=True),
        ]
    )
