"""Harmonics obey the addition theorem, and Funk-Hecke multipliers are what softmax does to them."""

import numpy as np
import pytest
from scipy.integrate import quad

from soloc.maths.harmonics import Harmonics, funk_hecke, require_unit


def on_sphere(rng, n, d):
    x = rng.standard_normal((n, d))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


@pytest.mark.parametrize("d", [2, 3, 4, 7])
@pytest.mark.parametrize("shares", [(0.5, 0.5), (1.0, 0.0), (0.0, 2.0), (0.3, 0.9)])
def test_the_kernel_is_a_sum_of_zonal_polynomials(d, shares):
    x, y = on_sphere(np.random.default_rng(d), 40, d).reshape(2, 20, d)
    features = Harmonics(d, shares)
    t = x @ y.T
    zonal = shares[0] * t + shares[1] * (d * t * t - 1) / (d - 1)
    np.testing.assert_allclose(features(x) @ features(y).T, zonal, atol=1e-13)
    np.testing.assert_allclose(np.sum(features(x) ** 2, -1), sum(shares), atol=1e-13)


def test_the_specification_has_eight_features_of_its_scale():
    features = Harmonics()
    assert features.degrees.tolist() == [1] * 3 + [2] * 5
    np.testing.assert_allclose(features.second_moment, [0.5 / 3] * 3 + [0.5 / 5] * 5)


@pytest.mark.parametrize("d", [2, 3, 5])
def test_second_moments_are_those_of_uniform_points(d):
    features = Harmonics(d)
    phi = features(on_sphere(np.random.default_rng(5), 40_000, d))
    products = phi[:, :, None] * phi[:, None, :]
    z = (products.mean(0) - np.diag(features.second_moment)) / (products.std(0) / np.sqrt(len(phi)))
    assert np.max(np.abs(z)) < 4.5


@pytest.mark.parametrize("d", [2, 3, 4, 9])
@pytest.mark.parametrize("temperature", [0.05, 0.2, 1.0, 30.0])
def test_funk_hecke_multipliers_are_means_of_zonal_polynomials_under_the_tilted_law(d, temperature):
    def mean(polynomial):
        return quad(
            lambda a: (
                np.exp((np.cos(a) - 1) / temperature) * np.sin(a) ** (d - 2) * polynomial(np.cos(a))
            ),
            0,
            np.pi,
        )[0]

    total = mean(lambda t: 1.0)
    for degree, polynomial in ((1, lambda t: t), (2, lambda t: (d * t * t - 1) / (d - 1))):
        assert funk_hecke(degree, d, temperature) == pytest.approx(
            mean(polynomial) / total, abs=1e-8
        )


def test_in_three_dimensions_the_first_multiplier_is_langevins():
    assert funk_hecke(1, 3, 0.2) == pytest.approx(1 / np.tanh(5) - 1 / 5, rel=1e-13)


def test_bad_input_gets_one_sentence():
    with pytest.raises(ValueError, match="`points` must lie on the unit sphere"):
        Harmonics()(np.ones((2, 3)))
    with pytest.raises(ValueError, match="`keys` must lie on the unit sphere"):
        require_unit(np.full((1, 2), np.nan), "keys")
    with pytest.raises(ValueError, match="must have 3 coordinates"):
        Harmonics()(np.array([[1.0, 0.0]]))
    with pytest.raises(ValueError, match="`temperature` must be > 0"):
        funk_hecke(1, 3, 0.0)
    with pytest.raises(ValueError, match="`d` must be at least 2"):
        Harmonics(1)
    with pytest.raises(ValueError, match="`shares` must be two numbers"):
        Harmonics(3, (0.0, 0.0))
