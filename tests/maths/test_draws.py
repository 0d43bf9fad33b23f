"""Draws for long chains have the law they claim and depend on seed and place alone."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from soloc.maths.draws import (
    _log_beyond_cubes,
    chi,
    normals,
    seed_of,
    sine_of_turns,
    uniforms,
)


def draw(function, *arguments):
    with jax.enable_x64(True):
        return np.asarray(function(*arguments))


def drawn_chi(seed, freedom, shape, place=0):
    with jax.enable_x64(True):
        return np.asarray(chi(jnp.uint64(seed), jnp.uint64(place), freedom, shape))


def test_normals_are_standard_and_independent_of_their_neighbours():
    with jax.enable_x64(True):
        pair = normals(seed_of(jax.random.key(0)), jnp.uint64(0), (3, 50, 2000))
    one, other = (np.asarray(x, dtype=float) for x in pair)
    for z in (one, other):
        assert stats.kstest(z.ravel(), "norm").pvalue > 1e-3
        for power, wanted in ((1, 0.0), (2, 1.0), (3, 0.0), (4, 3.0), (6, 15.0)):
            found = z**power
            assert abs(found.mean() - wanted) < 4.5 * found.std() / np.sqrt(z.size), power
    for a, b in (
        (one, other),
        (one[:-1], one[1:]),  # steps
        (one[:, :-1], one[:, 1:]),  # what a step draws
        (one[..., :-1], one[..., 1:]),  # runs
        (one[..., :-1], other[..., 1:]),
        (one**2 - 1, other**2 - 1),
    ):
        assert abs(np.mean(a * b)) < 4.5 * np.std(a * b) / np.sqrt(a.size)


def test_normals_reach_into_the_tails_as_often_as_they_should():
    with jax.enable_x64(True):
        pair = normals(jnp.uint64(11), jnp.uint64(0), (4_000_000,))
    z = np.abs(np.concatenate([np.asarray(x) for x in pair]).astype(float))
    for edge in (3.0, 4.0, 4.75):
        chance = 2 * stats.norm.sf(edge)
        beyond = int(np.sum(z > edge))
        assert 1e-4 < stats.binom.cdf(beyond, z.size, chance) < 1 - 1e-4, (edge, beyond)


def test_normals_are_a_function_of_seed_and_place():
    with jax.enable_x64(True):
        whole = normals(jnp.uint64(5), jnp.uint64(0), (100, 16))
        part = normals(jnp.uint64(5), jnp.uint64(60 * 16), (40, 16))
        for a, b in zip(whole, part, strict=True):
            np.testing.assert_array_equal(a[60:], b)


def test_the_first_two_hundred_thousand_steps_of_a_seed_share_no_number():
    with jax.enable_x64(True):
        u = np.asarray(uniforms(jnp.uint64(7), jnp.uint64(0), (1_000_000,)))
    assert len(np.unique(u)) == len(u) and u.min() > 0.0 and u.max() < 1.0
    assert stats.kstest(u, "uniform").pvalue > 1e-3


def test_numbers_depend_on_seed_and_place_alone():
    with jax.enable_x64(True):
        whole = uniforms(jnp.uint64(5), jnp.uint64(0), (100,))
        part = uniforms(jnp.uint64(5), jnp.uint64(60), (40,))
        np.testing.assert_array_equal(whole[60:], part)
        assert not np.any(
            np.asarray(whole) == np.asarray(uniforms(jnp.uint64(6), jnp.uint64(0), (100,)))
        )


def test_the_sine_of_turns_is_exact_to_rounding():
    turns = np.linspace(0.0, 1.25, 5001)
    np.testing.assert_allclose(draw(sine_of_turns, turns), np.sin(2 * np.pi * turns), atol=2e-15)


@pytest.mark.parametrize("freedom", [1, 2, 3, 8, 396, 10**5])
def test_chi_has_its_law(freedom):
    values = drawn_chi(freedom, float(freedom), (20_000,))
    assert stats.kstest(values, stats.chi(freedom).cdf).pvalue > 1e-3


@pytest.mark.parametrize("freedom", [1e9, 1e12])
def test_chi_is_normal_with_the_right_moments_at_large_freedom(freedom):
    values = drawn_chi(3, freedom, (20_000,))
    assert stats.kstest((values**2 - freedom) / np.sqrt(2 * freedom), "norm").pvalue > 1e-3


def test_chi_of_no_freedom_is_zero_and_shapes_broadcast():
    values = drawn_chi(0, np.asarray([[0.0], [5.0]]), (2, 4))
    assert np.all(values[0] == 0.0) and np.all(values[1] > 0.0)


@pytest.mark.parametrize("freedom", [1.0, 3.0])
def test_a_chi_depends_on_its_place_alone_however_often_its_neighbours_try(freedom):
    whole, part = drawn_chi(9, freedom, (5000,)), drawn_chi(9, freedom, (7,), place=1234)
    np.testing.assert_array_equal(whole[1234:1241], part)
    assert len(np.unique(whole)) == 5000
    products = (whole[1:] - whole.mean()) * (whole[:-1] - whole.mean())
    assert abs(products.mean()) < 4.5 * products.std() / np.sqrt(5000)


def test_the_logarithm_beyond_cubes_loses_nothing():
    import mpmath

    rng = np.random.default_rng(0)
    w = np.concatenate([rng.uniform(-0.9, 2.0, 200), rng.normal(size=100) * 1e-5])
    with jax.enable_x64(True):
        found = np.asarray(_log_beyond_cubes(jnp.asarray(w)))
    with mpmath.workdps(40):
        exact = [mpmath.log1p(x) - x + mpmath.mpf(x) ** 2 / 2 - mpmath.mpf(x) ** 3 / 3 for x in w]
    np.testing.assert_allclose(found, np.asarray(exact, dtype=float), rtol=1e-12)
