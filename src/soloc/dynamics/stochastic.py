"""Stochastic gradient descent exactly in law, in O(batch x L) per step whatever the dimension.

Fresh Gaussian tokens are rotation invariant, so that keys and values k_1.., v_1.. of H heads and
the truth k*_1.., v*_1.. (and the velocities, with momentum) matter only through their coordinates
in a frame that moves with them: k_1 on the first axis, the next on the first two, and so on. Of a
background token only the first 2H coordinates are drawn, of a decisive token 2H + 2H*; the rest
enters the gradients linearly and is drawn as one sum. The part outside the frame is 2H Gaussian
vectors in R^(d-F): their Gram matrix is Wishart, drawn by Bartlett's decomposition on 2H new axes.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import ndtr

from soloc.maths.arithmetic import VECTORS
from soloc.maths.draws import chi, normals, seed_of
from soloc.predictors.pointwise import Pointwise
from soloc.tasks.lengths import LengthLaw

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
    observe: Callable[[Any, int], Any]  #: what is recorded of so many vectors
    heads: int = 1
    kinds: tuple[int, ...] = (0,)  #: of the decisive tokens
    importance: tuple[float, ...] = (1.0,)  #: of the kinds

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
    def normals(self) -> dict[str, int]:
        """How many normals of each kind one step of one run draws, in their order."""
        n, H = len(self.kinds), self.moving
        return {
            "background": H * (self.L - n) * self.batch,
            "signal": self.followed * n * self.batch,
            "noise": self.batch,
            "sums": (self.frame - H) * H,
            "slants": H * (H - 1) // 2,
            "lengths": self.batch if self.lengths is not None else 0,
        }

    @property
    def pairs(self) -> int:
        """Half the number of normals of one step of one run."""
        return (sum(self.normals.values()) + 1) // 2

    @property
    def together(self) -> int:
        """Steps whose normals are drawn together."""
        return int(np.clip(_DRAWN_AT_ONCE // (2 * self.pairs * self.runs), 1, 128))


class Draws(NamedTuple):
    """The randomness of one step; runs are on the last axis."""

    background: jax.Array  #: (2H, L-n, batch, runs) coordinates along the first axes
    signal: jax.Array  #: (2H + 2H*, n, batch, runs)
    noise: jax.Array  #: (batch, runs)
    sums: jax.Array  #: (frame-2H, 2H, runs) for what background tokens add along the other axes
    slants: jax.Array  #: (H(2H-1), runs) the normals of Bartlett's decomposition
    lengths: jax.Array | None  #: (batch, runs)
    chi: jax.Array  #: (2H, runs)


class Chain(NamedTuple):
    """Numbers of a chain, broadcasting with the runs."""

    task: Any
    weights: tuple[Any, ...]  #: of the heads, at their own temperatures; `lam` multiplies them
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


def observe_overlaps(vectors: jax.Array, followed: int) -> jax.Array:
    """(kappa, nu, theta, eta, rho) of the directions, and (|k|, |v|): (7, runs)."""
    k, v, k_star, v_star = vectors[:followed]
    norm_k, norm_v = jnp.sqrt(jnp.sum(k * k, axis=0)), jnp.sqrt(jnp.sum(v * v, axis=0))
    k, v = k / norm_k, v / norm_v
    pairs = ((k, k_star), (v, v_star), (v, k_star), (k, v_star), (k, v))
    return jnp.stack([*(jnp.sum(x * y, axis=0) for x, y in pairs), norm_k, norm_v])


def observe_gram(vectors: jax.Array, followed: int) -> jax.Array:
    """Inner products of keys, values and truth, row by row: (followed^2, runs)."""
    known = vectors[:followed]
    gram = jnp.sum(known[:, None] * known[None], axis=2)
    return gram.reshape(followed * followed, -1)


def _gradients(
    plan: Plan, chain: Chain, lam: jax.Array, vectors: jax.Array, draws: Draws
) -> list[jax.Array]:
    """The batch gradients of the squared error in keys and values, each (F+2H, runs)."""
    H, n = plan.moving, len(plan.kinds)
    stars = vectors[H : plan.followed, : plan.followed]
    k_star, v_star = stars[: len(plan.importance)], stars[len(plan.importance) :]
    gamma, m = chain.task.gamma, chain.task.m
    signal = jnp.stack(
        [m * k_star[g][:, None] + gamma * draws.signal[:, i] for i, g in enumerate(plan.kinds)],
        axis=1,
    )
    scores = [_along(vectors[i], i + 1, signal, draws.background) for i in range(H)]
    answer = chain.task.eps * draws.noise
    for i, g in enumerate(plan.kinds):
        answer = plan.importance[g] * jnp.sum(v_star[g][:, None] * signal[:, i], axis=0) + answer
    guess, pull_back = jax.vjp(lambda s: _predict(plan, chain, lam, draws.lengths, s), scores)
    # the gradients are sum A_il X_il, A of each vector
    (A,) = pull_back((2.0 / plan.batch) * (guess - answer))
    mean = [jnp.sum(x[:n] * signal, axis=(1, 2)) for x in A]  # (2H + 2H*, runs) each
    near = [jnp.sum(x[n:] * draws.background, axis=(1, 2)) for x in A]  # (2H, runs) each
    products = {(i, j): A[i] * A[j] for i in range(H) for j in range(i + 1)}
    of_background = {at: jnp.sum(x[n:], axis=(0, 1)) for at, x in products.items()}
    of_all = {
        at: of_background[at] + gamma * gamma * jnp.sum(x[:n], axis=(0, 1))
        for at, x in products.items()
    }
    small, large = _cholesky(of_background, H), _cholesky(of_all, H)
    exists = (jnp.arange(plan.followed, plan.frame)[:, None] < chain.task.d) * 1.0
    beyond = _bartlett(plan, chain, draws)
    inner, outer = draws.sums[: plan.followed - H], draws.sums[plan.followed - H :]
    return [
        jnp.concatenate(
            [
                mean[i] + jnp.concatenate([near[i], _combined(small[i], inner)]),
                exists * _combined(large[i], outer),
                sum(c * row for c, row in zip(large[i], beyond, strict=False)),
            ]
        )
        for i in range(H)
    ]


def _along(vector: jax.Array, axes: int, signal: jax.Array, background: jax.Array) -> jax.Array:
    """Inner products with all tokens, (L, batch, runs), of a vector on the first so many axes."""

    def product(tokens: jax.Array) -> Any:
        return sum(vector[axis] * tokens[axis] for axis in range(axes))

    return jnp.concatenate([product(signal), product(background)])


def _combined(row: list[jax.Array], sums: jax.Array) -> Any:
    return sum(c * sums[:, i] for i, c in enumerate(row))


def _bartlett(plan: Plan, chain: Chain, draws: Draws) -> list[jax.Array]:
    """2H independent Gaussian vectors of R^(d-F), each on new axes up to its own: (2H, runs)."""
    rows, H, slants = [], plan.moving, iter(draws.slants)
    for i in range(H):
        there = [(chain.task.d > plan.frame + j) * next(slants) for j in range(i)]
        zeros = [jnp.zeros_like(draws.chi[i])] * (H - i - 1)
        rows.append(jnp.stack([*there, draws.chi[i], *zeros]))
    return rows


def _cholesky(gram: dict[tuple[int, int], jax.Array], size: int) -> list[list[jax.Array]]:
    """Rows of the Cholesky factor, each up to its diagonal; zeros where a pivot vanishes."""
    rows: list[list[jax.Array]] = []
    for i in range(size):
        row: list[jax.Array] = []
        for j in range(i):
            pivot = rows[j][j]
            left = gram[i, j] - sum(row[c] * rows[j][c] for c in range(j))
            row.append(left / jnp.where(pivot > 0.0, pivot, 1.0) * (pivot > 0.0))
        left = gram[i, i] - sum(x * x for x in row)
        rows.append([*row, jnp.sqrt(jnp.maximum(left, 0.0))])
    return rows


def _predict(
    plan: Plan,
    chain: Chain,
    lam: jax.Array,
    lengths: jax.Array | None,
    scores: list[jax.Array],
) -> Any:
    """T of all products with keys, then with values, (L, batch, runs); decisive tokens first."""
    parts = zip(chain.weights, scores[: plan.heads], scores[plan.heads :], strict=True)
    return sum(_head(plan, weight, lam * weight.lam, lengths, a, b) for weight, a, b in parts)


def _head(
    plan: Plan, weight: Any, lam: jax.Array, lengths: jax.Array | None, a: jax.Array, b: jax.Array
) -> jax.Array:
    """What one head answers."""
    weight = weight.with_lam(lam)
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
    H, stars = plan.moving, range(plan.moving, plan.followed)
    wide = jnp.concatenate([vectors, jnp.zeros((plan.frame, H, plan.runs))], axis=1)
    moved = []
    velocities = []
    for i, gradient in enumerate(_gradients(plan, chain, lam, vectors, draws)):
        x = wide[i]
        if plan.with_momentum:
            gradient = chain.momentum * wide[plan.followed + i] + gradient
        if not plan.free_norms:
            gradient = gradient - jnp.sum(x * gradient, axis=0) * x
        x = x - alpha * gradient
        moved.append(x if plan.free_norms else x / jnp.sqrt(jnp.sum(x * x, axis=0)))
        velocities.append(gradient)
    return triangular(
        [*moved, *(wide[i] for i in stars), *(velocities if plan.with_momentum else [])]
    )


def _draw(plan: Plan, chain: Chain, key: jax.Array, step: jax.Array) -> Draws:
    """The randomness of one step, a function of the key and the step alone."""
    z = normals(
        seed_of(key),
        step.astype(jnp.uint64) * np.uint64(2 * plan.pairs * plan.runs),
        plan.pairs,
        plan.runs,
    )
    H, n, B = plan.moving, len(plan.kinds), plan.batch
    sizes = plan.normals
    ends = dict(zip(sizes, np.cumsum(list(sizes.values())), strict=True))
    drawn = {name: z[ends[name] - size : ends[name]] for name, size in sizes.items()}
    lengths = None
    if plan.lengths is not None:
        values, chances = plan.lengths
        edges = jnp.asarray(np.cumsum(chances)[:-1])
        lengths = jnp.asarray(values, dtype=float)[jnp.searchsorted(edges, ndtr(drawn["lengths"]))]
    left = jnp.maximum(jnp.stack([chain.task.d - plan.frame - float(i) for i in range(H)]), 0.0)
    left = left[:, None] if left.ndim == 1 else left
    return Draws(
        background=drawn["background"].reshape(H, plan.L - n, B, plan.runs),
        signal=drawn["signal"].reshape(plan.followed, n, B, plan.runs),
        noise=drawn["noise"],
        sums=drawn["sums"].reshape(plan.frame - H, H, plan.runs),
        slants=drawn["slants"],
        lengths=lengths,
        chi=chi(jax.random.fold_in(key, step), left, (H, plan.runs)),
    )


@cache
def compiled_chain(plan: Plan) -> Callable[..., tuple[jax.Array, jax.Array]]:
    """`advance` of n steps from step `first`, observed every `stride`, compiled for a plan."""

    @partial(jax.jit, compiler_options=VECTORS)
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
                return vectors, seen.at[t // stride].set(plan.observe(vectors, plan.followed))

            last: _Carry = jax.lax.fori_loop(0, jnp.minimum(plan.together, n - begin), one, carry)
            return last

        blocks = (n + plan.together - 1) // plan.together
        end: _Carry = jax.lax.fori_loop(
            0,
            blocks,
            block,
            (
                vectors,
                jnp.zeros(
                    (SLOTS, *jax.eval_shape(lambda: plan.observe(vectors, plan.followed)).shape)
                ),
            ),
        )
        return end

    return advance
