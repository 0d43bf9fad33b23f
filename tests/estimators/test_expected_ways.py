"""What people who know scikit-learn expect of bags and of models, for every kind of model."""

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score

from soloc.datasets import make_single_location
from soloc.estimators import (
    Bags,
    SingleLocationAutoRegressor,
    SingleLocationClassifier,
    SingleLocationNetworkRegressor,
    SingleLocationRegressor,
)

DATA = make_single_location(120, width=5, lengths=(2, 4), signal=4.0, random_state=0)
NAMES = [f"word {i}" for i in range(len(DATA.bags.values))]
BAGS = Bags(
    DATA.bags.values,
    DATA.bags.offsets,
    labels=DATA.labels,
    names=NAMES,
    ids=[f"B{i}" for i in range(120)],
)
LINEAR = SingleLocationRegressor(alpha=1.0, loss="likelihood")
MODELS = [
    LINEAR,
    SingleLocationNetworkRegressor(decay=1.0, members=2, max_epochs=10),
    SingleLocationAutoRegressor(candidates=["mean-pool"]),
]


def test_arrays_of_ragged_bags_are_bags():
    ragged = np.empty(120, dtype=object)
    ragged[:] = list(DATA.bags)
    model = LINEAR.fit(ragged, DATA.labels)
    np.testing.assert_array_equal(model.predict(ragged), model.predict(DATA.bags))


@pytest.mark.filterwarnings("ignore::soloc.estimators.PointingWarning")
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_labels_inside_bags_names_and_ids_are_enough(model):
    assert cross_val_score(model, BAGS, cv=2).shape == (2,)
    model.fit(BAGS)
    assert model.score(BAGS) == pytest.approx(model.score(BAGS, DATA.labels))
    where = model.locate(BAGS)
    names = [NAMES[start + at] for start, at in zip(BAGS.offsets[:-1], where, strict=True)]
    assert model.locate(BAGS, names=True).tolist() == names
    assert model.explain(BAGS, id="B7").bag == "B7"
    with pytest.raises(ValueError, match="`id` must be the name of a bag"):
        model.explain(BAGS, id="B700")


def test_a_classifier_finds_labels_inside_bags_too():
    bags = Bags(DATA.bags.values, DATA.bags.offsets, labels=DATA.labels > 0)
    model = SingleLocationClassifier(alpha=1.0, loss="likelihood").fit(bags)
    assert model.score(bags) == np.mean(model.predict(bags) == bags.labels)


def test_bags_and_diagnostics_show_as_html_without_markup_of_their_own():
    risky = Bags(np.ones((2, 1)), [0, 2], names=["<b>", "c"], features=["<i>"], labels=[1.0])
    assert "&lt;b&gt;" in risky._repr_html_() and "<i>" not in risky._repr_html_()
    shown = LINEAR.fit(BAGS).diagnostics_._repr_html_()
    assert shown.startswith("<pre>") and "held-out score" in shown


def test_the_importance_of_a_column_is_what_shuffling_it_costs():
    rng = np.random.default_rng(0)
    idle = np.hstack([DATA.bags.values, rng.standard_normal((len(DATA.bags.values), 1))])
    names = [*"abcde", "idle"]
    bags = Bags(idle, DATA.bags.offsets, labels=DATA.labels, features=names)
    model = LINEAR.fit(bags)
    table = model.importance(bags, n_repeats=3).set_index("feature")
    assert list(table.index) == names
    strongest = names[int(np.argmax(np.abs(model.key_) + np.abs(model.value_)))]
    assert table.loc[strongest, "importance"] > 0.1 > abs(table.loc["idle", "importance"])
    with pytest.raises(ValueError, match="`n_repeats` must be"):
        model.importance(bags, n_repeats=0)
