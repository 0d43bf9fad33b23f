"""Stochastic gradient descent exactly in law, in O(batch x L) per step whatever the dimension.

Fresh Gaussian tokens are rotation invariant, so k, v, k*, v* (and the velocities, with momentum)
matter only through their coordinates in a frame that moves with them: k on the first axis, v on the
first two, and so on. Of a background token only the first two coordinates are drawn, of a signal
token four; the rest enters the gradient linearly and is drawn as one sum. The part outside the
frame is a pair of Gaussian vectors in R^(d-F): its Gram matrix is Wishart, drawn by Bartlett's
decomposition on two new axes.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import ndtr

from soloc.maths.draws import chi, normals, seed_of
from soloc.predictors.pointwise import Pointwise
from soloc.tasks.lengths import LengthLaw
from soloc.tasks.single_location import SingleLocation

SLOTS = 256  # observations of one compiled piece
_Carry: TypeAlias = tuple[jax.Array, jax.Array]  # vectors, and what was observed of them
_DRAWN_AT_ONCE = 2**18  # normals drawn together, before the steps that use them


class Plan(NamedTuple):
    """What a compiled chain depends on besides numbers."""

    lengths: LengthLaw | None
    L: int
    batch: int
    runs: int
    with_momentum: bool
    free_norms: bool

    @property
    def frame(self) -> int:
        """Vectors followed, and axes of their frame: k, v, k*, v* and the velocities if any."""
        return 6 if self.with_momentum else 4

    @property
    def pairs(self) -> int:
        """Half the number of normals of one step of one run."""
        count = self.batch * (2 * (self.L - 1) + 4 + 1) + 2 * (self.frame - 2) + 1
        count += self.batch if self.lengths is not None else 0
        return (count + 1) // 2

    @property
    def together(self) -> int:
        """Steps whose normals are drawn together."""
        return int(np.clip(_DRAWN_AT_ONCE // (2 * self.pairs * self.runs), 1, 128))


class Draws(NamedTuple):
    """The randomness of one step; runs are on the last axis."""

    background: jax.Array  #: (2, L-1, batch, runs) coordinates along the first two axes
    signal: jax.Array  #: (4, batch, runs)
    noise: jax.Array  #: (batch, runs)
    sums: jax.Array  #: (frame-2, 2, runs) for what background tokens add along the other axes
    slant: jax.Array  #: (runs,) the normal of Bartlett's decomposition
    lengths: jax.Array | None  #: (batch, runs)
    chi: jax.Array  #: (2, runs)


class Chain(NamedTuple):
    """Numbers of a chain, broadcasting with the runs."""

    task: SingleLocation
    weight: Any
    momentum: Any


def triangular(vectors: list[jax.Array]) -> jax.Array:
    """F vectors (axes, runs) in their own Gram-Schmidt frame, lower triangular: (F, F, runs)."""
    rows: list[jax.Array] = []
    frame: list[jax.Array] = []
    for vector in vectors:
        row = []
        for axis in frame:
            row.append(jnp.sum(vector * axis, axis=0))
            vector = vector - row[-1] * axis
        row.append(jnp.sqrt(jnp.sum(vector * vector, axis=0)))
        frame.append(vector / jnp.where(row[-1] > 0.0, row[-1], 1.0))
        rows.append(jnp.stack(row + [jnp.zeros_like(row[0])] * (len(vectors) - len(row))))
    return jnp.stack(rows)


def observe(vectors: jax.Array) -> jax.Array:
    """(kappa, nu, theta, eta, rho) of the directions, and (|k|, |v|): (7, runs)."""
    k, v, k_star, v_star = vectors[:4]
    norm_k, norm_v = jnp.sqrt(jnp.sum(k * k, axis=0)), jnp.sqrt(jnp.sum(v * v, axis=0))
    k, v = k / norm_k, v / norm_v
    pairs = ((k, k_star), (v, v_star), (v, k_star), (k, v_star), (k, v))
    return jnp.stack([*(jnp.sum(x * y, axis=0) for x, y in pairs), norm_k, norm_v])


def _gradients(
    plan: Plan, chain: Chain, lam: jax.Array, vectors: jax.Array, draws: Draws
) -> tuple[jax.Array, jax.Array]:
    """The batch gradients of the squared error in k and v, each (F+2, runs) coordinates."""
    k, v, k_star, v_star = vectors[:4, :4]
    gamma, m = chain.task.gamma, chain.task.m
    signal = m * k_star[:, None] + gamma * draws.signal
    a = jnp.concatenate([(k[0] * signal[0])[None], k[0] * draws.background[0]])
    b = jnp.concatenate(
        [
            (v[0] * signal[0] + v[1] * signal[1])[None],
            v[0] * draws.background[0] + v[1] * draws.background[1],
        ]
    )
    answer = jnp.sum(v_star[:, None] * signal, axis=0) + chain.task.eps * draws.noise
    guess, pull_back = jax.vjp(lambda a, b: _predict(plan, chain, lam, draws.lengths, a, b), a, b)
    # the gradients are sum A_il X_il and sum B_il X_il
    A, B = pull_back((2.0 / plan.batch) * (guess - answer))
    both = jnp.stack([A, B])
    in_signal, in_background = both[:, 0], both[:, 1:]
    mean = jnp.sum(in_signal[:, None] * signal, axis=2)  # (2, 4, runs)
    near = jnp.sum(in_background[:, None] * draws.background, axis=(2, 3))  # (2, 2, runs)
    gram = jnp.stack([A * A, A * B, B * B])
    of_background = jnp.sum(gram[:, 1:], axis=(1, 2))
    of_all = of_background + gamma * gamma * jnp.sum(gram[:, 0], axis=1)
    small, large = _cholesky(of_background), _cholesky(of_all)
    exists = (jnp.arange(4, plan.frame)[:, None] < chain.task.d) * 1.0
    there = (chain.task.d > plan.frame) * 1.0
    first = jnp.stack([draws.chi[0], jnp.zeros_like(draws.slant)])
    second = jnp.stack([there * draws.slant, draws.chi[1]])
    columns = []
    for i, (c_small, c_large) in enumerate(zip(small, large, strict=True)):
        middle = c_small[0] * draws.sums[:2, 0] + c_small[1] * draws.sums[:2, 1]
        outer = exists * (c_large[0] * draws.sums[2:, 0] + c_large[1] * draws.sums[2:, 1])
        beyond = c_large[0] * first + c_large[1] * second
        columns.append(
            jnp.concatenate([mean[i] + jnp.concatenate([near[i], middle]), outer, beyond])
        )
    return columns[0], columns[1]


def _cholesky(gram: jax.Array) -> tuple[tuple[jax.Array, jax.Array], ...]:
    """Rows of the Cholesky factor of [[g0, g1], [g1, g2]]."""
    first = jnp.sqrt(gram[0])
    slant = gram[1] / jnp.where(first > 0.0, first, 1.0)
    return (first, jnp.zeros_like(first)), (
        slant,
        jnp.sqrt(jnp.maximum(gram[2] - slant * slant, 0.0)),
    )


def _predict(
    plan: Plan, chain: Chain, lam: jax.Array, lengths: jax.Array | None, a: jax.Array, b: jax.Array
) -> jax.Array:
    """T of scores a and values b of shape (L, batch, runs); the signal token comes first."""
    weight = chain.weight.with_lam(lam)
    present = None if lengths is None else jnp.arange(plan.L)[:, None, None] < lengths
    if isinstance(weight, Pointwise):
        weights = weight.value(lam * a)
        weights = weights if present is None else jnp.where(present, weights, 0.0)
        weights = (
            weights / (plan.L if lengths is None else lengths) if weight.per_length else weights
        )
    else:
        scores = jnp.moveaxis(a, 0, -1)
        weights = (
            weight(scores) if present is None else weight(scores, jnp.moveaxis(present, 0, -1))
        )
        weights = jnp.moveaxis(weights, -1, 0)
    return jnp.sum(weights * b, axis=0)


def _step(
    plan: Plan, chain: Chain, lam: jax.Array, alpha: jax.Array, vectors: jax.Array, draws: Draws
) -> jax.Array:
    """One step in coordinates, and back to a triangular frame."""
    wide = jnp.concatenate([vectors, jnp.zeros((plan.frame, 2, plan.runs))], axis=1)
    moved = []
    velocities = []
    for i, gradient in enumerate(_gradients(plan, chain, lam, vectors, draws)):
        x = wide[i]
        if plan.with_momentum:
            gradient = chain.momentum * wide[4 + i] + gradient
        if not plan.free_norms:
            gradient = gradient - jnp.sum(x * gradient, axis=0) * x
        x = x - alpha * gradient
        moved.append(x if plan.free_norms else x / jnp.sqrt(jnp.sum(x * x, axis=0)))
        velocities.append(gradient)
    return triangular([*moved, wide[2], wide[3], *(velocities if plan.with_momentum else [])])


def _draw(plan: Plan, chain: Chain, key: jax.Array, step: jax.Array) -> Draws:
    """The randomness of one step, a function of the key and the step alone."""
    z = normals(
        seed_of(key),
        step.astype(jnp.uint64) * np.uint64(2 * plan.pairs * plan.runs),
        plan.pairs,
        plan.runs,
    )
    n, B = plan.L - 1, plan.batch
    sizes = [
        2 * n * B,
        4 * B,
        B,
        2 * (plan.frame - 2),
        1,
        B if plan.lengths is not None else 0,
    ]
    ends = np.cumsum(sizes)
    background, signal, noise, sums, slant, length = (
        z[e - s : e] for e, s in zip(ends, sizes, strict=True)
    )
    lengths = None
    if plan.lengths is not None:
        values, chances = plan.lengths
        edges = jnp.asarray(np.cumsum(chances)[:-1])
        lengths = jnp.asarray(values, dtype=float)[jnp.searchsorted(edges, ndtr(length))]
    left = jnp.maximum(jnp.stack([chain.task.d - plan.frame, chain.task.d - plan.frame - 1.0]), 0.0)
    left = left[:, None] if left.ndim == 1 else left
    return Draws(
        background=background.reshape(2, n, B, plan.runs),
        signal=signal.reshape(4, B, plan.runs),
        noise=noise,
        sums=sums.reshape(plan.frame - 2, 2, plan.runs),
        slant=slant[0],
        lengths=lengths,
        chi=chi(jax.random.fold_in(key, step), left, (2, plan.runs)),
    )


@cache
def compiled_chain(plan: Plan) -> Callable[..., tuple[jax.Array, jax.Array]]:
    """`advance` of n steps from step `first`, observed every `stride`, compiled for a plan."""

    @jax.jit
    def advance(
        vectors: jax.Array,
        key: jax.Array,
        first: jax.Array,
        lam: jax.Array,
        alpha: jax.Array,
        chain: Chain,
        n: jax.Array,
        stride: jax.Array,
    ) -> _Carry:
        def block(i: jax.Array, carry: _Carry) -> _Carry:
            begin = i * plan.together
            draws = jax.vmap(lambda j: _draw(plan, chain, key, first + begin + j))(
                jnp.arange(plan.together)
            )

            def one(j: jax.Array, carry: _Carry) -> _Carry:
                vectors, seen = carry
                t = begin + j
                vectors = _step(
                    plan, chain, lam[t], alpha[t], vectors, jax.tree.map(lambda x: x[j], draws)
                )
                return vectors, seen.at[t // stride].set(observe(vectors))

            last: _Carry = jax.lax.fori_loop(0, jnp.minimum(plan.together, n - begin), one, carry)
            return last

        blocks = (n + plan.together - 1) // plan.together
        end: _Carry = jax.lax.fori_loop(
            0, blocks, block, (vectors, jnp.zeros((SLOTS, 7, plan.runs)))
        )
        return end

    return advance
