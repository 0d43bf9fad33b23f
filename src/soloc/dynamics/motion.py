"""How a kind of state moves under the slopes of its risk, and what a path shows of it."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from soloc.dynamics.overlap_map import flow_velocity, projected_step
from soloc.risk.overlaps import NAMES, Overlaps


class Motion(NamedTuple):
    """Projected descent on a kind of state, its limit of small steps, and columns of a path."""

    step: Callable[[Any, Any, Any], Any]  #: (state, slopes, alpha) -> state
    velocity: Callable[[Any, Any], Any]  #: (state, slopes) -> d state / dt
    numbers: Callable[[Any], dict[str, np.ndarray]]  #: what the state is
    measures: Callable[[Any], dict[str, np.ndarray]]  #: what it tells


MOTIONS: dict[type, Motion] = {
    Overlaps: Motion(
        projected_step,
        flow_velocity,
        lambda o: dict(zip(NAMES, o, strict=True)),
        lambda o: {"distance": np.sqrt(o.theta**2 + o.eta**2 + o.rho**2)},
    )
}


def motion_of(kind: type) -> Motion:
    """The motion of a kind of state."""
    for known in kind.__mro__:
        if known in MOTIONS:
            return MOTIONS[known]
    raise TypeError(
        "`start` must be a state that descent can move"
        f" ({', '.join(known.__name__ for known in MOTIONS)}), got {kind.__name__}."
    )
