"""How a kind of state moves under the slopes of its risk: a step of descent, and the flow."""

from collections.abc import Callable
from typing import Any, NamedTuple

from soloc.dynamics.overlap_map import flow_velocity, projected_step
from soloc.risk.overlaps import Overlaps


class Motion(NamedTuple):
    """Projected descent on a kind of state: `step(state, slopes, alpha)`, and its limit."""

    step: Callable[[Any, Any, Any], Any]
    velocity: Callable[[Any, Any], Any]


MOTIONS: dict[type, Motion] = {Overlaps: Motion(projected_step, flow_velocity)}


def motion_of(state: Any) -> Motion:
    """The motion of this state, by its class."""
    for kind in type(state).__mro__:
        if kind in MOTIONS:
            return MOTIONS[kind]
    known = ", ".join(kind.__name__ for kind in MOTIONS)
    raise TypeError(
        f"`start` must be a state that descent can move ({known}), got {type(state).__name__}."
    )
