"""Several kinds of decisive tokens: the posterior against all placements, risks against samples."""

from itertools import permutations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from soloc.tasks.several_locations import SeveralLocations, placement_probabilities


def by_all_placements(odds, per_kind):
    """The same probabilities from the list of all placements."""
    L, kinds = odds.shape
    kind = np.repeat(np.arange(kinds), per_kind)
    total, share = 0.0, np.zeros((L, kinds))
    for places in permutations(range(L), len(kind)):
        weight = np.exp(odds[list(places), kind].sum())
        total += weight
        share[list(places), kind] += weight
    return share / total


@pytest.mark.parametrize("per_kind", [(1,), (1, 1), (2, 1), (1, 1, 1), (3,), (1, 1, 1, 1)])
def test_the_posterior_sums_over_all_placements(per_kind):
    odds = 3.0 * np.random.default_rng(0).normal(size=(5, len(per_kind)))
    with jax.enable_x64(True):
        found = np.asarray(placement_probabilities(jnp.asarray(odds), per_kind))
    np.testing.assert_allclose(found, by_all_placements(odds, per_kind), atol=1e-13)
    np.testing.assert_allclose(found.sum(axis=0), per_kind, atol=1e-13)


def test_odds_far_beyond_doubles_leave_probabilities():
    odds = np.array([[900.0, 890.0], [-900.0, 0.0], [0.0, -900.0]])
    with jax.enable_x64(True):
        found = np.asarray(placement_probabilities(jnp.asarray(odds), (1, 1)))
    np.testing.assert_allclose(found[0], [1.0, 0.0], atol=1e-4)
    np.testing.assert_allclose(found.sum(axis=0), [1.0, 1.0])


TASK = SeveralLocations(
    d=12, L=6, kinds=2, per_kind=(2, 1), importance=(1.0, 0.5), eps=0.2, signal=1.5, gamma=0.8
)


def draws(n):
    with jax.enable_x64(True):
        truth = TASK.truth(jax.random.key(0))
        sample = TASK.sample(truth, jax.random.key(1), n)
        bayes = jax.jit(lambda tokens: TASK.bayes(truth, tokens))(sample.tokens)
    return np.asarray(sample.tokens), np.asarray(sample.answers), np.asarray(bayes)


def test_null_linear_and_bayes_against_samples():
    n = 40_000
    tokens, answers, bayes = draws(n)
    features = np.column_stack([tokens.reshape(n, -1), np.ones(n)])
    linear = answers - features @ np.linalg.lstsq(features, answers, rcond=None)[0]
    squares = [(answers**2, TASK.null_risk()), (linear**2, TASK.linear_risk())]
    for square, wanted in squares:
        assert abs(square.mean() - wanted) < 4.5 * square.std() / np.sqrt(n)
    left = answers - bayes
    for seen in (bayes, tokens[:, 0, 0], bayes * np.abs(tokens[:, 1, 2])):
        # no function of the tokens says more about the answer
        product = left * seen
        assert abs(product.mean()) < 4.5 * product.std() / np.sqrt(n)


def test_one_kind_has_the_risks_of_a_single_location():
    from soloc.risk.baselines import linear_risk, null_risk
    from soloc.tasks.single_location import SingleLocation

    one, single = SeveralLocations(d=20, L=7, kinds=1, eps=0.3), SingleLocation(20, 7, eps=0.3)
    assert one.null_risk() == pytest.approx(float(null_risk(single)))
    assert one.linear_risk() == pytest.approx(float(linear_risk(single)))


@pytest.mark.parametrize(
    "settings, word",
    [
        ({"per_kind": (1, 2, 3)}, "per_kind"),
        ({"per_kind": 6}, "L"),
        ({"kinds": 0}, "kinds"),
        ({"d": 5, "kinds": 3}, "d"),
        ({"importance": (1.0,)}, "importance"),
        ({"gamma": 0.0}, "gamma"),
    ],
)
def test_impossible_settings_are_refused(settings, word):
    with pytest.raises(ValueError, match=f"`{word}` must"):
        SeveralLocations(**settings)
