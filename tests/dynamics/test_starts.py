"""Starts have the law they claim, at every dimension."""

import jax
import numpy as np
import pytest
from scipy import stats

from soloc.dynamics.starts import from_vectors, practical, uniform_on_manifold, uniform_on_sphere
from soloc.risk.overlaps import NAMES
from soloc.tasks.single_location import SingleLocation, Truth

AXES = Truth(*np.eye(7)[:2])


def test_sphere_starts_have_the_law_of_uniform_vectors():
    rng = np.random.default_rng(0)
    k, v = rng.normal(size=(2, 4000, 7))
    k, v = (
        k / np.linalg.norm(k, axis=1, keepdims=True),
        v / np.linalg.norm(v, axis=1, keepdims=True),
    )
    plain, ours = from_vectors(k, v, AXES), uniform_on_sphere(7, 4000, jax.random.key(0))
    for name in NAMES:
        assert stats.ks_2samp(getattr(plain, name), getattr(ours, name)).pvalue > 1e-3, name
    # squares see the dependence
    for a, b in (("kappa", "eta"), ("kappa", "theta"), ("theta", "rho")):
        mine, theirs = (
            np.asarray(getattr(o, a)) ** 2 * np.asarray(getattr(o, b)) ** 2 for o in (ours, plain)
        )
        assert stats.ks_2samp(mine, theirs).pvalue > 1e-3


@pytest.mark.parametrize("d", [4, 400, 10**12])
def test_a_sphere_overlap_squared_is_a_beta_variable(d):
    start = uniform_on_sphere(d, 5000, jax.random.key(1))
    for name in NAMES:
        assert (
            stats.kstest(
                np.asarray(getattr(start, name)) ** 2, stats.beta(0.5, 0.5 * (d - 1)).cdf
            ).pvalue
            > 1e-3
        ), name


def test_manifold_starts_are_uniform_for_the_area_of_the_manifold():
    # the density of kappa is proportional to int (1-kappa^2)^0 (1-nu^2)^0 sqrt(2-kappa^2-nu^2) dnu
    d = 5
    start = uniform_on_manifold(d, 20_000, jax.random.key(2))
    assert not np.any(start.theta) and not np.any(start.eta) and not np.any(start.rho)
    grid = np.linspace(-1, 1, 801)
    density = np.sqrt(2 - grid[:, None] ** 2 - grid[None] ** 2).sum(axis=1)
    cdf = np.concatenate([[0.0], np.cumsum(0.5 * (density[1:] + density[:-1]))])
    for values in (start.kappa, start.nu):
        assert stats.kstest(values, lambda x: np.interp(x, grid, cdf / cdf[-1])).pvalue > 1e-3


def test_the_area_density_of_the_manifold_is_that_of_rejection_from_a_thin_shell():
    rng = np.random.default_rng(5)
    k, v = rng.normal(size=(2, 3_000_000, 4))
    k, v = (
        k / np.linalg.norm(k, axis=1, keepdims=True),
        v / np.linalg.norm(v, axis=1, keepdims=True),
    )
    # the tube |(theta, eta, rho)| < h has thickness 1/sqrt(det Gram of the gradients): weighting by
    # it gives the area
    inside = np.sqrt(v[:, 0] ** 2 + k[:, 1] ** 2 + np.sum(k * v, axis=1) ** 2) < 0.1
    kappa, nu = k[inside, 0], v[inside, 1]
    weights = np.sqrt(2 - kappa**2 - nu**2)
    ours = uniform_on_manifold(4, 20_000, jax.random.key(3))
    for power in (2, 4):
        mean = np.sum(weights * kappa**power) / weights.sum()
        error = np.sqrt(np.sum(weights**2 * (kappa**power - mean) ** 2)) / weights.sum()
        spread = np.std(ours.kappa**power) / np.sqrt(20_000)
        assert abs(np.mean(ours.kappa**power) - mean) < 4 * np.hypot(error, spread) + 0.01


def test_vectors_off_the_sphere_are_refused():
    k = np.eye(7)[2]
    assert from_vectors(k, k, AXES).rho == 1.0
    with pytest.raises(
        ValueError,
        match=r"`v` must be on the unit sphere, got a norm of 1.1. Divide it by its norm",
    ):
        from_vectors(k, 1.1 * k, AXES)
    with pytest.raises(ValueError, match="`k` must be on the unit sphere, got a norm of nan"):
        from_vectors(np.nan * k, k, AXES)


def test_the_practical_start_comes_closer_to_the_truth_with_more_samples():
    task = SingleLocation(d=10, L=4)
    truth = task.truth(jax.random.key(0))
    overlaps = []
    for n in (50, 2000):
        k, v = practical(task, truth, jax.random.key(1), n)
        o = from_vectors(k, v, truth)
        overlaps.append(min(float(o.kappa), float(o.nu)))
    assert overlaps[1] > 0.9 and overlaps[1] > overlaps[0]


@pytest.mark.parametrize(("d", "runs"), [(3, 5), (10, 0), (10.5, 5)])
def test_impossible_starts_are_refused(d, runs):
    for draw in (uniform_on_sphere, uniform_on_manifold):
        with pytest.raises(ValueError, match=r"`(d|runs)` must be"):
            draw(d, runs, jax.random.key(0))
