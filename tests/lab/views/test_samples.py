"""How much data?: curves against the library, attention trained by a job, a learner's sequence."""

import json

import numpy as np
import pytest

from soloc.lab.learning import RegimeControls
from soloc.lab.views.learner import LearnerAsk, learner_panel
from soloc.lab.views.samples import SamplesAsk, Trained, _curves, panel_of, samples_panel
from soloc.learning import bayes_curve, known_location_curve, linear_curve
from soloc.tasks.single_location import SingleLocation
from tests.lab.views.test_training import run_lines

TASK = SingleLocation(L=3, gamma=1.0, eps=0.3, signal=2.0)
HARD = {"tokens": 3, "m": 1.0, "noise": 0.01}


def test_its_curves_are_those_of_the_library():
    table = samples_panel(SamplesAsk()).table
    ratios = np.geomspace(0.25, 64, 33)
    for name, rows in {
        "Bayes": bayes_curve(TASK, ratios),
        "known location": known_location_curve(TASK, ratios),
        "linear": linear_curve(TASK, ratios),
    }.items():
        chosen = np.array(table["curve"]) == name
        np.testing.assert_allclose(np.array(table["risk"])[chosen], rows.risk, rtol=1e-9)


def test_the_job_adds_trained_attention_and_its_lines_give_the_same(client):
    job = client.post("/api/jobs/samples", json={"regime": {"tokens": 2}}).json()["job"]
    with client.stream("GET", f"/api/jobs/{job}/events") as stream:
        said = [json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: ")]
    panel = said[-1]["panel"]
    assert said[-1]["kind"] == "done" and panel["pending"] is None
    made: dict = {}
    exec(panel["python"], made)
    curve, risk = np.array(panel["table"]["curve"]), np.array(panel["table"]["risk"])
    np.testing.assert_allclose(risk[curve == "Bayes"], made["bayes"].risk, rtol=1e-9)
    # every ratio has its square, and a line where two starts of the training agree
    assert np.sum(curve == "softmax, L-BFGS") == 5
    ratio = np.array(panel["table"]["samples_per_dimension"])
    expected = made["trained"].set_index("samples_per_dimension").risk
    drawn = curve == "softmax, least squares"
    assert drawn.sum() >= 3
    np.testing.assert_allclose(risk[drawn], expected[ratio[drawn]], atol=0.02)


def test_the_line_of_trained_attention_has_a_gap_where_starts_end_apart():
    regime = RegimeControls()
    found = [Trained(ratio, 0.5, 0.2, 0.51, ratio != 4.0) for ratio in (8.0, 4.0, 2.0)]
    panel = panel_of(regime, _curves(regime), found)
    lines = {trace["name"]: trace for trace in panel.figure["data"]}
    trained = lines["softmax, least squares"]
    assert (trained["x"], trained["y"]) == ([2.0, 4.0, 8.0], [0.5, None, 0.5])
    symbols = lines["the same, L-BFGS on one data set"]["marker"]["symbol"]
    assert symbols == ["square", "square-open", "square"]
    assert "At n/d = 4 two starts" in panel.sentence


def test_both_phases_are_drawn_and_said():
    panel = samples_panel(SamplesAsk(regime=HARD))
    assert "two phases" in panel.sentence
    assert "Bayes, from the truth" in panel.table["curve"]
    learner = learner_panel(LearnerAsk(regime=HARD, ratio=1.3))
    assert "second phase" in learner.sentence
    assert (
        learner.numbers["risk"]
        == bayes_curve(SingleLocation(L=3, gamma=1.0, eps=0.01, signal=1.0), 1.3).risk[0]
    )


def test_more_data_see_the_decisive_token_better():
    """The same 24 sequences at two ratios: attention on J0 follows the mass of the theory."""
    seen = {}
    for ratio in (0.5, 16.0):
        panels = [learner_panel(LearnerAsk(ratio=ratio, draw=draw)) for draw in range(24)]
        here = np.array([panel.numbers["its attention here"] for panel in panels])
        mass = panels[0].numbers["mean attention on J0"]
        assert abs(here.mean() - mass) < 4 * here.std(ddof=1) / np.sqrt(24)
        seen[ratio] = here.mean()
    assert seen[16.0] > seen[0.5]


def test_the_learner_stands_on_the_curve_and_its_lines_repeat_it(client):
    ask = {"regime": {"tokens": 40, "m": 2.5}, "ratio": 4.0, "draw": 3}
    panel = client.post("/api/learner", json=ask).json()
    seen = run_lines(panel["python"])
    assert panel["numbers"]["learner says"] == pytest.approx(seen.prediction, rel=1e-12)
    assert panel["numbers"]["answer"] == seen.answer
    mark = panel["overlays"]["samples"][1]
    assert mark["x"] == [4.0]
    assert mark["y"][0] == pytest.approx(panel["numbers"]["risk"], rel=1e-5)


@pytest.mark.parametrize(
    "regime", [{"tokens": 1}, {"tokens": 10**6, "m": 6}, {"noise": 0.01}, {"m": 0.2, "noise": 2}]
)
def test_every_regime_has_panels_without_nan(regime):
    for panel in (
        samples_panel(SamplesAsk(regime=regime)),
        learner_panel(LearnerAsk(regime=regime)),
    ):
        json.dumps(panel.model_dump(), allow_nan=False)
        assert len(panel.sentence) > 80


def test_bounds_are_refused_in_a_sentence(client):
    for body, name in (({"ratio": 0.1}, "ratio"), ({"regime": {"m": 9}}, "regime.m")):
        refusal = client.post("/api/learner", json=body)
        assert refusal.status_code == 422 and f"`{name}`" in refusal.json()["detail"]
