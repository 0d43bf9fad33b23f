"""Several heads on several kinds: the Gram risk against theory, one head and plain simulation."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.linalg import hadamard
from scipy.special import erf

from soloc.dynamics.gram_map import gram_step
from soloc.risk.closed_form import erf_excess
from soloc.risk.several_heads import HeadNumbers, heads_excess

M, GAMMA = math.sqrt(200.0), math.sqrt(0.5)


def numbers(m, gamma, L, per_kind, importance, lam, xp=np):
    return HeadNumbers(
        *(xp.asarray(x, dtype=float) for x in (m, gamma, L, per_kind, importance, lam))
    )


def gram_of(*rows):
    W = np.concatenate([np.atleast_2d(row) for row in rows])
    return W @ W.T


def example():
    """Section 2.6 of the theory: two heads and two kinds in R^6."""
    unit = lambda rows: rows / np.linalg.norm(rows, axis=1, keepdims=True)  # noqa: E731
    keys = unit(np.array([[0.6, 0.1, 0.2, -0.1, 0.3, 0.5], [-0.2, 0.7, 0.1, 0.3, 0.4, -0.3]]))
    values = unit(np.array([[0.1, 0.2, 0.8, 0.1, -0.2, 0.3], [0.3, -0.1, 0.2, 0.6, 0.5, 0.1]]))
    return np.concatenate([keys, values, np.eye(6)[:4]])


EXAMPLE = numbers(2.0, 0.7, 6.0, (1, 1), (1, 1), (0.8, 0.5))


def test_the_check_values_of_the_theory():
    W = example()
    assert heads_excess(EXAMPLE, W @ W.T) == pytest.approx(6.50429015645599, abs=1e-12)


def test_projected_gradients_and_one_step_have_their_check_values():
    W = example()
    with jax.enable_x64(True):
        given = jax.tree.map(jnp.asarray, EXAMPLE)
        gram = jnp.asarray(W @ W.T)
        slopes = jax.jit(jax.grad(lambda g: heads_excess(given, g)))(gram)
        after = heads_excess(EXAMPLE, np.asarray(gram_step(gram, slopes, jnp.asarray(0.01), 4)))
    gradients = np.asarray(slopes + slopes.T) @ W
    along = np.sum(gradients * W, axis=1, keepdims=True)
    norms = np.linalg.norm(gradients - along * W, axis=1)[:4]
    np.testing.assert_allclose(
        norms, [10.15831183, 9.57203042, 14.06327808, 11.81314895], atol=1e-8
    )
    assert float(after) == pytest.approx(3.39488271101670, abs=1e-12)


@pytest.mark.parametrize(
    "H, value", [(1, 0.113498082965), (2, 0.208332353698), (3, 0.284502812199)]
)
def test_the_truth_pair_by_pair(H, value):
    gram = gram_of(np.eye(2 * H), np.eye(2 * H))
    found = heads_excess(numbers(M, GAMMA, 10.0, (1,) * H, (1,) * H, (0.1,) * H), gram)
    assert found == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(
    "H, L, lam_truth, truth, lam_code, code",
    [(2, 10.0, 0.0649, 0.126374, 0.0627, 0.095616)],
)
def test_the_sum_and_difference_code_beats_the_truth(H, L, lam_truth, truth, lam_code, code):
    O, zero = hadamard(H) / math.sqrt(H), np.zeros((H, H))
    star = np.eye(2 * H)
    coded = gram_of(np.hstack([O, zero]), np.hstack([zero, O]), star)
    plain = gram_of(star, star)
    one = (1,) * H
    at = lambda lam, gram: heads_excess(numbers(M, GAMMA, L, one, one, (lam,) * H), gram)  # noqa: E731
    assert at(lam_code, coded) == pytest.approx(code, abs=1e-6)
    assert at(lam_truth, plain) == pytest.approx(truth, abs=1e-6)


def test_one_head_is_the_closed_form():
    from soloc.risk.overlaps import Overlaps
    from soloc.risk.signal_numbers import SignalNumbers

    rng = np.random.default_rng(0)
    for _ in range(50):
        W = rng.normal(size=(2, 7))
        W /= np.linalg.norm(W, axis=1, keepdims=True)
        gram = gram_of(W, np.eye(2, 7))
        m, gamma, L, lam = rng.uniform(0.1, [5.0, 2.0, 40.0, 2.0]) + [0.0, 0.0, 1.0, 0.0]
        o = Overlaps(gram[0, 2], gram[1, 3], gram[1, 2], gram[0, 3], gram[0, 1])
        found = heads_excess(numbers(m, gamma, L, (1,), (1,), (lam,)), gram)
        assert found == pytest.approx(erf_excess(SignalNumbers(m, gamma, L), lam, o), rel=1e-12)


def test_near_the_truth_of_one_head_no_digit_is_lost():
    gram = gram_of(np.eye(2), np.eye(2))
    from soloc.risk.overlaps import Overlaps
    from soloc.risk.signal_numbers import SignalNumbers

    found = heads_excess(numbers(14.0, 0.5, 1.0, (1,), (1,), (0.9,)), gram)
    wanted = erf_excess(SignalNumbers(14.0, 0.5, 1.0), 0.9, Overlaps(1.0, 1.0))
    assert 0.0 < found < 1e-79
    assert found == pytest.approx(wanted, rel=1e-10, abs=0.0)


def simulated(given, W, d, rng, samples=20_000):
    """Mean and error of (T - Y)^2 with every token drawn in R^d."""
    H, kinds = len(given.lam), len(given.per_kind)
    L, count = int(given.L), given.per_kind.astype(int)
    k, v, k_star, v_star = np.split(W, np.cumsum([H, H, kinds]))
    kind = np.repeat([*range(kinds), -1], [*count, L - count.sum()])
    x = rng.normal(size=(samples, L, d))
    decisive = kind >= 0
    x[:, decisive] = given.gamma * x[:, decisive] + given.m * k_star[kind[decisive]]
    wanted = given.importance[kind[decisive]] * np.sum(x[:, decisive] * v_star[kind[decisive]], -1)
    guess = np.sum(erf(given.lam * (x @ k.T)) * (x @ v.T), axis=(1, 2))
    square = (guess - wanted.sum(axis=1)) ** 2
    return square.mean(), square.std() / math.sqrt(samples)


def test_fifty_random_settings_agree_with_plain_simulation():
    rng = np.random.default_rng(7)
    for _ in range(50):
        H, kinds = rng.integers(1, 5, size=2)
        d = 12
        per_kind = rng.integers(1, 3, size=kinds)
        given = numbers(
            rng.uniform(0.5, 3.0),
            rng.uniform(0.3, 1.5),
            per_kind.sum() + rng.integers(0, 5),
            per_kind,
            rng.uniform(0.3, 1.5, size=kinds),
            rng.uniform(0.1, 2.0, size=H),
        )
        student = rng.normal(size=(2 * H, d))
        student /= np.linalg.norm(student, axis=1, keepdims=True) / rng.uniform(0.5, 1.5)
        W = np.concatenate([student, np.linalg.qr(rng.normal(size=(d, 2 * kinds)))[0].T])
        mean, error = simulated(given, W, d, rng)
        z = (heads_excess(given, W @ W.T) - mean) / error
        assert abs(z) < 4.5, (H, kinds, z)


def test_slopes_are_differences():
    rng = np.random.default_rng(1)
    W = rng.normal(size=(10, 12))
    W[6:] = np.eye(12)[:4]
    given = numbers(1.5, 0.8, 7.0, (1, 2), (1.0, 0.5), (0.4, 0.9, 0.6))
    gram, way = W @ W.T, rng.normal(size=(10, 10))
    way = way + way.T
    with jax.enable_x64(True):
        traced = jax.tree.map(jnp.asarray, given)
        slopes = jax.jit(jax.grad(lambda g: heads_excess(traced, g)))(jnp.asarray(gram))
    h = 1e-6
    difference = heads_excess(given, gram + h * way) - heads_excess(given, gram - h * way)
    assert float(np.sum(np.asarray(slopes) * way)) == pytest.approx(difference / (2 * h), rel=1e-8)


def test_the_gram_map_is_descent_of_explicit_vectors():
    rng = np.random.default_rng(2)
    W = rng.normal(size=(8, 12))
    W[:4] /= np.linalg.norm(W[:4], axis=1, keepdims=True)
    W[4:] = np.eye(12)[:4]
    with jax.enable_x64(True):
        given = jax.tree.map(jnp.asarray, numbers(2.0, 0.7, 6.0, (1, 1), (1, 1), (0.8, 0.5)))
        slopes_of = jax.jit(jax.grad(lambda g: heads_excess(given, g)))
        in_vectors = jax.jit(jax.grad(lambda W: heads_excess(given, W @ W.T)))
        step = jax.jit(lambda g: gram_step(g, slopes_of(g), jnp.asarray(2e-3), 4))
        gram = jnp.asarray(W @ W.T)
        for _ in range(300):
            gradient = np.asarray(in_vectors(jnp.asarray(W)))[:4]
            x = W[:4] - 2e-3 * (gradient - np.sum(gradient * W[:4], 1, keepdims=True) * W[:4])
            W[:4] = x / np.linalg.norm(x, axis=1, keepdims=True)
            gram = step(gram)
    np.testing.assert_allclose(np.asarray(gram), W @ W.T, atol=1e-12)
