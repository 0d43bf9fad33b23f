"""Views 4, 6 and 7 in a real browser: what is shown is the library's, survives a reload, and can be
taken away.
"""

import io
import json

import httpx
import numpy as np
import pandas as pd
import pytest

from soloc import Erf, Overlaps, SingleLocation, Softmax, excess_risk
from soloc.estimators import Bags, SingleLocationRegressor
from soloc.experiments.latent.exact_curves import exact_curves
from soloc.experiments.latent.tasks import Config, run
from soloc.lab.uploads.examples import example_csv
from soloc.learning import bayes_curve
from soloc.risk.baselines import bayes_risk
from soloc.risk.best_weight import exact_at_best
from soloc.risk.simulated_scores import simulated_excess
from tests.lab.browser.chromium import resize, wait_for

TRUTH = Overlaps(1.0, 1.0)


def has_number(panel: str, *names: str) -> str:
    found = (
        f"document.querySelector('#panel-{panel} [data-number=\"{name}\"]') !== null"
        for name in names
    )
    return f"return {' && '.join(found)}"


@pytest.mark.slow
def test_all_weights_are_compared_for_the_setting_of_the_sliders(lab):
    lab.open("?view=attentions&d=30&L=6&gamma=1")
    wait_for(lab.browser, has_number("attentions", "hard maximum", "softmax", "Bayes"), 90)
    task = SingleLocation(d=30, L=6, gamma=1.0)
    erf = exact_at_best("erf", 30, 6, 1.0)
    assert lab.number("attentions", "erf") == pytest.approx(
        float(excess_risk(task, Erf(erf.lam), TRUTH)), rel=1e-9
    )
    bayes = float(excess_risk(task, Softmax(task.m), TRUTH))
    assert lab.number("attentions", "Bayes") == pytest.approx(bayes, rel=1e-6)
    assert lab.number("attentions", "softmax") == pytest.approx(bayes, rel=1e-6)
    lab.after("attentions", lambda: lab.enter("L", "9"))
    assert "L=9" in lab.query() and lab.run(
        "return document.querySelector('[data-field=lam]').offsetParent === null"
    )
    wait_for(lab.browser, has_number("attentions", "hard maximum", "softmax"), 90)
    expected = exact_at_best("tanh", 30, 9, 1.0).excess
    assert lab.number("attentions", "tanh") == pytest.approx(expected, rel=1e-9)
    lab.browser.refresh()
    wait_for(lab.browser, has_number("attentions", "hard maximum", "softmax"), 90)
    assert lab.number("attentions", "tanh") == pytest.approx(expected, rel=1e-9)
    table = pd.read_csv(io.BytesIO(lab.save("attentions", "csv"))).set_index("weight")
    assert table.excess["tanh"] == pytest.approx(expected, rel=1e-9)
    made: dict = {}
    exec(lab.text("#panel-attentions pre.code"), made)
    by_kind = {type(one).__name__: one for one in made["simulated"]}
    assert simulated_excess(made["task"], by_kind["Sparsemax"]).value == pytest.approx(
        table.excess["sparsemax"], rel=1e-9
    )
    assert lab.save("attentions", "svg").startswith(b"<svg") and lab.save(
        "attentions", "png"
    ).startswith(b"\x89PNG")


def test_the_comparison_says_which_weights_cannot_be_simulated(lab):
    lab.open("?view=attentions&d=1000000000&L=1000000000")
    assert "cannot be simulated" in lab.text("#sentence-attentions")


def test_three_latent_tasks_stand_side_by_side(lab):
    lab.open("?view=latent&longest=64&sequences=60&location_d=8")
    wait_for(lab.browser, has_number("latent", "a rule z, Bayes simulated, L = 64"), 90)
    config = Config(lengths=(4, 16, 64), sequences=60, tokens=100_000, location_d=8)
    curves = exact_curves(config, [64]).set_index(["task", "mechanism"]).error
    assert lab.number("latent", "a decisive token, Bayes, L = 64") == pytest.approx(
        curves["SingleLocation", "Bayes"], rel=1e-9
    )
    assert lab.number("latent", "a rule z, linear, L = 64") == pytest.approx(
        curves["ExchangeableLatent", "linear"], rel=1e-9
    )
    points = run(config)
    bayes = points[
        (points.task == "NoisyRecall") & (points.mechanism == "Bayes") & (points.L == 64)
    ].risk.iloc[0]
    assert lab.number("latent", "a blurred key, Bayes simulated, L = 64") == pytest.approx(
        bayes, rel=1e-9
    )
    lab.after("latent", lambda: lab.enter("sigma", "1"))
    assert "sigma=1" in lab.query()
    expected = (
        exact_curves(Config(latent_sigma=1.0), [64], integrals=False)
        .set_index(["task", "mechanism"])
        .error
    )
    assert lab.number("latent", "a rule z, linear, L = 64") == pytest.approx(
        expected["ExchangeableLatent", "linear"], rel=1e-9
    )
    lab.browser.refresh()
    wait_for(lab.browser, has_number("latent", "a rule z, Bayes simulated, L = 64"), 90)
    assert lab.number("latent", "a rule z, linear, L = 64") == pytest.approx(
        expected["ExchangeableLatent", "linear"], rel=1e-9
    )
    table = pd.read_csv(io.BytesIO(lab.save("latent", "csv")))
    assert set(table.kind) == {"exact", "limit", "simulated"} and table.task.nunique() == 3


def test_a_learner_moves_along_its_curve(lab):
    lab.open("?view=samples&tokens=20&m=2.5")
    task = SingleLocation(L=20, gamma=1.0, eps=0.3, signal=2.5)
    limit = float(bayes_risk(task))
    assert lab.number("samples", "all data") == pytest.approx(limit, rel=1e-9)
    lab.after("learner", lambda: lab.enter("ratio", "8"))
    assert "ratio=8" in lab.query()
    row = bayes_curve(task, 8.0).iloc[0]
    assert lab.number("learner", "risk") == pytest.approx(row.risk, rel=1e-9)
    marks = "return document.getElementById('plot-samples').data.at(-1).x[0]"
    assert lab.run(marks) == 8
    here = lab.number("learner", "answer")
    lab.after("learner", lambda: lab.click("#resample-learner"))
    assert lab.number("learner", "answer") != here and "draw=1" in lab.query()
    table = pd.read_csv(io.BytesIO(lab.save("samples", "csv")))
    assert {"Bayes", "known location", "linear"} <= set(table.curve)


def test_an_example_is_fitted_and_each_bag_explained(lab):
    lab.browser.get(lab.address + "?view=data&source=numbers&loss=likelihood")
    wait_for(lab.browser, "return document.getElementById('panel-bag')?.dataset.drawn > 0", 120)
    assert lab.run("return document.getElementById('data-label').value") == "label"
    assert lab.text("#data-badge") == "pointing trusted"
    roles = "return [...document.querySelectorAll('.preview .role')].map((it) => it.textContent)"
    assert lab.run(roles) == ["bag", "name", *["feature"] * 6, "label"]
    table = pd.read_csv(io.BytesIO(example_csv("numbers")))
    bags = Bags.from_frame(table, "bag", label="label", name="instance")
    model = SingleLocationRegressor(loss="likelihood").fit(bags)
    saved = pd.read_csv(io.BytesIO(lab.save("data", "csv")))
    np.testing.assert_allclose(saved.prediction, model.predict(bags), rtol=1e-6)
    np.testing.assert_array_equal(saved.decisive, model.locate(bags))
    assert lab.number("data", "left-out R²") > lab.number("data", "mean-pool ridge R²") + 0.3
    lab.after("bag", lambda: lab.click(".bags tbody tr:nth-child(4) button"))
    assert lab.number("bag", "prediction") == pytest.approx(model.predict(bags)[3], rel=1e-6)
    assert (
        lab.text('#panel-bag [data-number="decisive instance"]')
        == bags.names_of(3)[model.locate(bags)[3]]
    )
    shown = lab.run("return document.getElementById('plot-bag').data[1].customdata")
    np.testing.assert_allclose(np.transpose(shown), bags[3].values, rtol=1e-5)
    assert {"bag=3", "source=numbers", "fitted=1", "loss=likelihood"} <= set(lab.query().split("&"))
    lab.browser.refresh()  # the example is opened and fitted again
    wait_for(lab.browser, "return document.getElementById('panel-bag')?.dataset.drawn > 0", 120)
    assert lab.number("bag", "prediction") == pytest.approx(model.predict(bags)[3], rel=1e-6)


def test_a_file_is_uploaded_kept_over_a_reload_and_forgotten(lab, tmp_path):
    from selenium.webdriver.common.by import By

    table = pd.read_csv(io.BytesIO(example_csv("classes")))
    small = table[table.bag.isin(table.bag.unique()[:60])]
    small.to_parquet(tmp_path / "mine.parquet")
    lab.browser.get(lab.address + "?view=data&source=upload&loss=likelihood")
    wait_for(lab.browser, "return document.getElementById('data-file') !== null")
    lab.browser.find_element(By.ID, "data-file").send_keys(str(tmp_path / "mine.parquet"))
    wait_for(lab.browser, "return !(document.getElementById('data-fit')?.disabled ?? true)", 90)
    lab.click("#data-fit")
    wait_for(lab.browser, "return document.getElementById('panel-bag')?.dataset.drawn > 0", 120)
    score = lab.number("data", "left-out accuracy")
    assert score > 0.6
    lab.browser.refresh()  # the tab remembers the token, the server the study
    wait_for(lab.browser, "return document.getElementById('panel-bag')?.dataset.drawn > 0", 30)
    assert lab.number("data", "left-out accuracy") == score
    token = json.loads(lab.run("return sessionStorage.getItem('soloc-data')"))["data"]
    assert token not in lab.browser.current_url
    lab.click("#data-forget")
    wait_for(
        lab.browser,
        "return document.getElementById('data-note').textContent === 'The table is forgotten.'",
    )
    assert httpx.post(lab.address + "api/data/forget", json={"data": token}).json() == {
        "forgotten": False
    }


def test_the_word_that_decides_a_sentence_is_found(lab):
    pytest.importorskip("wordllama")
    from soloc.text import explain_sentence, fit_rated_sentences

    lab.open("?view=text")
    assert lab.run("return document.querySelector('[data-group=setting]').offsetParent === null")
    mine = "Our teacher says the bridge behind the museum is horrible."
    type_in = (
        "const box = document.getElementById('control-sentence'); box.value = arguments[0];"
        "box.dispatchEvent(new Event('input', {bubbles: true}));"
    )
    lab.after("sentence", lambda: lab.run(type_in, mine))
    found = explain_sentence(fit_rated_sentences(), mine)
    assert lab.text('#panel-sentence [data-number="decisive word"]') == found.decisive == "horrible"
    assert lab.number("sentence", "score") == pytest.approx(found.prediction, rel=1e-6)
    lab.browser.refresh()
    lab.settle()
    assert lab.number("sentence", "score") == pytest.approx(found.prediction, rel=1e-6)
    table = pd.read_csv(io.BytesIO(lab.save("sentence", "csv")))
    assert table.word[
        table.decisive.argmax()
    ] == "horrible" and table.weight.sum() == pytest.approx(1.0)
    assert lab.save("sentence", "svg").startswith(b"<svg") and lab.save(
        "sentence", "png"
    ).startswith(b"\x89PNG")


@pytest.mark.parametrize("view", ["attentions", "latent", "samples", "data", "text"])
def test_a_phone_can_show_everything(lab, view):
    resize(lab.browser, 390, 844)
    lab.browser.get(lab.address + f"?view={view}&source=numbers&longest=64&sequences=50")
    wait_for(
        lab.browser,
        f"return document.querySelector('#tab-panel-{view} .sentence')?.textContent.length > 20",
        60,
    )
    assert lab.run("return document.documentElement.scrollWidth") <= 390
