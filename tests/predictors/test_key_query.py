"""Softmax, linear and scheduled attention compute what their formulas say."""

import numpy as np
import pytest
from scipy.special import softmax

from soloc.maths.harmonics import Harmonics
from soloc.predictors.key_query import LinearAttention, PowerLaw, SoftmaxAttention, UniformAttention

RNG = np.random.default_rng(0)
KEYS, QUERY = RNG.standard_normal((4, 9, 3)), RNG.standard_normal((4, 3))


@pytest.mark.parametrize(
    ("temperature", "value"),
    [
        (0.3, 0.3),
        (PowerLaw(0.9, -1 / 3), 0.9 * 9 ** (-1 / 3)),
        (lambda L: 1 / np.log(L), 1 / np.log(9)),
    ],
)
def test_softmax_is_softmax_at_any_temperature_or_schedule(temperature, value):
    expected = softmax(np.einsum("nld,nd->nl", KEYS, QUERY) / value, axis=1)
    np.testing.assert_allclose(
        SoftmaxAttention(temperature).weights(KEYS, QUERY), expected, rtol=1e-12
    )


def test_softmax_survives_a_tiny_temperature():
    weights = SoftmaxAttention(1e-12).weights(KEYS, QUERY)
    assert np.array_equal(weights.argmax(1), np.einsum("nld,nd->nl", KEYS, QUERY).argmax(1))
    np.testing.assert_allclose(weights.sum(1), 1)


@pytest.mark.parametrize("gamma", [2.0, RNG.standard_normal(3), RNG.standard_normal((3, 3))])
def test_linear_attention_is_a_bilinear_form_over_length(gamma):
    matrix = gamma * np.eye(3) if np.ndim(gamma) < 2 else gamma
    expected = np.einsum("nld,de,ne->nl", KEYS, matrix, QUERY) / 9
    np.testing.assert_allclose(
        LinearAttention(gamma=gamma).weights(KEYS, QUERY), expected, rtol=1e-11
    )


def test_uniform_attention_is_the_mean():
    np.testing.assert_allclose(UniformAttention().weights(KEYS, QUERY), 1 / 9)


def test_bad_input_gets_one_sentence():
    for temperature in (0.0, -1.0, float("nan")):
        with pytest.raises(ValueError, match="`temperature` must be > 0"):
            SoftmaxAttention(temperature)
    with pytest.raises(ValueError, match=r"`temperature` must be > 0, got .* for 9 tokens"):
        SoftmaxAttention(PowerLaw(0.0, 0.5)).weights(KEYS, QUERY)
    with pytest.raises(ValueError, match=r"`keys` must be \(n, L, d\)"):
        SoftmaxAttention().weights(KEYS[0], QUERY)
    with pytest.raises(ValueError, match=r"`keys` must be \(n, L, d\)"):
        UniformAttention().weights(KEYS, QUERY[:2])
    with pytest.raises(ValueError, match="unit sphere"):
        LinearAttention(Harmonics()).weights(KEYS, QUERY)
