"""Bodies of questions, and the controls that the page makes of their fields.

Bounds, defaults, labels and explanations of a control are those of the typed field, and are said
nowhere else: `controls_of` reads them, `/api/about` tells them to the page.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field
from pydantic.fields import FieldInfo

Place = Literal["group", "panel", "address"]
Choices = list[tuple[int | str, str]]


class Group(NamedTuple):
    """Controls that stand together under a heading; `name` is what `?hide=` takes."""

    name: str
    title: str
    open: bool = True


class Body(BaseModel):
    """The body of a request: finite numbers inside their bounds, and nothing else."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, frozen=True)
    #: of the controls among its own fields
    group: ClassVar[Group] = Group("more", "More")


@dataclass(frozen=True)
class Knob:
    """Marks a field that a person moves: `Annotated[float, Knob("noise ε", log=True)]`."""

    label: str
    log: bool = False  #: a slider on a logarithmic scale
    least: float | None = None  #: of a logarithmic one that also reaches 0: its smallest step
    slider: bool = True  #: whether a slider makes sense beside the number
    #: what the values of a list are called
    choices: Callable[[], Choices] | None = None
    #: among the controls, inside the panel, or nowhere but in the address
    place: Place = "group"


class Control(BaseModel):
    """A control of the page."""

    name: str
    label: str
    help: str
    default: int | float | str
    low: float | None = None
    high: float | None = None
    longest: int | None = Field(default=None, description="characters of a text")
    log: bool = False
    least: float | None = Field(default=None, description="smallest number above 0, where log")
    whole: bool = False
    slider: bool = True
    place: Place = "group"
    choices: Choices | None = None


class Part(NamedTuple):
    """The controls of one body inside a question: of the question itself, or of a field of it."""

    into: str | None
    group: Group
    controls: list[Control]


def controls_of(body: type[Body]) -> list[Control]:
    """The controls among the fields of a body itself."""
    found = []
    for name, field in body.model_fields.items():
        knob = next((rule for rule in field.metadata if isinstance(rule, Knob)), None)
        if knob is not None:
            found.append(_control(name, field, knob))
    return found


def parts_of(body: type[Body]) -> Iterator[Part]:
    """The controls of a question, those of bodies inside it first."""
    for name, field in body.model_fields.items():
        inside = field.annotation
        if isinstance(inside, type) and issubclass(inside, Body):
            yield Part(name, inside.group, controls_of(inside))
    own = controls_of(body)
    if own:
        yield Part(None, body.group, own)


def _control(name: str, field: FieldInfo, knob: Knob) -> Control:
    rules = {
        key: getattr(rule, key)
        for rule in field.metadata
        for key in ("ge", "le", "max_length")
        if hasattr(rule, key)
    }
    return Control(
        name=name,
        label=knob.label,
        help=field.description or "",
        default=field.default,
        low=rules.get("ge"),
        high=rules.get("le"),
        longest=rules.get("max_length"),
        log=knob.log,
        least=knob.least,
        whole=field.annotation is int,
        slider=knob.slider,
        place=knob.place,
        choices=_choices(field, knob),
    )


def _choices(field: FieldInfo, knob: Knob) -> Choices | None:
    if knob.choices is not None:
        return knob.choices()
    if get_origin(field.annotation) is Literal:
        return [(value, str(value)) for value in get_args(field.annotation)]
    return None
