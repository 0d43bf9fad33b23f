"""States as rows of numbers, (numbers of a state, ..., runs): how pieces carry and record them."""

import math
from typing import Any, NamedTuple

import jax
import numpy as np

from soloc.maths.data import core_axes
from soloc.maths.engine import Array, engine_of


class Layout(NamedTuple):
    """Where the numbers of a kind of state are among its rows."""

    structure: Any
    cores: tuple[tuple[int, ...], ...]  #: shape of one entry of every leaf, () for a number

    @staticmethod
    def of(state: Any) -> "Layout":
        """The layout of states such as this one."""
        leaves, structure = jax.tree.flatten(state)
        axes = core_axes(structure)
        shapes = [np.shape(leaf) for leaf in leaves]
        return Layout(
            structure,
            tuple(shape[len(shape) - n :] for shape, n in zip(shapes, axes, strict=True)),
        )

    @property
    def size(self) -> int:
        """Numbers of one state."""
        return sum(map(math.prod, self.cores))

    def rows(self, state: Any) -> Array:
        """The numbers of states, on a new first axis."""
        leaves = jax.tree.leaves(state)
        xp = engine_of(*leaves).xp
        if not any(self.cores):
            return xp.stack(leaves)
        parts = [
            xp.moveaxis(leaf.reshape(*leaf.shape[: leaf.ndim - len(core)], -1), -1, 0)
            for leaf, core in zip(leaves, self.cores, strict=True)
        ]
        return xp.concatenate(parts)

    def state(self, rows: Array) -> Any:
        """The states whose numbers are on the first axis."""
        if not any(self.cores):
            return jax.tree.unflatten(self.structure, list(rows))
        xp = engine_of(rows).xp
        ends = np.cumsum([math.prod(core) for core in self.cores])
        leaves = [
            xp.moveaxis(rows[end - math.prod(core) : end], 0, -1).reshape(*rows.shape[1:], *core)
            for end, core in zip(ends, self.cores, strict=True)
        ]
        return jax.tree.unflatten(self.structure, leaves)

    def of_runs(self, state: Any, shape: tuple[int, ...]) -> np.ndarray:
        """The rows of states that broadcast to runs of that shape, (size, runs)."""
        flat = [
            np.broadcast_to(np.asarray(leaf, dtype=float), (*shape, *core)).reshape(-1, *core)
            for leaf, core in zip(jax.tree.leaves(state), self.cores, strict=True)
        ]
        return np.asarray(self.rows(jax.tree.unflatten(self.structure, flat)))

    def shaped(self, rows: np.ndarray, shape: tuple[int, ...]) -> Any:
        """The states of runs given by their rows (size, runs), in the shape of the runs."""
        return self.state(rows.reshape(self.size, *shape))
