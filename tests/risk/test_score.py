"""Anybody's predictor, scored: the rows are exact, errors are honest, mistakes get a sentence."""

import jax
import numpy as np
import pytest

from soloc import (
    MaxLocation,
    Overlaps,
    SeveralLocations,
    SingleLocation,
    Softmax,
    bayes_risk,
    linear_risk,
    null_risk,
    population_risk,
    score,
)
from soloc.predictors.attention import predict as attention

TASK = SingleLocation(d=16, L=6, gamma=1.0, eps=0.3)
KEY = jax.random.key(3)


def test_rows_are_the_exact_baselines_and_yours_is_within_its_error():
    truth = TASK.truth(KEY)
    table = score(
        lambda tokens: attention(Softmax(2.0), truth.k, truth.v, tokens),
        TASK,
        samples=20_000,
        key=KEY,
    )
    assert list(table.columns) == ["name", "risk", "error"]
    assert list(table.name) == ["yours", "bayes", "softmax", "linear", "null"]
    risk, error = table.set_index("name").risk, table.set_index("name").error
    exact = float(population_risk(TASK, Softmax(2.0), Overlaps(1.0, 1.0)))
    assert abs(risk["yours"] - exact) < 4.0 * error["yours"] and error["yours"] < 0.02
    assert risk["bayes"] == float(bayes_risk(TASK))
    assert risk["linear"] == float(linear_risk(TASK)) and risk["null"] == float(null_risk(TASK))
    assert risk["softmax"] == pytest.approx(risk["bayes"], rel=1e-6)  # gamma = 1
    assert (error.drop("yours") == 0.0).all()


def test_another_truth_is_as_bad_as_guessing():
    other = TASK.truth(jax.random.key(4))
    mine = lambda tokens: np.asarray(tokens) @ other.v @ np.full(6, 1 / 6)  # noqa: E731
    known = score(mine, TASK, samples=4000, key=KEY, truth=other).risk[0]
    assert known < score(mine, TASK, samples=4000, key=KEY).risk[0]


def test_other_tasks_have_the_rows_that_exist():
    zero = lambda tokens: 0.1 * tokens[:, 0, 0]  # noqa: E731
    sharp = score(zero, MaxLocation(d=8, L=5), samples=500, key=KEY).set_index("name").risk
    assert sharp["softmax"] == pytest.approx(0.0, abs=1e-12)
    several = score(zero, SeveralLocations(d=12, L=5), samples=500, key=KEY)
    assert list(several.name) == ["yours", "bayes", "linear", "null"]
    assert several.error[1] > 0.0


def test_memory_is_bounded_and_every_sequence_counts():
    seen = []
    long = SingleLocation(d=400, L=100, gamma=1.0)
    score(lambda tokens: seen.append(len(tokens)) or tokens[:, 0, 0], long, samples=450, key=KEY)
    assert sum(seen) == 450 and max(seen) == 200


@pytest.mark.parametrize(
    ("predict", "words"),
    [
        (lambda tokens: 0.0, r"shape \(100,\), got shape \(\)"),
        (lambda tokens: np.zeros((100, 6)), r"got shape \(100, 6\)"),
        (lambda tokens: np.zeros(3), r"got shape \(3,\)"),
        (lambda tokens: np.full(100, np.nan), "100 of 100 that are NaN"),
        (lambda tokens: "answers", "must return 100 numbers, got str"),
    ],
)
def test_answers_that_are_none_get_a_sentence(predict, words):
    with pytest.raises(ValueError, match=words):
        score(predict, TASK, samples=100, key=KEY)


def test_a_constant_is_scored_and_said():
    with pytest.warns(UserWarning, match="the same answer, 0, to all 5,000 sequences"):
        table = score(lambda tokens: np.zeros(len(tokens)), TASK, samples=5000, key=KEY)
    assert abs(table.risk[0] - float(null_risk(TASK))) < 4.0 * table.error[0]


def test_what_cannot_be_called_gets_a_sentence():
    with pytest.raises(TypeError, match="`predict` must be a function"):
        score(np.zeros(3), TASK, samples=10, key=KEY)
