"""The adapter speaks for SingleLocation: same law of the data, same posterior, same answer."""

import jax
import numpy as np
import pytest

from soloc.predictors.key_query import SoftmaxAttention
from soloc.tasks.located import LocatedTruth
from soloc.tasks.protocol import attend, posterior_of_position
from soloc.tasks.single_location import LengthLaw, SingleLocation, Truth

TRUTH = Truth(np.array([0.6, 0.8, 0, 0, 0]), np.array([-0.8, 0.6, 0, 0, 0]))


@pytest.mark.parametrize("background", [None, (0.5, -0.2, 0.1, 0.0, 0.3)])
def test_posterior_and_answer_are_those_of_the_task(background):
    task = SingleLocation(d=5, L=7, gamma=0.8, eps=0.2, background=background)
    located = LocatedTruth(task, TRUTH)
    batch = located.sample(jax.random.key(0), 30, 7)
    with jax.enable_x64(True):
        posterior, answer = task.posterior(TRUTH, batch.keys), task.bayes(TRUTH, batch.keys)
    np.testing.assert_allclose(located.bayes_weights(batch), posterior, atol=1e-12)
    np.testing.assert_allclose(
        attend(located.bayes_weights(batch), batch.values)[:, 0], answer, atol=1e-12
    )


def test_its_draws_have_the_law_of_the_tasks_draws():
    task = SingleLocation(d=5, L=3, gamma=0.8, eps=0.2, background=(0.5, -0.2, 0.1, 0.0, 0.3))
    n = 20_000
    ours = LocatedTruth(task, TRUTH).sample(jax.random.key(1), n, 3)
    theirs = task.sample(TRUTH, jax.random.key(2), n)

    def statistics(tokens, answers, location):
        decisive = tokens[np.arange(n), location]
        other = tokens[np.arange(n), (location + 1) % 3]
        parts = [
            decisive,
            decisive**2,
            other,
            other**2,
            answers[:, None] * decisive,
            (answers**2)[:, None],
        ]
        return np.concatenate([*parts, (location == 2)[:, None]], axis=1)

    a = statistics(ours.keys, ours.target[:, 0], ours.latent)
    b = statistics(
        np.asarray(theirs.tokens, float),
        np.asarray(theirs.answers, float),
        np.asarray(theirs.location),
    )
    z = (a.mean(0) - b.mean(0)) / np.sqrt((a.var(0) + b.var(0)) / n)
    assert np.max(np.abs(z)) < 4.5


def test_softmax_is_bayes_when_gamma_is_one():
    located = LocatedTruth(SingleLocation(d=5, gamma=1.0), TRUTH)
    batch = located.sample(jax.random.key(3), 40, 20)
    softmax = SoftmaxAttention(located.temperature).weights(batch.keys, batch.query)
    np.testing.assert_allclose(softmax, located.bayes_weights(batch), atol=1e-12)
    np.testing.assert_allclose(posterior_of_position(located.log_score(batch)), softmax, atol=1e-12)


def test_a_task_whose_tokens_are_not_exchangeable_is_refused():
    with pytest.raises(ValueError, match="must have no `prior`"):
        LocatedTruth(SingleLocation(d=5, L=2, prior=(0.3, 0.7)), TRUTH)
    with pytest.raises(ValueError, match="must have no `lengths`"):
        LocatedTruth(SingleLocation(d=5, lengths=LengthLaw.uniform(2, 4)), TRUTH)
