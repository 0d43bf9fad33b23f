"""The setting on the left of the page: the task, and the attention that looks at it."""

from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, Field

from soloc.lab.body import Body, Choices, Group, Knob
from soloc.predictors.catalogue import WEIGHTS, Entry
from soloc.tasks.single_location import SingleLocation

Overlap = Annotated[float, Field(ge=-1, le=1)]
Length = Annotated[
    int,
    Knob("length L", log=True),
    Field(ge=1, le=10**9, description="tokens in a sequence, of which one decides"),
]
Draw = Annotated[
    int,
    Knob("sequence", place="address"),
    Field(ge=0, le=2**31 - 1, description="seed of the sequence"),
]


def offered() -> dict[str, Entry]:
    """Weights whose landscape can be drawn: those with an exact risk."""
    return {name: entry for name, entry in WEIGHTS.items() if entry.exact}


class _Offered:
    """The list in the schema, as the catalogue is when the schema is asked for."""

    def __get_pydantic_json_schema__(self, core: Any, handler: Any) -> dict[str, Any]:
        return {"type": "string", "enum": list(offered())}


def _choices() -> Choices:
    return [(name, name) for name in offered()]


def _is_offered(name: str) -> str:
    if name not in offered():
        raise ValueError(f"`weight` must be one of {', '.join(offered())}; got {name[:40]!r}.")
    return name


class TaskControls(Body):
    """The task."""

    group: ClassVar[Group] = Group("setting", "Setting")
    d: Annotated[int, Knob("dimension d", log=True)] = Field(
        default=400, ge=4, le=10**9, description="of every token"
    )
    L: Length = 10
    gamma: Annotated[float, Knob("spread γ", log=True)] = Field(
        default=0.5**0.5, ge=0.05, le=5, description="of the decisive token; the others have 1"
    )
    eps: Annotated[float, Knob("noise ε", log=True, least=0.01)] = Field(
        default=0.0, ge=0, le=5, description="on the answer"
    )

    def task(self) -> SingleLocation:
        """The task of this setting."""
        return SingleLocation(d=self.d, L=self.L, gamma=self.gamma, eps=self.eps)

    def task_line(self) -> str:
        """The Python line that makes the task."""
        given = ", ".join(f"{name}={getattr(self, name)!r}" for name in ("d", "L", "gamma", "eps"))
        return f"task = SingleLocation({given})"


class Controls(TaskControls):
    """The task and the attention that looks at it."""

    weight: Annotated[
        str,
        AfterValidator(_is_offered),
        _Offered(),
        Knob("weight function", choices=_choices),
    ] = Field(default="erf", description="from a score to its attention")
    lam: Annotated[float, Knob("temperature⁻¹ λ", log=True)] = Field(
        default=0.1, ge=1e-4, le=100, description="inverse temperature of the attention"
    )

    @property
    def entry(self) -> Entry:
        """The weight in the catalogue, with what it offers."""
        return WEIGHTS[self.weight]

    @property
    def kind(self) -> str:
        """The name of the weight's class."""
        return self.entry.kind.__name__

    def attention(self) -> Any:
        """The weight of this setting at its temperature."""
        return self.entry.kind(self.lam)

    def lines(self) -> list[str]:
        """The two Python lines that make task and attention."""
        return [self.task_line(), f"attention = {self.kind}(lam={self.lam!r})"]
