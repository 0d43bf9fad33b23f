"""Doubts about pointing are honest: fewer problems of the benchmark, with error bars."""

import importlib.util
import warnings
from pathlib import Path

import numpy as np
import pytest

from soloc.estimators import SingleLocationRegressor
from soloc.estimators.agreement import agreement_of
from soloc.estimators.bags import as_bags
from soloc.estimators.coefficients import Coefficients
from soloc.estimators.diagnostics import Diagnostics
from soloc.estimators.instances import Instances
from soloc.estimators.objectives.data import Data

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "check_doubts.py"
SURE = Diagnostics(0.8, 0.2, 0.0, 0.1, 0.1, 0.9, 0.05, 0.9, 1.2, True)


def test_each_piece_of_evidence_can_raise_a_doubt():
    assert SURE.doubts == [] and SURE.verdict == "pointing can be trusted"
    for change, words in (
        ({"held_out": 0.15, "mean_pool": -0.3}, "no better than a constant"),
        ({"mean_pool": 0.65}, "mean-pool ridge, which points at nothing"),
        ({"agreement": 0.3}, "the same instance in 30% of the bags"),
    ):
        doubted = SURE._replace(**change)
        assert len(doubted.doubts) == 1 and words in doubted.verdict
    assert SURE._replace(held_out=-1.0, agreement=0.0, several=False).doubts == []


def test_agreement_counts_the_bags_on_which_all_three_fits_name_the_same_instance():
    rng = np.random.default_rng(0)
    bags = rng.standard_normal((300, 5, 4))
    instances = Instances(as_bags(bags), np.zeros(4), np.ones(4))
    given = Data(instances, np.zeros(300), None, True, np.ones(300), 1.0)
    keys = rng.standard_normal((3, 4))
    fits = [Coefficients(key, np.zeros(4), None, 0.0) for key in keys]
    named = [[int(np.argmax(bag @ key)) for bag in bags] for key in keys]
    found = agreement_of(given, fits[0], fits[1:])
    assert found.agreement == np.mean([len(set(names)) == 1 for names in zip(*named, strict=True)])
    assert found.chance_agreement == pytest.approx(1 / 25)


def test_one_bad_start_is_doubted_and_many_starts_are_not():
    problems = benchmark()
    data = problems.decoys(5)
    found = {}
    for n_starts in (1, 32):
        model = SingleLocationRegressor(n_starts=n_starts).fit(data.bags, data.labels)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            right = np.mean(model.locate(data.bags) == data.locations)
        found[n_starts] = right, bool(model.diagnostics_.doubts)
    assert found[1][0] < 0.1 and found[1][1]
    assert found[32][0] > 0.7 and not found[32][1]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["noise", "good", "stuck"])
def test_doubts_are_right_as_often_as_promised(name):
    problems = benchmark()
    found: list[bool] = []
    seed = 1000  # seeds that the benchmark does not see
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        while len(found) < 12:
            outcome = getattr(problems, name)(seed)
            found += [] if outcome is None else [outcome.right]
            seed += 1
    bar = problems.BARS[name]
    error = np.sqrt(bar * (1 - bar) / len(found))
    assert np.mean(found) >= bar - 2 * error


def benchmark():
    """The module of the script."""
    spec = importlib.util.spec_from_file_location("check_doubts", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
