"""Projections on the simplex against optimisation that knows nothing of their thresholds."""

import itertools

import jax
import numpy as np
import pytest
import scipy.special

from soloc.maths.simplex import entmax15, softmax, sparsemax


def double(function, x):
    with jax.enable_x64(True):
        return np.asarray(function(jax.numpy.asarray(x, jax.numpy.float64)))


def test_softmax_is_that_of_scipy_by_either_engine_and_gives_nothing_to_minus_infinity():
    x = np.array([[1.0, -2.0, 700.0], [0.3, -np.inf, 0.3]])
    for found in (softmax(x), double(softmax, x)):
        np.testing.assert_allclose(found, scipy.special.softmax(x, axis=-1), rtol=1e-14)


def nearest_by_trying_every_support(x):
    """The closest point of the simplex, by projection on the affine hull of each face."""
    best, least = None, np.inf
    for size in range(1, len(x) + 1):
        for support in itertools.combinations(range(len(x)), size):
            p = np.zeros(len(x))
            p[list(support)] = x[list(support)] + (1.0 - x[list(support)].sum()) / size
            if np.all(p >= 0) and ((p - x) ** 2).sum() < least:
                best, least = p, ((p - x) ** 2).sum()
    return best


def entmax15_by_bisection(x):
    low, high = np.max(x) / 2 - 1.0, np.max(x) / 2
    for _ in range(200):
        tau = (low + high) / 2
        low, high = (tau, high) if (np.maximum(x / 2 - tau, 0) ** 2).sum() > 1 else (low, tau)
    return np.maximum(x / 2 - low, 0) ** 2


@pytest.mark.parametrize("scale", [0.1, 1.0, 30.0])
def test_sparsemax_is_the_nearest_point_of_the_simplex(scale):
    for x in scale * np.random.default_rng(0).normal(size=(20, 5)):
        assert double(sparsemax, x) == pytest.approx(nearest_by_trying_every_support(x), abs=1e-12)


@pytest.mark.parametrize("scale", [0.1, 1.0, 30.0])
def test_entmax_solves_its_threshold_equation(scale):
    for x in scale * np.random.default_rng(1).normal(size=(20, 5)):
        assert double(entmax15, x) == pytest.approx(entmax15_by_bisection(x), abs=1e-10)


@pytest.mark.parametrize("project", [sparsemax, entmax15])
def test_projections_sum_to_one_and_ignore_masked_entries(project):
    x = np.random.default_rng(2).normal(size=(50, 7)) * 3.0
    masked = np.concatenate([x, np.full((50, 2), -np.inf)], axis=1)
    assert double(project, masked).sum(axis=-1) == pytest.approx(np.ones(50), abs=1e-12)
    assert double(project, masked)[:, :7] == pytest.approx(double(project, x), abs=1e-14)
    assert not double(project, masked)[:, 7:].any()


@pytest.mark.parametrize("project", [sparsemax, entmax15])
def test_projections_do_not_move_when_all_scores_shift(project):
    x = np.random.default_rng(3).normal(size=(10, 6))
    assert double(project, x + 100.0) == pytest.approx(double(project, x), abs=1e-11)


@pytest.mark.parametrize("project", [sparsemax, entmax15])
def test_slopes_of_projections_equal_differences(project):
    """Also where few tokens share all the weight: a slope was NaN there once."""
    x = 3.0 * np.random.default_rng(4).normal(size=6)
    side = np.random.default_rng(5).normal(size=6)
    with jax.enable_x64(True):
        slopes = np.asarray(jax.grad(lambda x: project(x) @ side)(jax.numpy.asarray(x)))
    moves = 1e-6 * np.eye(6)
    differences = [(double(project, x + h) - double(project, x - h)) @ side / 2e-6 for h in moves]
    assert slopes == pytest.approx(np.array(differences), abs=1e-8)
