"""How much data?: the regime that the controls describe, for the views of that tab."""

from typing import Annotated, ClassVar

from pydantic import Field

from soloc.lab.body import Body, Group, Knob
from soloc.lab.view import Tab
from soloc.tasks.single_location import SingleLocation

TAB = Tab("samples", "How much data?")
LEAST, MOST = 0.25, 64.0  # of n/d
GROUP = Group("regime", "Task and data")


class RegimeControls(Body):
    """A task whose signal is of order one, at gamma = 1: then the location must be learned."""

    group: ClassVar[Group] = GROUP
    tokens: Annotated[int, Knob("length L", log=True)] = Field(
        default=3, ge=1, le=10**6, description="tokens in a sequence, of which one decides"
    )
    m: Annotated[float, Knob("signal m", log=True)] = Field(
        default=2.0, ge=0.2, le=6, description="mean of the decisive token along k*"
    )
    noise: Annotated[float, Knob("noise ε", log=True)] = Field(
        default=0.3, ge=0.01, le=2, description="on the answer"
    )

    def task(self) -> SingleLocation:
        """The task; its dimension does not count."""
        return SingleLocation(L=self.tokens, gamma=1.0, eps=self.noise, signal=self.m)

    def task_line(self) -> str:
        """The Python line that makes the task."""
        return (
            f"task = SingleLocation(L={self.tokens}, gamma=1.0, eps={self.noise!r},"
            f" signal={self.m!r})"
        )
