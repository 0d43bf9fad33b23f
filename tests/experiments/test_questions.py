"""What a sweep asks for at a point is what the science rooms say there."""

import jax
import numpy as np
import pytest

from soloc import Erf, Overlaps, SingleLocation, excess_risk, population_risk
from soloc.experiments import questions
from soloc.experiments.questions import QUESTIONS

KEY = jax.random.key(0)


def test_risk_is_the_population_risk_and_never_below_bayes():
    found = questions.risk("erf", 0.3, d=100, L=5, gamma=0.5, eps=0.1, kappa=0.8, nu=0.6)
    task = SingleLocation(d=100, L=5, gamma=0.5, eps=0.1)
    assert found["risk"] == float(population_risk(task, Erf(0.3), Overlaps(0.8, 0.6)))
    assert found["bayes"] <= min(found["risk"], found["linear"]) <= found["null"]


def test_the_best_temperature_is_better_than_its_neighbours_and_no_better_than_bayes():
    found = questions.best_temperature("erf", d=100, L=5, gamma=1.0, signal=3.0)
    task = SingleLocation(d=100, L=5, gamma=1.0, signal=3.0)
    lams = found["best_lam"] * np.array([0.9, 1.0, 1.1])
    values = np.asarray(excess_risk(task, Erf(lams), Overlaps(1.0, 1.0)))
    assert np.argmin(values) == 1 and values[1] == pytest.approx(found["excess"], rel=1e-9)
    assert found["bayes"] <= found["excess"]


def test_training_succeeds_from_the_manifold_at_the_paper_s_setting():
    """The paper's theorem: every start on the manifold but a null set reaches the solution."""
    found = questions.success(lam=0.1, start="manifold", starts=8, key=KEY)
    assert found == {"share": 1.0, "diverged": 0.0}


def test_runs_that_diverge_are_counted_and_find_nothing():
    found = questions.success(lam=0.1, step_size=0.1, starts=2, steps=500, key=KEY)
    assert found == {"share": 0.0, "diverged": 1.0}


def test_training_ends_at_the_solution_with_the_risk_of_its_overlaps():
    found = questions.end_of_training(lam=0.1, start="manifold", key=KEY)
    assert abs(found["kappa"]) > 0.9 and abs(found["nu"]) > 0.9
    names = ("kappa", "nu", "theta", "eta", "rho")
    overlaps = Overlaps(**{name: found[name] for name in names})
    expected = excess_risk(SingleLocation(d=400, L=10), Erf(0.1), overlaps)
    assert found["excess"] == pytest.approx(float(expected), rel=1e-12)


def test_more_bags_help_and_none_beat_bayes():
    few, many = (questions.learning_curve(n, d=10, L=4, key=KEY) for n in (40, 400))
    assert many["risk"] < few["risk"] and many["null"] == few["null"]
    assert many["bayes"] < many["risk"] < many["null"]


def test_a_good_fit_scores_and_locates():
    found = questions.fit_scores(400, d=10, L=4, key=KEY)
    assert found["score"] > 0.8 and found["located"] > 0.9


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_question_says_what_it_asks(name):
    assert questions.find(name).__doc__


def test_mistakes_are_refused_in_a_sentence():
    with pytest.raises(ValueError, match=r"Did you mean success\?"):
        questions.find("sucess")
    with pytest.raises(ValueError, match="`start` must be one of sphere, manifold"):
        questions.success(start="moon", key=KEY)
