"""Training of several heads: the map of the Gram matrix against explicit vectors and theory."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from soloc import Erf, excess_risk, population_path
from soloc.predictors.heads import Heads
from soloc.risk.gram import Gram
from soloc.tasks.several_locations import SeveralLocations

TASK = SeveralLocations(d=12, L=6, signal=2.0, gamma=0.7)
HEADS = Heads((Erf(0.8), Erf(0.5)))


def vectors(rng, d=12):
    W = rng.normal(size=(4, d))
    return W / np.linalg.norm(W, axis=1, keepdims=True)


def test_the_path_is_descent_of_explicit_vectors():
    W = vectors(np.random.default_rng(2))
    star = np.eye(12)[:4]
    path = population_path(
        TASK, HEADS, Gram.of(W[:2], W[2:], star[:2], star[2:]), steps=300, step_size=2e-3, every=300
    )
    with jax.enable_x64(True):

        def risk(W):
            rows = jnp.concatenate([W, jnp.asarray(star)])
            gram = jax.tree.unflatten(jax.tree.structure(path.final), [rows @ rows.T])
            return excess_risk(TASK, HEADS, gram)

        slopes = jax.jit(jax.grad(risk))
        for _ in range(300):
            gradient = np.asarray(slopes(jnp.asarray(W)))
            W = W - 2e-3 * (gradient - np.sum(gradient * W, axis=1, keepdims=True) * W)
            W /= np.linalg.norm(W, axis=1, keepdims=True)
    rows = np.concatenate([W, star])
    np.testing.assert_allclose(path.final.matrix, rows @ rows.T, atol=1e-12)
    risk_there = float(excess_risk(TASK, HEADS, Gram(rows @ rows.T)))
    assert path.risk[-1, 0] == pytest.approx(risk_there, rel=1e-10)


def test_one_step_has_its_check_value():
    keys = np.array([[0.6, 0.1, 0.2, -0.1, 0.3, 0.5], [-0.2, 0.7, 0.1, 0.3, 0.4, -0.3]])
    values = np.array([[0.1, 0.2, 0.8, 0.1, -0.2, 0.3], [0.3, -0.1, 0.2, 0.6, 0.5, 0.1]])
    rows = [part / np.linalg.norm(part, axis=1, keepdims=True) for part in (keys, values)]
    start = Gram.of(*rows, np.eye(6)[:2], np.eye(6)[2:4])
    task = SeveralLocations(d=6, L=6, signal=2.0, gamma=0.7)
    path = population_path(task, HEADS, start, steps=1, step_size=0.01)
    assert path.risk[-1, 0] == pytest.approx(3.39488271101670, abs=1e-12)


def test_on_the_manifold_two_heads_leave_the_truth_for_a_code():
    rng = np.random.default_rng(0)
    task, two = SeveralLocations(d=400, L=10), Heads((Erf(0.1), Erf(0.1)))
    grams = []
    for _ in range(2):
        keys, values = (vectors(rng, 200)[:2] for _ in range(2))
        W = np.zeros((4, 400))
        W[:2, ::2], W[2:, 1::2] = keys, values  # keys and values in spaces of their own
        star = np.eye(400)
        grams.append(Gram.of(W[:2], W[2:], star[[0, 2]], star[[1, 3]]).matrix)
    path = population_path(task, two, Gram(np.stack(grams)), steps=24_000, step_size=2e-3)
    assert np.all(path.distance[-1] == 0.0)  # the manifold is kept exactly
    assert np.all(path.risk[-1] < 0.135)  # of the truth: .2083
    assert np.all(path.aligned_2[-1] > 0.3)
    assert np.all(np.diff(path.risk, axis=0) < 1e-9)
