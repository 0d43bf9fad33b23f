"""Labels at the door: what is missing or no label is named with its bag, numbers are numbers in any
array."""

import numpy as np
import pandas as pd
import pytest

from soloc.datasets import make_single_location
from soloc.estimators import (
    Bags,
    SingleLocationAutoClassifier,
    SingleLocationAutoRegressor,
    SingleLocationClassifier,
    SingleLocationNetworkClassifier,
    SingleLocationNetworkRegressor,
    SingleLocationRegressor,
)

DATA = make_single_location(60, width=4, random_state=0)
PLAIN = DATA.bags
NAMED = Bags(PLAIN.values, PLAIN.offsets, ids=[f"B{i}" for i in range(60)])
SORTS = (DATA.labels > 0).astype(int)
WORDS = np.where(SORTS, "a", "b")
CLASSIFIERS = [
    SingleLocationClassifier(alpha=1.0, loss="cross_entropy"),
    SingleLocationNetworkClassifier(decay=1.0, members=2, max_epochs=2),
    SingleLocationAutoClassifier(candidates=["mean-pool"]),
]

REGRESSORS = [
    SingleLocationRegressor(alpha=1.0, loss="squared"),
    SingleLocationNetworkRegressor(decay=1.0, members=2, max_epochs=2),
    SingleLocationAutoRegressor(candidates=["mean-pool"]),
]


def with_entry(labels, entry, kind=object):
    labels = labels.astype(kind)
    labels[7] = entry
    return labels


MISSING = [
    with_entry(WORDS, None),
    with_entry(WORDS, np.nan),
    with_entry(SORTS, np.nan),
    with_entry(SORTS, None),
    pd.Series(with_entry(WORDS, pd.NA), dtype="string"),
    pd.Series(with_entry(SORTS, pd.NA), dtype="Int64"),
    with_entry(WORDS, np.nan).tolist(),
]


@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("labels", MISSING, ids=range(len(MISSING)))
def test_a_missing_class_is_named_with_its_bag(model, labels):
    for bags, name in ((PLAIN, "7"), (NAMED, "B7")):
        with pytest.raises(ValueError, match=rf"`y` .*(missing|NaN or infinity)\) for bag {name};"):
            model.fit(bags, labels)


def test_missing_numbers_and_dates_are_named_with_their_bag():
    with pytest.raises(ValueError, match="`y` contains nan .* for bag B7;"):
        CLASSIFIERS[0].fit(NAMED, with_entry(SORTS, np.nan, float))
    dates = np.array(["2020-01-01", "2021-01-01"], dtype="M8[D]")[SORTS]
    with pytest.raises(ValueError, match=r"`y` .*missing\) for bag B7;"):
        CLASSIFIERS[0].fit(NAMED, with_entry(dates, "NaT", "M8[D]"))
    with pytest.raises(ValueError, match=r"`y` .*missing\) for bag B7;"):
        SingleLocationRegressor().fit(NAMED, with_entry(DATA.labels, None))


@pytest.mark.parametrize("labels", [SORTS, SORTS > 0, SORTS.astype(float), SORTS.astype(np.int8)])
def test_numbers_in_an_array_of_objects_are_the_same_classes(labels):
    model = CLASSIFIERS[0]
    plain = model.fit(PLAIN, labels).predict_proba(PLAIN)
    found = model.fit(PLAIN, labels.astype(object))
    assert found.classes_.dtype.kind == labels.dtype.kind
    np.testing.assert_array_equal(found.predict_proba(PLAIN), plain)
    model.set_params(class_weight={labels[0]: 3.0}).fit(PLAIN, labels.astype(object))
    model.set_params(class_weight=None)


@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_classes_of_several_kinds_are_refused(class_weight):
    model = SingleLocationClassifier(alpha=1.0, class_weight=class_weight)
    with pytest.raises(ValueError, match="`y` must hold classes of one kind"):
        model.fit(PLAIN, with_entry(WORDS, 3))


@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: type(model).__name__)
def test_the_order_of_classes_is_said_not_to_be_used(model):
    ordered = pd.Categorical(WORDS, categories=["b", "a"], ordered=True)
    plain = model.fit(PLAIN, WORDS).predict(PLAIN)
    for labels in (ordered, pd.Series(ordered)):
        with pytest.warns(UserWarning, match="order of the categories in `y` is not used") as told:
            model.fit(PLAIN, labels)
        assert [warning.filename for warning in told] == [__file__]
        np.testing.assert_array_equal(model.predict(PLAIN), plain)
    model.fit(PLAIN, pd.Series(WORDS, dtype="category"))  # no order, no warning


@pytest.mark.parametrize("entry", ["tall", 10**400, [1.0], 1j])
def test_the_first_label_that_is_no_number_is_named_with_its_bag(entry):
    labels = np.empty(60, dtype=object)
    labels[:] = DATA.labels.tolist()
    labels[7] = entry
    weights = np.ones(60)
    weights[:5] = 0.0  # positions are those of all bags
    for bags, name in ((PLAIN, "7"), (NAMED, "B7")):
        with pytest.raises(ValueError, match=f"`y` must hold numbers, got .* for bag {name}"):
            SingleLocationRegressor().fit(bags, labels, sample_weight=weights)
    table = np.column_stack([DATA.labels, DATA.labels]).astype(object)
    table[7, 1] = "tall"
    with pytest.raises(ValueError, match="`y` must hold numbers, got 'tall' for bag B7"):
        SingleLocationRegressor().fit(NAMED, table)


def test_numbers_in_an_array_of_objects_are_the_same_labels():
    model = SingleLocationRegressor(alpha=1.0, loss="squared")
    plain = model.fit(PLAIN, DATA.labels).predict(PLAIN)
    again = model.fit(PLAIN, DATA.labels.astype(object)).predict(PLAIN)
    np.testing.assert_array_equal(again, plain)


def of_each_length(n):
    return [[1.0] * (1 + (i == 7)) for i in range(n)]


@pytest.mark.parametrize("model", REGRESSORS + CLASSIFIERS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (DATA.labels + 0j, "be real, got complex128; give its real part"),
        (of_each_length(60), "have one label per bag, got lists of different lengths; give each"),
        (np.ones((60, 1, 1)), "be one-dimensional, with one label per bag"),
        (np.ma.masked_less(DATA.labels, 0.0), r"have no masked entries, got \d+; fill them"),
    ],
)
def test_labels_of_another_kind_or_shape_are_refused_in_one_line(model, labels, said):
    with pytest.raises(ValueError, match=f"^`y` must {said}") as refused:
        model.fit(PLAIN, labels)
    assert "\n" not in str(refused.value) and len(str(refused.value)) < 200


@pytest.mark.parametrize("model", REGRESSORS, ids=lambda model: type(model).__name__)
def test_a_regressor_says_that_labels_may_have_two_dimensions(model):
    with pytest.raises(ValueError, match=r"or two-dimensional, with several, got shape \(60, 1, 1"):
        model.fit(PLAIN, np.ones((60, 1, 1)))
    with pytest.raises(ValueError, match="or each the same number of them"):
        model.fit(PLAIN, of_each_length(60))


@pytest.mark.parametrize("model", REGRESSORS, ids=lambda model: type(model).__name__)
def test_labels_whose_squares_vanish_are_refused(model):
    both = np.column_stack([DATA.labels, 1e-200 * DATA.labels])
    for labels in (1e-200 * DATA.labels, both):
        with pytest.raises(ValueError, match="`y` must reach 1e-100 in size.*; rescale the labels"):
            model.fit(PLAIN, labels)


@pytest.mark.filterwarnings("ignore::soloc.estimators.PointingWarning")
def test_small_labels_are_only_other_units():
    model = REGRESSORS[0]
    plain = model.fit(PLAIN, DATA.labels).predict(PLAIN)
    small = model.fit(PLAIN, 1e-90 * DATA.labels).predict(PLAIN)
    np.testing.assert_allclose(1e90 * small, plain, rtol=1e-5, atol=1e-8)
    model.fit(PLAIN, np.zeros(60))
