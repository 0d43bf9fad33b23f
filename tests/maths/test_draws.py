"""Draws for long chains have the law they claim and depend on seed and place alone."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from soloc.maths.draws import chi, normals, seed_of, sine_of_turns, uniforms


def draw(function, *arguments):
    with jax.enable_x64(True):
        return np.asarray(function(*arguments))


def test_normals_are_standard_and_independent_of_their_neighbours():
    with jax.enable_x64(True):
        z = np.asarray(normals(seed_of(jax.random.key(0)), jnp.uint64(0), 50, 2000))
    assert stats.kstest(z.ravel(), "norm").pvalue > 1e-3
    n = z.shape[1]
    for a, b in (
        (z[:50], z[50:]),
        (z[:-1], z[1:]),
        (z[:, :-1], z[:, 1:]),
        (z[:50] ** 2 - 1, z[50:] ** 2 - 1),
    ):
        correlation = np.mean(a * b)
        assert abs(correlation) < 4.5 * np.std(a * b) / np.sqrt(a.size), n


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
    values = draw(chi, jax.random.key(freedom), float(freedom), (20_000,))
    assert stats.kstest(values, stats.chi(freedom).cdf).pvalue > 1e-3


@pytest.mark.parametrize("freedom", [1e9, 1e12])
def test_chi_is_normal_with_the_right_moments_at_large_freedom(freedom):
    values = draw(chi, jax.random.key(3), freedom, (20_000,))
    assert stats.kstest((values**2 - freedom) / np.sqrt(2 * freedom), "norm").pvalue > 1e-3


def test_chi_of_no_freedom_is_zero_and_shapes_broadcast():
    values = draw(chi, jax.random.key(0), np.asarray([[0.0], [5.0]]), (2, 4))
    assert np.all(values[0] == 0.0) and np.all(values[1] > 0.0)
