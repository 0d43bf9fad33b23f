"""The setting: what the controls of the page hold, with bounds that no request can leave."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from soloc.predictors.normalised import Softmax
from soloc.predictors.pointwise import (
    Erf,
    Exponential,
    Linear,
    OnePlusErf,
    OnePlusLinear,
    ReLU,
    Sigmoid,
    Softplus,
    Tanh,
)
from soloc.tasks.single_location import SingleLocation

#: Weights with an exact risk cheap enough for a landscape.
WEIGHTS: dict[str, Any] = {
    "erf": Erf,
    "tanh": Tanh,
    "sigmoid": Sigmoid,
    "one-plus-erf": OnePlusErf,
    "relu": ReLU,
    "softplus": Softplus,
    "linear": Linear,
    "one-plus-linear": OnePlusLinear,
    "exponential": Exponential,
    "softmax": Softmax,
}
WeightName = Literal[
    "erf",
    "tanh",
    "sigmoid",
    "one-plus-erf",
    "relu",
    "softplus",
    "linear",
    "one-plus-linear",
    "exponential",
    "softmax",
]
Overlap = Annotated[float, Field(ge=-1, le=1)]


class Body(BaseModel):
    """The body of a request: finite numbers inside their bounds, and nothing that was not asked
    for.
    """

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, frozen=True)


class Controls(Body):
    """The task and the attention that looks at it."""

    d: int = Field(default=400, ge=4, le=10**9, description="of every token")
    L: int = Field(
        default=10, ge=1, le=10**9, description="tokens in a sequence, of which one decides"
    )
    gamma: float = Field(
        default=0.5**0.5, ge=0.05, le=5, description="of the decisive token; the others have 1"
    )
    eps: float = Field(default=0.0, ge=0, le=5, description="on the answer")
    weight: WeightName = Field(default="erf", description="from a score to its attention")
    lam: float = Field(
        default=0.1, ge=1e-4, le=100, description="inverse temperature of the attention"
    )

    def task(self) -> SingleLocation:
        """The task of this setting."""
        return SingleLocation(d=self.d, L=self.L, gamma=self.gamma, eps=self.eps)

    def attention(self) -> Any:
        """The weight of this setting at its temperature."""
        return WEIGHTS[self.weight](self.lam)

    def lines(self) -> list[str]:
        """The two Python lines that make task and attention; `imports` names what they need."""
        return [
            (
                f"task = SingleLocation(d={self.d}, L={self.L}, gamma={self.gamma!r},"
                f" eps={self.eps!r})"
            ),
            f"attention = {self.kind}(lam={self.lam!r})",
        ]

    @property
    def kind(self) -> str:
        """The name of the weight's class in soloc."""
        return WEIGHTS[self.weight].__name__
