"""Descent on any objective: quadratics have closed paths, rules their textbook recursions."""

import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from soloc.dynamics.descent import descend
from soloc.dynamics.pieces import Diverged, Piece, pieces
from soloc.dynamics.rules import Adam, Momentum

CURVATURE = np.asarray([1.0, 3.0])


def bowl(x):
    return 0.5 * jnp.sum(CURVATURE * x**2)


def test_a_quadratic_shrinks_geometrically():
    path = descend(bowl, np.asarray([1.0, -2.0]), steps=20, step_size=0.1, every=1)
    expected = np.asarray([1.0, -2.0]) * (1 - 0.1 * CURVATURE) ** 20
    np.testing.assert_allclose(path.final, expected, rtol=1e-13)
    np.testing.assert_allclose(path.value[-1], 0.5 * np.sum(CURVATURE * expected**2))
    assert path.shape == () and list(path.table().columns) == ["run", "step", "value"]


def test_runs_are_independent_and_have_step_sizes_of_their_own():
    bowls = lambda x: 0.5 * jnp.sum(CURVATURE * x**2, axis=-1)  # noqa: E731
    start, sizes = np.asarray([[1.0, 1.0], [2.0, -1.0]]), np.asarray([0.1, 0.2])
    path = descend(bowls, start, steps=5, step_size=sizes)
    np.testing.assert_allclose(
        path.final, start * (1 - sizes[:, None] * CURVATURE) ** 5, rtol=1e-13
    )
    assert path.shape == (2,)


def test_points_are_any_tree_and_observers_see_them():
    tree = {"a": np.asarray(3.0), "b": np.asarray([1.0, 1.0])}
    objective = lambda t: t["a"] ** 2 + jnp.sum(t["b"] ** 2)  # noqa: E731
    path = descend(
        objective, tree, steps=3, step_size=0.25, observe=lambda t: {"a": t["a"]}, every=1
    )
    np.testing.assert_allclose(path.a[:, 0], 3.0 * 0.5 ** np.arange(4))


def test_on_the_sphere_the_top_eigenvector_is_found():
    matrix = np.diag([1.0, 2.0, 5.0])
    path = descend(
        lambda x: -x @ matrix @ x,
        np.ones(3) / np.sqrt(3),
        steps=300,
        step_size=0.05,
        on_sphere=True,
    )
    np.testing.assert_allclose(np.abs(path.final), [0, 0, 1], atol=1e-9)
    with pytest.raises(
        ValueError, match=r"`start` must be on the unit sphere, got a vector of norm 1.73"
    ):
        descend(lambda x: -x @ matrix @ x, np.ones(3), steps=3, step_size=0.05, on_sphere=True)


def test_lam_follows_its_schedule_and_keys_are_fresh():
    path = descend(
        lambda x, lam: lam * x,
        np.asarray(0.0),
        steps=4,
        step_size=1.0,
        lam=lambda t: t + 1.0,
        every=1,
    )
    np.testing.assert_allclose(path.final, -(1.0 + 2.0 + 3.0 + 4.0))
    noise = descend(
        lambda x, key: x * jax.random.normal(key),
        np.asarray(0.0),
        steps=500,
        step_size=1.0,
        key=jax.random.key(0),
    )
    assert 1.0 < abs(float(noise.final)) < 100.0


def test_momentum_is_the_heavy_ball():
    path = descend(bowl, np.asarray([1.0, -2.0]), steps=7, step_size=0.1, rule=Momentum(0.6))
    x, velocity = np.asarray([1.0, -2.0]), np.zeros(2)
    for _ in range(7):
        velocity = 0.6 * velocity + CURVATURE * x
        x = x - 0.1 * velocity
    np.testing.assert_allclose(path.final, x, rtol=1e-12)


def test_adam_is_kingma_and_ba():
    path = descend(bowl, np.asarray([1.0, -2.0]), steps=9, step_size=0.1, rule=Adam())
    x, m, s = np.asarray([1.0, -2.0]), np.zeros(2), np.zeros(2)
    for t in range(1, 10):
        g = CURVATURE * x
        m, s = 0.9 * m + 0.1 * g, 0.999 * s + 0.001 * g * g
        x = x - 0.1 * (m / (1 - 0.9**t)) / (np.sqrt(s / (1 - 0.999**t)) + 1e-8)
    np.testing.assert_allclose(path.final, x, rtol=1e-12)


def test_divergence_is_reported_at_its_step():
    with pytest.raises(Diverged, match="diverged at step") as caught:
        descend(lambda x: x**4, np.asarray(3.0), steps=100, step_size=1.0)
    x = 3.0
    step = 0
    while abs(x) <= np.finfo(float).max ** 0.25:  # beyond, x^4 is not finite
        step += 1
        x = x - 4.0 * x**3
    assert caught.value.step == step
    again = pickle.loads(pickle.dumps(caught.value))  # as it comes out of another process
    assert again.step == step and str(again) == str(caught.value)


def test_pieces_cover_all_steps_and_end_on_records():
    for steps, every, capacity, slots in [
        (10, 3, 100, 100),
        (100, 7, 10, 100),
        (50, 1, 100, 8),
        (9, 20, 4, 4),
        (64, 16, 32, 1),
    ]:
        cut = list(pieces(steps, every, capacity, slots))
        assert [piece.first for piece in cut] == list(
            np.cumsum([0] + [piece.n for piece in cut[:-1]])
        )
        assert sum(piece.n for piece in cut) == steps
        assert all(
            piece.n <= capacity and piece.n % piece.stride == 0 and piece.n // piece.stride <= slots
            for piece in cut
        )
        seen = {
            piece.first + piece.stride * i
            for piece in cut
            for i in range(1, piece.n // piece.stride + 1)
        }
        assert set(range(every, steps + 1, every)) | {steps} <= seen
    assert list(pieces(3, 2, 10, 10)) == [Piece(0, 2, 2), Piece(2, 1, 1)]
