"""The chapter "In practice": its parts are what they say, and its claims hold at small settings."""

import dataclasses

import jax
import numpy as np
import pandas as pd
import pytest

from soloc.experiments.practice import lengths, needed, optimisers, retrieval
from soloc.experiments.practice.recipes import cosine, first_below, share_of_null
from soloc.experiments.registry import chapter
from soloc.networks import StandardAttention
from soloc.risk.baselines import bayes_risk
from soloc.tasks.single_location import SingleLocation


def test_a_bar_is_passed_between_records_or_never():
    assert first_below([0, 10, 20], [1.0, 0.8, 0.2], 0.5) == pytest.approx(15.0)
    assert first_below([0, 10], [0.3, 0.1], 0.5) == 0.0
    assert np.isnan(first_below([0, 10], [1.0, 0.9], 0.5))


def test_the_share_is_0_for_bayes_and_1_for_answering_0():
    task = SingleLocation(d=16, L=5)
    risks = [float(bayes_risk(task)), float(task.null_risk())]
    np.testing.assert_allclose(share_of_null(task, risks), [0.0, 1.0], atol=1e-12)


def test_a_cosine_is_the_one_of_optax():
    import optax

    t = np.arange(0, 101, 10)
    theirs = [float(optax.cosine_decay_schedule(0.3, 100)(i)) for i in t]
    np.testing.assert_allclose(cosine(0.3, 100)(t), theirs, rtol=1e-5, atol=1e-8)


def test_the_stable_rank_of_one_head_made_of_a_key_is_one():
    from soloc.experiments.practice.layer import stable_rank

    truth = SingleLocation(d=8, L=3).truth(jax.random.key(0))
    assert stable_rank(StandardAttention.of(truth.k, truth.v)) == pytest.approx(1.0)
    assert 2.0 < stable_rank(StandardAttention(64, jax.random.key(1), p=8)) <= 8.0


def test_moving_the_decisive_token_changes_its_place_alone():
    task = retrieval.Config().task(7)
    drawn = task.sample((), jax.random.key(0), 20)
    place = np.arange(20) % 7
    keys, values = retrieval._moved(drawn, place)
    np.testing.assert_array_equal(values[np.arange(20), place], drawn.answers)
    np.testing.assert_allclose(np.sort(keys, axis=1), np.sort(drawn.keys, axis=1))


def test_training_draws_recall_as_the_task_does():
    task = retrieval.Config(tau=0.05).task(6)
    drawn = retrieval.Drawn(task).sample((), jax.random.key(2), 4000)
    keys, values, query = (np.asarray(part, float) for part in drawn.tokens)
    np.testing.assert_allclose(np.linalg.norm(keys, axis=-1), 1.0, rtol=1e-5)
    off = np.sum((keys - query[:, None]) ** 2, axis=-1).min(axis=1)
    z = (off.mean() - task.tau * task.d) / (off.std() / np.sqrt(len(off)))
    assert abs(z) < 4.0  # tau d in the mean, up to rare nearer keys
    assert (np.abs(values - np.asarray(drawn.answers)[:, None]).max(-1).min(-1) == 0.0).all()


def test_a_run_that_does_not_get_there_counts_with_all_it_saw():
    rows = {"learner": needed.ATTENTION, "L": 4, "seen": 100.0, "needed": [10.0, np.nan]}
    found = needed.samples(pd.DataFrame(rows), needed.ATTENTION)
    assert found.needed[4] == pytest.approx(np.sqrt(1000.0)) and found.reached[4] == 0.5


def test_linear_regression_and_the_bayes_learner_need_no_training():
    config = needed.Config(learners=(needed.LINEAR, needed.BAYES), lengths=(4, 32))
    table = needed.run(config).set_index(["learner", "L"])
    assert np.isinf(table.needed[needed.LINEAR]).all()
    assert 0.0 < table.needed[needed.BAYES, 4] < table.needed[needed.BAYES, 32] < 1000.0


def test_projected_descent_finds_the_truth_and_wrong_names_are_refused():
    config = optimisers.Config(ways=(optimisers.PROJECTED,), runs=4, records=5)
    table = optimisers.run(config)
    assert len(table) == 8 and (table.missed < 1e-6).all()
    for module, field in (
        (optimisers, "ways"), (needed, "learners"), (lengths, "parts"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=f"`{field}` must be among"):
            module.run(dataclasses.replace(module.Config(), **{field: ("no such",)}))


def test_the_bayes_mechanisms_are_chosen_at_their_bayes_numbers():
    config = lengths.Config(parts=(lengths.MATRIX, lengths.RECALL), lengths=(10, 100))
    config = dataclasses.replace(config, tokens=20_000, settings=21)
    known = lengths.run(config).dropna(subset=["bayes"])
    assert len(known) == 4
    np.testing.assert_allclose(np.log(known.trained / known.bayes), 0.0, atol=0.5)


def test_without_the_extra_the_chapter_is_left_out_with_the_pip_line(monkeypatch):
    monkeypatch.setattr("soloc.experiments.experiment.find_spec", lambda name: None)
    experiments = chapter("practice")
    assert len(experiments) == 5
    for experiment in experiments:
        assert "pip install 'soloc[networks]'" in experiment.lacking()
