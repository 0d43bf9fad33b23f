"""Update rules: from a gradient to the direction of a step, by `begin` and `update`.

`project` removes from a direction its part normal to the constraint (the identity without one).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import jax
import jax.numpy as jnp

from soloc.maths.numbers import check_real

Project = Callable[[Any], Any]


class Rule(Protocol):
    """What `descend` asks of an update rule."""

    def begin(self, point: Any) -> Any: ...

    def update(
        self, gradient: Any, memory: Any, step: jax.Array, project: Project
    ) -> tuple[Any, Any]: ...


@dataclass(frozen=True)
class Plain:
    """The gradient itself."""

    def begin(self, point: Any) -> Any:
        return ()

    def update(
        self, gradient: Any, memory: Any, step: jax.Array, project: Project
    ) -> tuple[Any, Any]:
        return project(gradient), memory


@dataclass(frozen=True)
class Momentum:
    """velocity <- beta velocity + gradient, kept tangent to the constraint (Polyak, 1964)."""

    beta: float = 0.9

    def __post_init__(self) -> None:
        check_real("beta", self.beta, "a number >= 0", 0.0)

    def begin(self, point: Any) -> Any:
        return jax.tree.map(jnp.zeros_like, point)

    def update(
        self, gradient: Any, memory: Any, step: jax.Array, project: Project
    ) -> tuple[Any, Any]:
        velocity = project(jax.tree.map(lambda g, m: self.beta * m + g, gradient, memory))
        return velocity, velocity


@dataclass(frozen=True)
class Adam:
    """Adaptive moments (Kingma and Ba, 2015), coordinate-wise: no dynamics in overlaps."""

    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8

    def begin(self, point: Any) -> Any:
        zero = jax.tree.map(jnp.zeros_like, point)
        return zero, zero

    def update(
        self, gradient: Any, memory: Any, step: jax.Array, project: Project
    ) -> tuple[Any, Any]:
        first = jax.tree.map(
            lambda m, g: self.beta1 * m + (1.0 - self.beta1) * g, memory[0], gradient
        )
        second = jax.tree.map(
            lambda s, g: self.beta2 * s + (1.0 - self.beta2) * g * g, memory[1], gradient
        )
        unbias1, unbias2 = (
            1.0 / (1.0 - self.beta1 ** (step + 1.0)),
            1.0 / (1.0 - self.beta2 ** (step + 1.0)),
        )
        direction = jax.tree.map(
            lambda m, s: unbias1 * m / (jnp.sqrt(unbias2 * s) + self.epsilon), first, second
        )
        return project(direction), (first, second)
