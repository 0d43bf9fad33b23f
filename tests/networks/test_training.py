"""Training: it learns, it is the same when interrupted, and mistakes get a sentence."""

import jax
import numpy as np
import optax
import pandas as pd
import pytest

from soloc import SingleLocation, linear_risk, null_risk, score
from soloc.networks import LinearRegression, StandardAttention, exact_risk, train

TASK = SingleLocation(d=8, L=4, gamma=1.0, eps=0.1, signal=3.0)
KEY = jax.random.key(0)
HOW = {"steps": 40, "key": KEY, "seeds": 2, "batch": 16, "every": 10}


def layer(key):
    return StandardAttention(8, key, p=4)


def line(key):
    return LinearRegression(8, length=4)


def test_the_standard_layer_learns_the_truth():
    found = train(layer, TASK, optax.adam(1e-2), steps=600, key=KEY, seeds=3, batch=32)
    last = found.last()
    assert list(found.table.step[:2]) == [0, 24] and len(found.table) == 3 * 26
    assert last.key_alignment.median() > 0.9 and last.value_alignment.median() > 0.95
    assert last.mass.median() > 0.85  # one of the three is still where attention is uniform
    for run in range(3):
        exact = exact_risk(found.network(run), TASK, found.truth(run))
        assert (exact < 0.3 * float(null_risk(TASK))) == (last.key_alignment[run] > 0.9)
        assert abs(last.risk[run] - exact) < 4.5 * last.error[run]
    own = score(found.predict(1), TASK, samples=2000, key=KEY, truth=found.truth(1))
    assert abs(own.risk[0] - last.risk[1]) < 4.5 * np.hypot(own.error[0], last.error[1])


def test_interrupted_and_resumed_it_gives_the_same_numbers(tmp_path):
    quiet = train(layer, TASK, optax.adam(1e-2), **HOW)

    def stop(now):
        if now.step == 20:
            raise KeyboardInterrupt

    file = tmp_path / "training.npz"
    first = train(layer, TASK, optax.adam(1e-2), **HOW, resume=file, progress=stop)
    assert first.interrupted and first.table.step.max() == 20
    second = train(layer, TASK, optax.adam(1e-2), **HOW, resume=file)
    pd.testing.assert_frame_equal(second.table, quiet.table, check_exact=True)
    np.testing.assert_array_equal(second.networks.K, quiet.networks.K)
    with pytest.raises(ValueError, match="in which batch differs"):
        train(layer, TASK, optax.adam(1e-2), **(HOW | {"batch": 8}), resume=file)
    file.write_bytes(b"not arrays")
    with pytest.raises(ValueError, match="cannot be read"):
        train(layer, TASK, optax.adam(1e-2), **HOW, resume=file)


def test_fixed_sequences_with_patience_stop_and_keep_the_best():
    how = {"steps": 600, "key": KEY, "seeds": 12, "batch": 16, "samples": 60, "every": 20}
    found = train(line, TASK, optax.adam(3e-2), **how, patience=3)
    assert found.table.step.max() < 600  # sixty sequences for 33 numbers: it overfits
    kept = [
        score(found.predict(run), TASK, samples=4000, key=KEY, truth=found.truth(run)).risk[0]
        for run in range(12)
    ]
    assert min(kept) > float(linear_risk(TASK))
    lost = train(line, TASK, optax.adam(3e-2), **how).last().risk - kept
    assert lost.mean() > 4.5 * lost.std() / np.sqrt(12)


def test_a_goal_ends_training_when_every_seed_has_passed_it():
    how = {"steps": 400, "key": KEY, "seeds": 2, "batch": 32, "every": 20}
    whole = train(line, TASK, optax.adam(1e-2), **how).table.pivot(
        index="step", columns="run", values="risk"
    )
    goal = 0.85 * float(null_risk(TASK))
    passed = (whole.cummin() < goal).all(axis=1)
    first = int(passed.index[passed][0])
    found = train(line, TASK, optax.adam(1e-2), **how, goal=goal).table
    assert 20 <= first < 400 and found.step.max() == first
    pd.testing.assert_series_equal(
        found[found.run == 1].set_index("step").risk, whole[1].loc[:first], check_names=False
    )


def test_seeds_are_those_of_the_key_and_differ():
    found = train(layer, TASK, optax.sgd(1e-2), **HOW)
    assert found.table.risk[found.table.step == 0].nunique() == 2
    pd.testing.assert_frame_equal(train(layer, TASK, optax.sgd(1e-2), **HOW).table, found.table)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"steps": 0}, "`steps`"),
        ({"seeds": 0}, "`seeds`"),
        ({"patience": 3}, "`samples` must be given with `patience`"),
        ({"samples": 2}, "`samples`"),
        ({"goal": 0.0}, "`goal`"),
    ],
)
def test_what_cannot_be_is_a_sentence(change, words):
    with pytest.raises(ValueError, match=words):
        train(layer, TASK, optax.adam(1e-2), **(HOW | change))


def test_a_step_that_diverges_is_said():
    with pytest.raises(ValueError, match=r"diverged before step .* smaller learning rate"):
        train(layer, TASK, optax.sgd(1e6), **HOW)
