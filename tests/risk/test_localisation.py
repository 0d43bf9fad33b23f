"""Attention mass and localisation agree with simulated scores."""

import numpy as np
import pytest
from scipy.special import erf

from soloc.predictors.normalised import Softmax
from soloc.predictors.pointwise import Erf, Linear
from soloc.risk.baselines import bayes_risk
from soloc.risk.localisation import attention_mass, localisation_rate
from soloc.tasks.lengths import LengthLaw
from soloc.tasks.single_location import SingleLocation

CASES = [
    (Erf(0.1), 400, 10, 1.0), (Erf(0.9), 400, 10, 0.3), (Erf(2.0), 80, 4, -0.7),
    (Softmax(1.0), 20, 8, 0.6), (Softmax(3.0), 50, 30, 0.9), (Erf(0.02), 400, 2, 0.05),
]  # fmt: skip


def simulate(weight, task, kappa, n=200_000):
    rng = np.random.default_rng(5)
    scores = rng.normal(size=(n, task.L))
    scores[:, 0] = task.m * kappa + task.gamma * scores[:, 0]
    if isinstance(weight, Erf):  # the largest |score| also counts where erf has saturated to 1
        f, order = np.abs(erf(weight.lam * scores)), np.abs(scores)
    else:
        f, order = np.exp(weight.lam * (scores - scores.max(1, keepdims=True))), scores
    return f[:, 0] / f.sum(1), order.argmax(1) == 0


@pytest.mark.parametrize("L", [2, 50, 10**6])
@pytest.mark.parametrize("signal", [0.5, 2.5, 5.0, 8.0])
def test_mass_of_sharp_softmax_is_what_bayes_explains(signal, L):
    """At the truth with lam = m and gamma = 1 the mass on J0 is 1 minus the excess risk."""
    task = SingleLocation(d=10, L=L, gamma=1.0, signal=signal)
    mass = attention_mass(task, Softmax(signal), np.array([1.0]))[0]
    assert mass == pytest.approx(1.0 - float(bayes_risk(task)), abs=2e-6)


@pytest.mark.parametrize("weight, d, L, kappa", CASES)
def test_mass_and_rate_agree_with_simulation(weight, d, L, kappa):
    task = SingleLocation(d=d, L=L)
    share, hit = simulate(weight, task, kappa)
    for exact, draws in (
        (attention_mass(task, weight, kappa), share),
        (localisation_rate(task, weight, kappa), hit),
    ):
        error = draws.std() / np.sqrt(len(draws))
        assert abs(exact - draws.mean()) < 4.0 * error + 1e-7


@pytest.mark.parametrize("weight", [Erf(0.4), Softmax(1.5)])
def test_random_lengths_are_averaged(weight):
    law = LengthLaw((1, 3, 8), (0.2, 0.5, 0.3))
    task = SingleLocation(d=30, lengths=law)
    parts = [simulate(weight, SingleLocation(d=30, L=L), 0.7) for L in law.values]
    for exact, which in ((attention_mass, 0), (localisation_rate, 1)):
        means, errors = zip(
            *(
                (part[which].mean(), part[which].std() / np.sqrt(len(part[which])))
                for part in parts
            ),
            strict=True,
        )
        chances = np.asarray(law.probabilities)
        error = np.sqrt(np.sum((chances * errors) ** 2))
        assert abs(exact(task, weight, 0.7) - chances @ means) < 4.0 * error + 1e-7


def test_without_alignment_and_with_equal_noise_every_token_is_alike():
    task = SingleLocation(d=100, L=7, gamma=1.0)
    for weight in (Erf(0.5), Softmax(2.0)):
        np.testing.assert_allclose(attention_mass(task, weight, 0.0), 1.0 / 7.0, rtol=1e-5)
        np.testing.assert_allclose(localisation_rate(task, weight, 0.0), 1.0 / 7.0, rtol=1e-5)


def test_arrays_of_alignments_give_arrays():
    task = SingleLocation(d=100, L=7)
    kappa = np.linspace(-1, 1, 6).reshape(2, 3)
    assert attention_mass(task, Erf(0.5), kappa).shape == (2, 3)
    np.testing.assert_allclose(
        attention_mass(task, Erf(0.5), kappa), attention_mass(task, Erf(0.5), -kappa), rtol=1e-12
    )


def test_a_weight_without_a_formula_is_refused():
    with pytest.raises(TypeError, match="`weight`"):
        attention_mass(SingleLocation(), Linear(0.1), 1.0)
