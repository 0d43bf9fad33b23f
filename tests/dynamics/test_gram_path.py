"""Training of several heads: the map of the Gram matrix against explicit vectors and theory."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from soloc import Erf, Overlaps, SingleLocation, excess_risk, population_path
from soloc.dynamics.gram_map import projected
from soloc.predictors.heads import Heads
from soloc.risk.gram import Gram
from soloc.risk.pairs import find
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
    path = population_path(task, two, Gram(np.stack(grams)), steps=12_000, step_size=4e-3)
    assert np.all(path.distance[-1] == 0.0)  # the manifold is kept exactly
    assert np.all(path.risk[-1] < 0.135)  # of the truth: .2083
    assert np.all(path.aligned_2[-1] > 0.3)
    assert np.all(np.diff(path.risk, axis=0) < 1e-9)


def sphere(runs, seed=0, d=400):
    rng = np.random.default_rng(seed)
    W = rng.normal(size=(runs, 4, d))
    W /= np.linalg.norm(W, axis=-1, keepdims=True)
    star = np.eye(d)
    return Gram.of(W[:, :2], W[:, 2:], star[:2], star[2:4])


def test_a_step_that_would_raise_the_risk_is_halved_and_said():
    task, two = SeveralLocations(d=400, L=10), Heads((Erf(0.1), Erf(0.1)))
    wild = population_path(task, two, sphere(3), steps=300, step_size=0.2, every=1)
    assert np.all(np.diff(wild.risk, axis=0) <= 1e-9)
    assert np.all(wild.halved[-1] > 0) and np.all(np.diff(wild.halved, axis=0) >= 0)
    assert f"halved in 3 (up to {int(wild.halved[-1].max())})" in repr(wild)
    calm = population_path(task, two, sphere(3), steps=100, step_size=1e-4)
    assert not calm.halved.any() and "halved in" not in repr(calm)


def test_halved_steps_are_counted_across_pieces_and_runs_do_not_touch_each_other():
    task, two = SeveralLocations(d=400, L=10), Heads((Erf(0.1), Erf(0.1)))
    together = population_path(task, two, sphere(3), steps=40, step_size=0.2, every=7)
    alone = population_path(task, two, Gram(sphere(3).matrix[1]), steps=40, step_size=0.2, every=40)
    assert together.halved[-1, 1] == alone.halved[-1, 0] > 0
    np.testing.assert_allclose(together.final.matrix[1], alone.final.matrix, atol=1e-9)


@pytest.mark.slow
def test_free_norms_are_descent_of_explicit_vectors_and_lower_the_risk_further():
    W, star = vectors(np.random.default_rng(3)), np.eye(12)[:4]
    start = Gram.of(W[:2], W[2:], star[:2], star[2:])
    free = population_path(TASK, HEADS, start, steps=50, step_size=1e-3, free_norms=True)
    with jax.enable_x64(True):

        def risk(W):
            rows = jnp.concatenate([W, jnp.asarray(star)])
            gram = jax.tree.unflatten(jax.tree.structure(free.final), [rows @ rows.T])
            return excess_risk(TASK, HEADS, gram)

        slopes = jax.jit(jax.grad(risk))
        for _ in range(50):
            W = W - 1e-3 * np.asarray(slopes(jnp.asarray(W)))
    rows = np.concatenate([W, star])
    np.testing.assert_allclose(free.final.matrix, rows @ rows.T, atol=1e-12)
    held = population_path(TASK, HEADS, start, steps=50, step_size=1e-3)
    assert free.risk[-1, 0] < held.risk[-1, 0]
    with pytest.raises(ValueError, match="`free_norms` must be False"):
        population_path(
            SingleLocation(12), Erf(0.5), Overlaps(0.5, 0.5), steps=5, step_size=0.1,
            free_norms=True,
        )  # fmt: skip


def test_a_schedule_moves_the_temperature_of_all_heads():
    start = sphere(2, d=12)
    constant = population_path(TASK, HEADS, start, steps=20, step_size=1e-3, lam=0.5)
    table = population_path(
        TASK, HEADS, start, steps=20, step_size=1e-3, lam=lambda t: 0.5 + 0.0 * t
    )
    half = population_path(TASK, Heads((Erf(0.4), Erf(0.25))), start, steps=20, step_size=1e-3)
    np.testing.assert_allclose(constant.final.matrix, table.final.matrix, atol=1e-14)
    np.testing.assert_allclose(constant.final.matrix, half.final.matrix, atol=1e-13)


def test_one_head_has_the_path_of_the_single_location():
    W, star = vectors(np.random.default_rng(4))[:2], np.eye(12)[:2]
    start = Gram.of(W[:1], W[1:], star[:1], star[1:])
    G = start.matrix
    o = Overlaps(G[0, 2], G[1, 3], G[1, 2], G[0, 3], G[0, 1])
    numbers = {"d": 12, "L": 6, "signal": 2.0, "gamma": 0.7}
    options = {"steps": 500, "step_size": 2e-3}
    one = population_path(
        SeveralLocations(kinds=1, **numbers), Heads((Erf(0.8),)), start, **options
    )
    single = population_path(SingleLocation(**numbers), Erf(0.8), o, **options)
    for several, name in (("kappa_11", "kappa"), ("nu_11", "nu"), ("rho_11", "rho")):
        np.testing.assert_allclose(one.columns[several], single.columns[name], atol=1e-12)
    np.testing.assert_allclose(one.risk, single.risk, atol=1e-12)


def test_projected_gradients_have_their_check_values():
    keys = np.array([[0.6, 0.1, 0.2, -0.1, 0.3, 0.5], [-0.2, 0.7, 0.1, 0.3, 0.4, -0.3]])
    values = np.array([[0.1, 0.2, 0.8, 0.1, -0.2, 0.3], [0.3, -0.1, 0.2, 0.6, 0.5, 0.1]])
    W = np.concatenate([keys, values])
    W /= np.linalg.norm(W, axis=1, keepdims=True)
    rows = np.concatenate([W, np.eye(6)[:4]])
    task = SeveralLocations(d=6, L=6, signal=2.0, gamma=0.7)
    risk = find(task, HEADS)
    with jax.enable_x64(True):
        numbers = jax.tree.map(jnp.asarray, risk.numbers(task))
        state = jax.tree.map(jnp.asarray, Gram(rows @ rows.T))
        slopes = jax.jit(risk.slopes(task, HEADS).at)(state, numbers, HEADS, HEADS.lam)
        c = np.asarray(projected(state.matrix, slopes.matrix))
    norms = np.linalg.norm(c[:4] @ rows, axis=1)
    wanted = [10.15831183, 9.57203042, 14.06327808, 11.81314895]
    np.testing.assert_allclose(norms, wanted, atol=1e-8)
