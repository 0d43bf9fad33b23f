"""A weight from elsewhere joins "Which attention?" unasked, in the processes that compute too."""

from dataclasses import dataclass, replace

import jax.numpy as jnp
import numpy as np
import pandas as pd
import pytest

from soloc.cli import main
from soloc.experiments.attention.which_attention import EXPERIMENT, Config
from soloc.experiments.registry import EXPERIMENTS
from soloc.maths.engine import engine_of
from soloc.predictors.catalogue import WEIGHTS, Entry, register
from soloc.predictors.normalised import SeesAllScores
from soloc.predictors.pointwise import Pointwise


@dataclass(frozen=True)
class Arctan(Pointwise):
    def value(self, x):
        return engine_of(x).xp.arctan(x)


@dataclass(frozen=True)
class SecondPower(SeesAllScores):
    def weights(self, x, present):
        kernel = jnp.where(present, jnp.maximum(x, 0.0) ** 2, 0.0)
        total = jnp.sum(kernel, axis=-1, keepdims=True)
        return kernel / jnp.where(total > 0, total, 1.0)


@pytest.fixture(autouse=True)
def registered(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    register(Entry("arctan", Arctan, "arc tangent", exact=True))
    register(Entry("second-power", SecondPower, "squared ReLU, normalised", exact=False))
    yield
    del WEIGHTS["arctan"], WEIGHTS["second-power"]


def test_it_is_among_the_weights_that_are_compared():
    assert {"arc tangent", "squared ReLU, normalised"} <= set(EXPERIMENT.settings().weights)


def test_workers_compute_it_for_the_report(monkeypatch, tmp_path):
    few = Config(
        weights=("softmax", "arc tangent", "squared ReLU, normalised"),
        signals=(2.0, 3.0, 4.0),
        lengths=(10,),
        samples=2_000,
        shortest=9,
        longest=10,
    )
    monkeypatch.setitem(EXPERIMENTS, "attentions", replace(EXPERIMENT, quick=few))
    assert main(["reproduce", "--only", "attentions", "--quick", "--jobs", "2"]) in (0, 1)
    table = pd.read_parquet(tmp_path / "results/report/data/attentions.parquet")
    ours = table[table.weight.isin(few.weights[1:]) & (table.part != "largest")]
    assert len(ours) == 10 and np.isfinite(ours.excess).all() and (ours.gap > 0).all()
    assert "arc tangent" in set(table[table.part == "largest"].weight)  # exact there, too
    assert (ours.error > 0).sum() == 5  # the one without an exact risk has an error
