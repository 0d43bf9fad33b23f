"""Which attention?: the numbers of the view are the library's, whatever the sliders say."""

import json
import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.special import erf, softmax
from scipy.stats import norm

from soloc import (
    Erf,
    Overlaps,
    SingleLocation,
    Softmax,
    excess_risk,
    linear_risk,
    log_bayes_excess,
)
from soloc.lab.controls import TaskControls
from soloc.lab.figures.attentions import attentions_figure
from soloc.lab.figures.glyphs import GAP, HEIGHT, WIDTH, glyph, weights_of
from soloc.lab.views import attentions
from soloc.lab.views.attentions import AttentionsAsk, attentions_panel, panel_of
from soloc.predictors.catalogue import WEIGHTS
from soloc.predictors.normalised import HardMax, Sparsemax
from soloc.risk.best_weight import AtBest, exact_at_best, kinds
from soloc.risk.simulated_scores import (
    LONGEST_DRAWN,
    best_simulated,
    simulated_at_best,
    simulated_excess,
)

TRUTH = Overlaps(1.0, 1.0)


def test_the_best_erf_is_the_one_that_a_minimiser_finds():
    task = SingleLocation(d=50, L=20, gamma=0.8)
    found = minimize_scalar(
        lambda log: float(excess_risk(task, Erf(math.exp(log)), TRUTH)),
        bounds=(-6, 2),
        method="bounded",
    )
    row = exact_at_best("erf", 50, 20, 0.8)
    assert row.excess == pytest.approx(found.fun, rel=1e-8) and math.log(row.lam) == pytest.approx(
        found.x, abs=1e-3
    )


def test_softmax_at_its_best_is_bayes_when_gamma_is_one():
    row = exact_at_best("softmax", 18, 6, 1.0)
    assert row.lam == pytest.approx(3.0, rel=1e-3)
    assert row.log_excess == pytest.approx(
        float(log_bayes_excess(SingleLocation(d=18, L=6, gamma=1.0))), abs=1e-6
    )


def test_a_simulated_hard_maximum_agrees_with_its_integral():
    task = SingleLocation(d=12, L=9, gamma=0.9)
    hit = quad(lambda x: norm.pdf(x) * norm.cdf(task.m + 0.9 * x) ** 8, -9, 9)[0]
    found = simulated_excess(task, HardMax())
    assert abs(found.value - (1 - hit) * (1 + 0.9**2)) < 4 * found.error


def simulated(name: str, d: int, L: int, gamma: float) -> AtBest:
    return simulated_at_best(name, best_simulated(name, d, L, gamma), d, L, gamma)


def test_simulations_agree_with_those_of_the_library():
    row = simulated("sparsemax", 12, 9, 0.9)
    other = excess_risk(
        SingleLocation(d=12, L=9, gamma=0.9), Sparsemax(row.lam), TRUTH, samples=20_000
    )
    assert abs(row.excess - other.value) < 4 * math.hypot(row.error, other.error)


def test_a_simulation_without_a_miss_gives_a_bound():
    row = simulated("hard maximum", 2000, 5, 1.0)
    assert row.excess == 0.0 and row.below == pytest.approx(3 * 2 / row.sequences)


@pytest.mark.parametrize("d", [4, 10**9])
@pytest.mark.parametrize("L", [1, 2, 10**9])
@pytest.mark.parametrize("gamma", [0.05, 5.0])
def test_every_corner_of_the_sliders_has_a_panel_without_nan(d, L, gamma):
    panel = attentions_panel(AttentionsAsk(setting=TaskControls(d=d, L=L, gamma=gamma)))
    json.dumps(panel.model_dump(), allow_nan=False)
    assert panel.table["weight"] and panel.pending is None
    if L > LONGEST_DRAWN:
        assert (
            all(name in panel.sentence for name in kinds().simulated)
            and "cannot be simulated" in panel.sentence
        )


def test_the_python_lines_give_the_numbers_that_are_shown():
    setting = TaskControls(d=20, L=5, gamma=1.0, eps=0.3)
    rows = [exact_at_best(name, 20, 5, 1.0) for name in kinds().at_once] + [
        simulated("1.5-entmax", 20, 5, 1.0)
    ]
    panel = panel_of(setting, rows, float(log_bayes_excess(setting.task())))
    made: dict = {}
    exec(panel.python, made)
    shown = dict(zip(panel.table["weight"], panel.table["excess"], strict=True))
    exact = [name for name in panel.table["weight"] if name != "1.5-entmax"]
    np.testing.assert_allclose(made["excess"], [shown[name] for name in exact], rtol=1e-9)
    assert made["estimates"][0].value == pytest.approx(shown["1.5-entmax"], rel=1e-12)
    assert made["linear"] == float(linear_risk(setting.task())) and panel.numbers[
        "Bayes"
    ] == pytest.approx(made["bayes"] - 0.09)


def test_the_job_streams_panels_as_weights_come_in(client, monkeypatch):
    quick = {name: entry for name, entry in WEIGHTS.items() if not name.startswith("normalised")}
    monkeypatch.setattr(attentions, "WEIGHTS", quick)
    monkeypatch.setattr(attentions, "kinds", lambda: kinds()._replace(slow=("softmax",)))
    streamed(client, 14)


@pytest.mark.slow
def test_the_job_ends_with_all_weights_of_the_package(client):
    streamed(client, 17)


def streamed(client, weights: int) -> None:
    job = client.post(
        "/api/jobs/attentions", json={"setting": {"d": 18, "L": 6, "gamma": 1.0}}
    ).json()["job"]
    with client.stream("GET", f"/api/jobs/{job}/events") as stream:
        said = [json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: ")]
    counts = [len(event["panel"]["table"]["weight"]) for event in said]
    assert said[-1]["kind"] == "done" and counts == sorted(counts) and counts[-1] == weights
    panel = said[-1]["panel"]
    assert panel["pending"] is None and panel["table"]["weight"][0] == "softmax"
    task = SingleLocation(d=18, L=6, gamma=1.0)
    assert panel["numbers"]["softmax"] == pytest.approx(
        float(excess_risk(task, Softmax(3.0), TRUTH)), rel=1e-6
    )


def test_every_row_has_a_glyph_of_its_weight_also_while_it_is_computed():
    rows = [exact_at_best("erf", 20, 5, 1.0), exact_at_best("linear", 20, 5, 1.0)]
    layout = attentions_figure(rows, {}, ["sparsemax"])["layout"]
    assert {shape["yanchor"] for shape in layout["shapes"]} == {"erf", "linear", "sparsemax"}
    assert {shape["yanchor"] for shape in layout["shapes"]} == set(layout["yaxis"]["categoryarray"])


def test_a_glyph_is_the_function_itself():
    np.testing.assert_allclose(weights_of("erf"), erf(np.linspace(-2, 2, 17)), atol=1e-12)
    rising = np.linspace(-2, 2, 7)
    np.testing.assert_allclose(weights_of("softmax"), softmax(rising), atol=1e-6)
    np.testing.assert_allclose(weights_of("hard maximum"), np.eye(7)[6], atol=0)
    _, drawn = glyph("hard maximum", "#000000")
    assert drawn["path"].count("M") == 1  # one bar


@pytest.mark.parametrize("label", [entry.label for entry in WEIGHTS.values()])
def test_a_glyph_stays_in_its_row_and_left_of_the_axis(label):
    for shape in glyph(label, "#000000"):
        points = [pair.split(",") for pair in shape["path"].replace("M", "L").split("L")[1:]]
        assert points and all(
            -WIDTH - GAP <= float(x) <= -GAP and abs(float(y)) <= HEIGHT / 2 + 0.05
            for x, y in points
        )
