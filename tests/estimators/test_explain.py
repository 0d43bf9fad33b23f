"""An explanation adds up, speaks of names, and can be drawn and shown."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest

from soloc.datasets import make_single_location
from soloc.estimators import (
    Bags,
    PointingWarning,
    SingleLocationAutoRegressor,
    SingleLocationClassifier,
    SingleLocationRegressor,
)
from soloc.figures import calibration, residuals

DATA = make_single_location(300, width=6, lengths=(2, 5), signal=5.0, random_state=0)
NAMES = [f"<word {i}>" for i in range(len(DATA.bags.values))]
BAGS = Bags(DATA.bags.values, DATA.bags.offsets, names=NAMES, ids=[f"bag{i}" for i in range(300)])


@pytest.mark.parametrize("loss", ["likelihood", "squared"])
def test_contributions_and_offset_add_up_to_the_prediction(loss):
    model = SingleLocationRegressor(loss=loss, alpha=1.0, context=True).fit(BAGS, DATA.labels)
    explanation = model.explain(BAGS, 7)
    total = explanation.table["contribution"].sum() + explanation.offset
    assert total == pytest.approx(model.predict(BAGS[7])[0])
    assert explanation.table["decisive"].to_numpy().argmax() == model.locate(BAGS[7])[0]
    assert explanation.table["name"].tolist() == BAGS.names_of(7)


def test_contributions_of_a_classifier_add_up_to_the_probability():
    model = SingleLocationClassifier(loss="likelihood", alpha=1.0).fit(BAGS, DATA.labels > 0)
    explanation = model.explain(BAGS, 7)
    assert explanation.table["contribution"].sum() == pytest.approx(
        model.predict_proba(BAGS[7]).max()
    )
    assert (
        SingleLocationClassifier(loss="cross_entropy", alpha=1.0)
        .fit(BAGS, DATA.labels > 0)
        .explain(BAGS, 2)
    )


def printed_contributions(explanation):
    lines = [line for line in str(explanation).splitlines() if " contribution " in line]
    return sum(float(line.split()[-1]) for line in lines)


@pytest.mark.parametrize("context", [True, False])
def test_what_is_printed_adds_up_to_the_prediction(context):
    model = SingleLocationRegressor(alpha=1.0, context=context).fit(BAGS, DATA.labels + 5.0)
    explanation = model.explain(BAGS, 7)
    assert printed_contributions(explanation) == pytest.approx(model.predict(BAGS[7])[0], abs=4e-3)
    assert explanation.total == pytest.approx(model.predict(BAGS[7])[0], rel=1e-6)
    name = "intercept and context" if context else "intercept"
    assert f"\n  {name} " in str(explanation) and f"<td>{name}</td>" in explanation.page()


def test_what_a_classifier_prints_adds_up_to_the_sum_it_names():
    model = SingleLocationClassifier(loss="cross_entropy", alpha=1.0).fit(BAGS, DATA.labels > 0)
    explanation = model.explain(BAGS, 7)
    sum_line = next(line for line in str(explanation).splitlines() if "sum: " in line)
    assert f"score of {model.predict(BAGS[7])[0]}" in sum_line
    assert printed_contributions(explanation) == pytest.approx(
        float(sum_line.split()[-1]), abs=4e-3
    )
    likely = SingleLocationClassifier(loss="likelihood", alpha=1.0).fit(BAGS, DATA.labels > 0)
    assert "sum: probability of" in str(likely.explain(BAGS, 7))


def test_the_page_escapes_names_and_shows_the_heaviest_of_many():
    model = SingleLocationRegressor(alpha=1.0).fit(BAGS, DATA.labels)
    page = model.explain(BAGS, 3).page()
    assert "&lt;word" in page and "<word" not in page and "default-src 'none'" in page
    many = model.explain(np.random.default_rng(0).normal(size=(260, 6))).page()
    assert many.count("<mark") - 2 == 200 and "60 instances of less weight" in many


def test_where_all_weigh_the_same_none_is_named():
    model = SingleLocationAutoRegressor(candidates=["mean-pool"]).fit(BAGS, DATA.labels)
    with pytest.warns(PointingWarning, match="do not trust"):
        explanation = model.explain(BAGS, 7)
    assert len(explanation.table) > 1 and not explanation.table["decisive"].any()
    assert "*" not in str(explanation) and "none is named" in explanation.page()
    assert "framed" not in explanation.page() and "2px solid currentColor" not in explanation.html()
    trusted = SingleLocationRegressor(alpha=1.0).fit(BAGS, DATA.labels).explain(BAGS, 7)
    assert str(trusted).count("*") == 1 and "The framed one has" in trusted.page()


def test_html_names_the_instances_and_escapes_them():
    explanation = SingleLocationRegressor(alpha=1.0).fit(BAGS, DATA.labels).explain(BAGS, 3)
    html = explanation._repr_html_()
    assert "&lt;word" in html and "<word" not in html and "bag3" in html
    assert "bag3" in str(explanation) and "*" in str(explanation)


def test_figures_are_drawn():
    model = SingleLocationRegressor(alpha=1.0).fit(BAGS, DATA.labels)
    figure = model.explain(BAGS, 3).figure()
    assert len(figure.axes[0].patches) == BAGS.lengths[3]
    assert len(model.explain(np.zeros((60, 6))).figure().axes[0].patches) == 40
    for table in (model.residuals_, model.residuals(BAGS, DATA.labels)):
        assert calibration.figure(table).axes and residuals.figure(table).axes
    squared = SingleLocationRegressor(alpha=1.0, loss="squared").fit(BAGS, DATA.labels)
    assert squared.residuals(BAGS, DATA.labels)["pit"].between(0, 1).all()
    plt.close("all")


def test_a_bag_that_is_not_there_is_refused():
    model = SingleLocationRegressor(alpha=1.0).fit(BAGS, DATA.labels)
    with pytest.raises(ValueError, match="`bag` must be a position among the 300 bags"):
        model.explain(BAGS, 300)
