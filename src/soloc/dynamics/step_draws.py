"""What a step of stochastic descent draws: exactly what its law needs, many steps at a time."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import ndtr

from soloc.maths.draws import chi, normals
from soloc.tasks.lengths import LengthLaw

_DRAWN_AT_ONCE = 2**18  # normals drawn together, before the steps that use them
_SMALL = 3072  # numbers of an array in a step: XLA's loops over 4096 are of other kinds
LANES = 16  # runs are filled up to a multiple of what a vector instruction takes


class Plan(NamedTuple):
    """What a compiled chain depends on besides numbers."""

    lengths: LengthLaw | None
    L: int
    batch: int
    runs: int
    with_momentum: bool
    free_norms: bool
    observe: Callable[[Any, int], Any]  #: what is recorded of so many vectors
    heads: int = 1
    kinds: tuple[int, ...] = (0,)  #: of the decisive tokens
    importance: tuple[float, ...] = (1.0,)  #: of the kinds
    arithmetic: bool = False  #: the weights are, and a step can be one function of machine code

    @property
    def moving(self) -> int:
        """Vectors that are trained, a key and a value for each head."""
        return 2 * self.heads

    @property
    def followed(self) -> int:
        """Those and the truth."""
        return self.moving + 2 * len(self.importance)

    @property
    def frame(self) -> int:
        """Those and the velocities if any: as many axes."""
        return self.followed + (self.moving if self.with_momentum else 0)

    @property
    def small(self) -> bool:
        """Whether a step touches so few numbers that it can be one function of machine code."""
        largest = max(self.L * self.batch, self.frame * (self.frame + self.moving))
        return largest * self.lanes <= _SMALL

    @property
    def lanes(self) -> int:
        """Runs side by side, some of them only to fill up."""
        return -(-self.runs // LANES) * LANES

    def filled(self, x: Any) -> Any:
        """Numbers of the runs, on the last axis if any, with the last run again to fill up."""
        if np.ndim(x) == 0 or np.shape(x)[-1] == 1 != self.runs:
            return x
        return np.pad(x, [(0, 0)] * (np.ndim(x) - 1) + [(0, self.lanes - self.runs)], mode="edge")

    @property
    def alone(self) -> dict[str, int]:
        """How many normals of each kind a step of one run draws besides tokens, in order."""
        H = self.moving
        return {
            "noise": self.batch,
            "sums": (self.frame - H) * H,
            "slants": H * (H - 1) // 2,
            "lengths": self.batch if self.lengths is not None else 0,
        }

    @property
    def pairs(self) -> dict[str, int]:
        """Half the normals of one step of one run: of other tokens, of decisive ones, the rest."""
        n = len(self.kinds)
        return {
            "background": self.moving * (self.L - n) * self.batch // 2,
            "signal": self.followed * n * self.batch // 2,
            "alone": (sum(self.alone.values()) + 1) // 2,
        }

    @property
    def together(self) -> int:
        """Steps whose normals are drawn together."""
        return int(np.clip(_DRAWN_AT_ONCE // (2 * sum(self.pairs.values()) * self.lanes), 1, 128))


class Block(NamedTuple):
    """The randomness of many steps, which are on the first axis; runs are on the last."""

    halves: tuple[jax.Array, jax.Array]  #: normals, in the order of `Plan.pairs`
    alone: jax.Array  #: those besides tokens, in the order of `Plan.alone`
    lengths: jax.Array | None  #: (steps, batch, runs)
    chi: jax.Array  #: (steps, 2H, runs)


class Draws(NamedTuple):
    """The randomness of one step; runs are on the last axis."""

    background: list[jax.Array]  #: 2H coordinates along the first axes, (L-n, batch, runs) each
    signal: list[jax.Array]  #: 2H + 2H* of (n, batch, runs)
    noise: jax.Array  #: (batch, runs)
    sums: jax.Array  #: (frame-2H, 2H, runs) for what background tokens add along the other axes
    slants: jax.Array  #: (H(2H-1), runs) the normals of Bartlett's decomposition
    lengths: jax.Array | None  #: (batch, runs)
    chi: jax.Array  #: (2H, runs)


def draw(plan: Plan, d: Any, seeds: jax.Array, first: jax.Array) -> Block:
    """The randomness of `plan.together` steps, each a function of the two seeds and the step."""
    sizes, steps, lanes = plan.pairs, plan.together, plan.lanes
    pairs = sum(sizes.values())
    step = jnp.asarray(first).astype(jnp.uint64)
    halves = normals(seeds[0], step * np.uint64(pairs * lanes), (steps, pairs, lanes))
    ends = [half[:, pairs - sizes["alone"] :] for half in halves]
    alone = jnp.concatenate(ends, axis=1).astype(jnp.float64)
    lengths = None
    if plan.lengths is not None:
        values, chances = plan.lengths
        edges = jnp.asarray(np.cumsum(chances)[:-1])
        at = sum(plan.alone.values()) - plan.batch
        places = jnp.searchsorted(edges, ndtr(alone[:, at : at + plan.batch]))
        lengths = jnp.asarray(values, dtype=float)[places]
    H = plan.moving
    left = [jnp.broadcast_to(d - plan.frame - float(i), (lanes,)) for i in range(H)]
    return Block(
        halves,
        alone,
        lengths,
        chi(
            seeds[1],
            step * np.uint64(H * lanes),
            jnp.maximum(jnp.stack(left), 0.0),
            (steps, H, lanes),
        ),
    )


def of_step(plan: Plan, block: Block, step: jax.Array) -> Draws:
    """One step's part of a block."""
    halves, alone, lengths, chi = jax.tree.map(lambda x: x[step], tuple(block))
    H, n, B, lanes = plan.moving, len(plan.kinds), plan.batch, plan.lanes
    end = plan.pairs["background"]
    background = [half[:end].reshape(H // 2, plan.L - n, B, lanes) for half in halves]
    last = end + plan.pairs["signal"]
    signal = [half[end:last].reshape(plan.followed // 2, n, B, lanes) for half in halves]
    ends = dict(zip(plan.alone, np.cumsum(list(plan.alone.values())), strict=True))
    part = {name: alone[ends[name] - size : ends[name]] for name, size in plan.alone.items()}
    return Draws(
        background=[x for pair in zip(*background, strict=True) for x in pair],
        signal=[x.astype(jnp.float64) for pair in zip(*signal, strict=True) for x in pair],
        noise=part["noise"],
        sums=part["sums"].reshape(plan.frame - H, H, lanes),
        slants=part["slants"],
        lengths=lengths,
        chi=chi,
    )
