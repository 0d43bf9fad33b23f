"""What cannot be is refused in a sentence that names the parameter, by every kind of model."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from soloc.datasets import make_single_location
from soloc.estimators import (
    SingleLocationAutoClassifier,
    SingleLocationAutoRegressor,
    SingleLocationClassifier,
    SingleLocationNetworkClassifier,
    SingleLocationNetworkRegressor,
    SingleLocationRegressor,
)

DATA = make_single_location(60, width=4, random_state=0)
SORTS = (DATA.labels > 0).astype(int)
REGRESSORS = [
    SingleLocationRegressor,
    SingleLocationNetworkRegressor,
    SingleLocationAutoRegressor,
]
CLASSIFIERS = [
    SingleLocationClassifier,
    SingleLocationNetworkClassifier,
    SingleLocationAutoClassifier,
]


@pytest.mark.parametrize("kind", REGRESSORS + CLASSIFIERS)
def test_models_that_are_not_fitted_say_so(kind):
    with pytest.raises(NotFittedError):
        kind().explain(DATA.bags)
    with pytest.raises(NotFittedError):
        kind().importance(DATA.bags, DATA.labels)


@pytest.mark.parametrize("kind", REGRESSORS + CLASSIFIERS)
@pytest.mark.parametrize("seed", [-1, 2**32, "0", 0.0])
def test_seeds_that_cannot_be_are_refused(kind, seed):
    with pytest.raises(ValueError, match="`random_state` must be an integer from 0 to"):
        kind(random_state=seed).fit(DATA.bags, SORTS)


@pytest.mark.parametrize("kind", REGRESSORS + CLASSIFIERS)
@pytest.mark.parametrize(
    "groups, error, said",
    [
        ([None, "a"] * 30, ValueError, "must name a group for every bag, got None for bag 0;"),
        ([1.0, np.nan] * 30, ValueError, "must name a group for every bag, got .*nan.* for bag 1;"),
        ([[1], [1, 2]] * 30, ValueError, "must have one entry per bag, 60, got lists of different"),
        (np.array([1, "a"] * 30, dtype=object), TypeError, "must hold names of one kind"),
    ],
)
def test_groups_that_cannot_be_are_refused(kind, groups, error, said):
    with pytest.raises(error, match=f"^`groups` {said}"):
        kind().fit(DATA.bags, SORTS, groups=groups)


@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.parametrize(
    "given",
    [
        {0: "a"},
        {0: None},
        {0: 1j},
        {0: np.inf},
        {0: 10**400},
        {0: True},
        np.ones(2),
        {0: 1e200, 1: 1.0},
    ],
)
def test_class_weights_that_cannot_be_are_refused(kind, given):
    with pytest.raises(ValueError, match="^`class_weight` (must|times)"):
        kind(class_weight=given).fit(DATA.bags, SORTS)


def test_an_array_is_no_penalty():
    for kind in (SingleLocationRegressor, SingleLocationClassifier):
        with pytest.raises(ValueError, match="`alpha` must be a number"):
            kind(alpha=np.array([1.0, 2.0])).fit(DATA.bags, SORTS)


@pytest.mark.filterwarnings("ignore::soloc.estimators.PointingWarning")
def test_truth_values_and_fractions_are_no_positions_and_no_counts():
    regressor = SingleLocationRegressor(alpha=1.0, loss="squared").fit(DATA.bags, DATA.labels)
    classifier = SingleLocationClassifier(alpha=1.0, loss="cross_entropy").fit(DATA.bags, SORTS)
    network = SingleLocationNetworkClassifier(decay=1.0, members=2, max_epochs=2)
    for model in (regressor, classifier, network.fit(DATA.bags, SORTS)):
        for output in (0.0, True, "0", -1):
            with pytest.raises(ValueError, match=r"`output` must be None or (0, the|an integer)"):
                model.explain(DATA.bags, output=output)
        assert model.explain(DATA.bags, output=np.int64(0))
        for bag in (True, 0.0, "0"):
            with pytest.raises(ValueError, match="`bag` must be a position"):
                model.explain(DATA.bags, bag=bag)
        for count in (True, 1.0, 0):
            with pytest.raises(ValueError, match="`n_repeats` must be an integer"):
                model.importance(DATA.bags, DATA.labels, n_repeats=count)


@pytest.mark.parametrize(
    "model, said",
    [
        (SingleLocationRegressor(loss=np.array(["auto", "squared"])), "`loss` must be one of"),
        (SingleLocationRegressor(value_alpha=np.ones(2)), "`value_alpha` must be a number"),
        (SingleLocationNetworkRegressor(decay=np.ones(2)), "`decay` must be a number"),
        (SingleLocationAutoRegressor(candidates=[["linear"]]), "`candidates` must be None or"),
    ],
)
def test_arrays_and_lists_are_no_words(model, said):
    with pytest.raises(ValueError, match=said):
        model.fit(DATA.bags, DATA.labels)


@pytest.mark.parametrize("kind", [SingleLocationRegressor, SingleLocationNetworkRegressor])
def test_a_frame_with_words_is_refused_by_the_name_of_its_column(kind):
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "colour": ["red", "blue", "red"]})
    with pytest.raises(ValueError, match="column 'colour' of `X` must be numeric"):
        kind().fit(frame, [1.0, 2.0, 3.0])


@pytest.mark.filterwarnings("ignore::soloc.estimators.PointingWarning")
def test_a_class_is_explained_by_its_name_or_its_position():
    model = SingleLocationClassifier(alpha=1.0, loss="cross_entropy")
    for names in (np.array(["neg", "pos"]), np.array([False, True]), np.array([5.0, 2.0])[::-1]):
        model.fit(DATA.bags, names[SORTS])
        for position, name in enumerate(names):
            by_name = model.explain(DATA.bags, output=name)
            expected = model.explain(DATA.bags, output=position)
            pd.testing.assert_frame_equal(by_name.table, expected.table)
            assert by_name.total_is == expected.total_is == f"score of {name}"
    model.fit(DATA.bags, np.array(["neg", "pos"])[SORTS])
    with pytest.raises(ValueError, match="from 0 to 1, or a class, one of 'neg', 'pos', got 'po'"):
        model.explain(DATA.bags, output="po")
    model.fit(DATA.bags, SORTS + 3)  # integers are positions
    with pytest.raises(ValueError, match="`output` must be None or an integer from 0 to 1, got 3"):
        model.explain(DATA.bags, output=3)
    one = SingleLocationRegressor(alpha=1.0, loss="squared").fit(DATA.bags, DATA.labels)
    with pytest.raises(ValueError, match="`output` must be None or 0, the only label, got 1"):
        one.explain(DATA.bags, output=1)
