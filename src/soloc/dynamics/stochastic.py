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

from soloc.dynamics.step_draws import Draws, Plan, draw, of_step
from soloc.maths.arithmetic import VECTORS
from soloc.maths.engine import Array, engine_of
from soloc.maths.one_kernel import apart, repeated
from soloc.predictors.pointwise import Pointwise

SLOTS = 256  # observations of one compiled piece
_FEW = 16  # terms of a sum that are written out
_Carry: TypeAlias = tuple[jax.Array, jax.Array]  # vectors, and what was observed of them


class Chain(NamedTuple):
    """Numbers of a chain, broadcasting with the runs."""

    task: Any
    weights: tuple[Any, ...]  #: of the heads, at their own temperatures; `lam` multiplies them
    momentum: Any


def triangular(vectors: list[Array]) -> Array:
    """F vectors (axes, runs) in their own Gram-Schmidt frame, lower triangular: (F, F, runs)."""
    xp = engine_of(*vectors).xp
    rows: list[Array] = []
    frame: list[Array] = []
    for vector in vectors:
        row = []
        for axis in frame:
            row.append(total(vector * axis))
            vector = vector - row[-1] * axis
        row.append(xp.sqrt(total(vector * vector)))
        frame.append(vector * (1.0 / xp.where(row[-1] > 0.0, row[-1], 1.0)))
        rows.append(xp.stack(row + [xp.zeros_like(row[0])] * (len(vectors) - len(row))))
    return xp.stack(rows)


def total(x: Array) -> Any:
    """The sum over the first axis; of few terms one by one, which compiles to vectors of runs."""
    return sum(x) if len(x) <= _FEW else x.sum(axis=0)


def _dot(x: Any, y: Any) -> Any:
    """sum x_i y_i over as many as the shorter has."""
    return sum(a * b for a, b in zip(x, y, strict=False))


def observe_overlaps(vectors: Array, followed: int) -> Array:
    """(kappa, nu, theta, eta, rho) of the directions, and (|k|, |v|): (7, runs)."""
    xp = engine_of(vectors).xp
    k, v, k_star, v_star = vectors[:followed]
    norm_k, norm_v = xp.sqrt((k * k).sum(axis=0)), xp.sqrt((v * v).sum(axis=0))
    k, v = k * (1.0 / norm_k), v * (1.0 / norm_v)
    pairs = ((k, k_star), (v, v_star), (v, k_star), (k, v_star), (k, v))
    return xp.stack([*((x * y).sum(axis=0) for x, y in pairs), norm_k, norm_v])


def observe_gram(vectors: Array, followed: int) -> Array:
    """Inner products of keys, values and truth, row by row: (followed^2, runs)."""
    known = vectors[:followed]
    gram = (known[:, None] * known[None]).sum(axis=2)
    return gram.reshape(followed * followed, -1)


class _Tokens(NamedTuple):
    """What the batch says of keys and values before its errors are known."""

    answer: Any  #: (batch, runs), as all that follow
    guess: Any
    means: Any  #: sum C_l X_l along each axis of the vectors, C by what the guess changes
    of_background: Any  #: sum C_l C'_l over background tokens, of each pair of keys and values
    of_decisive: Any


def _tokens(plan: Plan, chain: Chain, lam: jax.Array, vectors: jax.Array, draws: Draws) -> _Tokens:
    H, kinds = plan.moving, len(plan.importance)
    gamma, m = chain.task.gamma, chain.task.m
    k_star, v_star = vectors[H : H + kinds], vectors[H + kinds : plan.followed]
    decisive = [
        [m * k_star[g, axis] + gamma * draws.signal[axis][i] for axis in range(plan.followed)]
        for i, g in enumerate(plan.kinds)
    ]
    answer = chain.task.eps * draws.noise
    for token, g in zip(decisive, plan.kinds, strict=True):
        answer = answer + plan.importance[g] * _dot(v_star[g], token)
    here = [jnp.stack([_dot(vectors[i, : i + 1], token) for token in decisive]) for i in range(H)]
    short = vectors.astype(jnp.float32)
    there = [_dot(short[i, : i + 1], draws.background) for i in range(H)]
    guess, C_here, C_there = apart(partial(_predict, plan), chain, lam, draws.lengths, here, there)
    means = [
        [
            _dot(C_here[i], [token[axis] for token in decisive])
            + (total(C_there[i] * draws.background[axis]) if axis < H else 0.0)
            for axis in range(plan.followed)
        ]
        for i in range(H)
    ]
    pairs = _pairs(H)
    return _Tokens(
        answer,
        guess,
        means,
        [total(C_there[i] * C_there[j]) for i, j in pairs],
        [total(C_here[i] * C_here[j]) for i, j in pairs],
    )


def _pairs(H: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(H) for j in range(i + 1)]


class _Batch(NamedTuple):
    """The same with the errors r, summed over the batch: (runs,) each."""

    means: Any  #: sum r C X
    small: Any  #: factors of sum r^2 C C' over background tokens
    large: Any  #: and of all tokens with their variances


def _batch(plan: Plan, chain: Chain, tokens: _Tokens) -> _Batch:
    error = (2.0 / plan.batch) * (tokens.guess - tokens.answer)
    variance = chain.task.gamma * chain.task.gamma
    means = [[total(error * x) for x in row] for row in tokens.means]
    small = [total(error * error * x) for x in tokens.of_background]
    large = [
        total(error * error * (x + variance * y))
        for x, y in zip(tokens.of_background, tokens.of_decisive, strict=True)
    ]
    grams = [dict(zip(_pairs(plan.moving), each, strict=True)) for each in (small, large)]
    return _Batch(means, *(_cholesky(gram, plan.moving) for gram in grams))


def _gradients(
    plan: Plan, chain: Chain, lam: jax.Array, vectors: jax.Array, draws: Draws
) -> list[jax.Array]:
    """The batch gradients of the squared error in keys and values, each (F+2H, runs).

    They are sum r_i C_il X_il over bags i and tokens l, r the errors and C by what the guess
    changes: tokens are summed before the errors are known.
    """
    H = plan.moving
    tokens = apart(partial(_tokens, plan), chain, lam, vectors, draws)
    batch = apart(partial(_batch, plan), chain, tokens)
    exists = [(axis < chain.task.d) * 1.0 for axis in range(plan.followed, plan.frame)]
    beyond = _bartlett(plan, chain, draws)
    inner, outer = draws.sums[: plan.followed - H], draws.sums[plan.followed - H :]
    gradients = []
    for means, small, large in zip(*batch, strict=True):
        inside = [
            *means[:H],
            *(x + _dot(small, row) for x, row in zip(means[H:], inner, strict=True)),
        ]
        outside = [there * _dot(large, row) for there, row in zip(exists, outer, strict=True)]
        far = [_dot(large, [row[axis] for row in beyond]) for axis in range(H)]
        gradients.append(jnp.stack([*inside, *outside, *far]))
    return gradients


def _bartlett(plan: Plan, chain: Chain, draws: Draws) -> list[list[jax.Array]]:
    """2H independent Gaussian vectors of R^(d-F), each on new axes up to its own."""
    rows, H, slants = [], plan.moving, iter(draws.slants)
    for i in range(H):
        there = [(chain.task.d > plan.frame + j) * next(slants) for j in range(i)]
        zeros = [jnp.zeros_like(draws.chi[i])] * (H - i - 1)
        rows.append([*there, draws.chi[i], *zeros])
    return rows


def _cholesky(gram: dict[tuple[int, int], jax.Array], size: int) -> list[list[jax.Array]]:
    """Rows of the Cholesky factor, each up to its diagonal; zeros where a pivot vanishes.

    Squares of single precision vanish before the products beside them do, so that a pivot may be
    far too small: no entry is larger than its row.
    """
    rows: list[list[jax.Array]] = []
    for i in range(size):
        row: list[jax.Array] = []
        most = jnp.sqrt(gram[i, i])
        for j in range(i):
            pivot = rows[j][j]
            left = gram[i, j] - sum(row[c] * rows[j][c] for c in range(j))
            entry = left / jnp.where(pivot > 0.0, pivot, 1.0) * (pivot > 0.0)
            row.append(jnp.clip(entry, -most, most))
        left = gram[i, i] - sum(x * x for x in row)
        rows.append([*row, jnp.sqrt(jnp.maximum(left, 0.0))])
    return rows


def _predict(
    plan: Plan,
    chain: Chain,
    lam: jax.Array,
    lengths: jax.Array | None,
    here: list[jax.Array],
    there: list[jax.Array],
) -> tuple[Any, list[jax.Array], list[jax.Array]]:
    """T of every bag, and by what it changes with each product of a key or a value and a token.

    `here` are the products with decisive tokens, (n, batch, runs), of keys and then of values;
    `there` those with the others.
    """
    n, heads = len(plan.kinds), plan.heads
    present = None if lengths is None else jnp.arange(plan.L)[:, None, None] < lengths
    guess: Any = 0.0
    of_keys, of_values = [], []
    for h, weight in enumerate(chain.weights):
        a, b = (here[h], there[h]), (here[heads + h], there[heads + h])
        if isinstance(weight, Pointwise):
            parts = [None, None] if present is None else [present[:n], present[n:]]
            both = [
                _pulled(plan, weight, lam * weight.lam, lengths, *part)
                for part in zip(a, b, parts, strict=True)
            ]
        else:
            whole_a, whole_b = (jnp.concatenate([x.astype(jnp.float32), y]) for x, y in (a, b))
            w, C = _pulled(plan, weight, lam * weight.lam, lengths, whole_a, whole_b, present)
            both = [(w[:n], C[:n]), (w[n:], C[n:])]
        guess = guess + sum(total(w * x) for (w, _), x in zip(both, b, strict=True))
        of_keys.append([C for _, C in both])
        of_values.append([w for w, _ in both])
    C_here, C_there = zip(*of_keys, *of_values, strict=True)
    return guess, list(C_here), list(C_there)


def _pulled(
    plan: Plan,
    weight: Any,
    lam: jax.Array,
    lengths: jax.Array | None,
    a: jax.Array,
    b: jax.Array,
    present: jax.Array | None,
) -> tuple[jax.Array, jax.Array]:
    """Weights at scores a, and the derivative of sum weights b in a; as precise as a is."""
    weight, lam = jax.tree.map(lambda x: jnp.asarray(x, a.dtype), (weight, lam))
    weight = weight.with_lam(lam)

    def weights(a: jax.Array) -> jax.Array:
        if not isinstance(weight, Pointwise):
            scores = jnp.moveaxis(a, 0, -1)
            found = (
                weight(scores) if present is None else weight(scores, jnp.moveaxis(present, 0, -1))
            )
            return jnp.moveaxis(found, -1, 0)
        found = weight.value(lam * a)
        found = found if present is None else jnp.where(present, found, 0.0)
        if weight.per_length:
            found = found / (plan.L if lengths is None else lengths.astype(a.dtype))
        return found

    found, pull_back = jax.vjp(weights, a)
    return found, pull_back(b)[0]


def _step(
    plan: Plan, chain: Chain, lam: jax.Array, alpha: jax.Array, vectors: jax.Array, draws: Draws
) -> jax.Array:
    """One step in coordinates, and back to a triangular frame."""
    H, stars = plan.moving, range(plan.moving, plan.followed)
    wide = jnp.concatenate([vectors, jnp.zeros((plan.frame, H, plan.lanes))], axis=1)
    moved = []
    velocities = []
    for i, gradient in enumerate(_gradients(plan, chain, lam, vectors, draws)):
        x = wide[i]
        if plan.with_momentum:
            gradient = chain.momentum * wide[plan.followed + i] + gradient
        if not plan.free_norms:
            gradient = gradient - total(x * gradient) * x
        x = x - alpha * gradient
        moved.append(x if plan.free_norms else x / jnp.sqrt(total(x * x)))
        velocities.append(gradient)
    after: jax.Array = triangular(
        [*moved, *(wide[i] for i in stars), *(velocities if plan.with_momentum else [])]
    )
    return after


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
        seeds = jax.random.bits(key, (2,), jnp.uint64)

        def block(i: jax.Array, carry: _Carry) -> _Carry:
            begin = i * plan.together
            drawn = draw(plan, chain.task.d, seeds, first + begin)
            count = jnp.minimum(plan.together, n - begin)
            given = (begin, stride, lam, alpha, chain, drawn)
            last: _Carry = repeated(one, count, carry, given, arithmetic=plan.arithmetic)
            return last

        def one(j: jax.Array, carry: _Carry, given: Any) -> _Carry:
            vectors, seen = carry
            begin, stride, lam, alpha, chain, drawn = given
            t = begin + j
            vectors = _step(plan, chain, lam[t], alpha[t], vectors, of_step(plan, drawn, j))
            return vectors, seen.at[t // stride].set(vectors[: plan.followed])

        blocks = (n + plan.together - 1) // plan.together
        slots = jnp.zeros((SLOTS, plan.followed, plan.frame, plan.lanes))
        vectors, seen = jax.lax.fori_loop(0, blocks, block, (vectors, slots))
        return vectors, jax.vmap(lambda x: plan.observe(x, plan.followed))(seen)

    return advance
