"""Column names travel: whatever the order of columns, a model reads those it was fitted to."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from soloc.datasets import make_single_location
from soloc.estimators import (
    Bags,
    ColumnWarning,
    SingleLocationClassifier,
    SingleLocationRegressor,
    TokenTransformer,
    load,
)

DATA = make_single_location(200, width=5, lengths=(2, 5), signal=4.0, random_state=0)
NAMES = [f"f{i}" for i in range(5)]


def frame():
    table = pd.DataFrame(DATA.bags.values, columns=NAMES)
    table.insert(0, "id", np.repeat(np.arange(200), DATA.bags.lengths))
    table["note"] = "text"
    table["y"] = np.repeat(DATA.labels, DATA.bags.lengths)
    return table


def models():
    regressor = SingleLocationRegressor(alpha=1.0, loss="squared")
    return {
        "regressor": regressor,
        "classifier": SingleLocationClassifier(alpha=1.0, loss="cross_entropy"),
        "scaled": make_pipeline(TokenTransformer(StandardScaler()), regressor),
        "rotated": make_pipeline(TokenTransformer(PCA(3)), regressor),
    }


@pytest.fixture(params=models())
def fitted(request):
    bags = Bags.from_frame(frame(), "id", label="y")
    labels = bags.labels > 0 if request.param == "classifier" else bags.labels
    return models()[request.param].fit(bags, labels)


def test_reordered_columns_and_columns_left_out_give_the_same_answer(fitted):
    expected = fitted.predict(Bags.from_frame(frame(), "id", label="y"))
    turned = frame()[["y", "f3", "note", "f1", "f0", "id", "f4", "f2"]]
    np.testing.assert_array_equal(
        fitted.predict(Bags.from_frame(turned, "id", label="y")), expected
    )
    # nobody says that y is a label here, so it looks like a feature; the fit left it out
    np.testing.assert_array_equal(fitted.predict(Bags.from_frame(turned, "id")), expected)
    given = Bags.from_frame(turned, "id", features=NAMES[::-1])
    np.testing.assert_array_equal(fitted.predict(given), expected)


def test_missing_and_renamed_columns_are_refused_by_name(fitted):
    for table in (frame().drop(columns="f3"), frame().rename(columns={"f3": "g3"})):
        with pytest.raises(ValueError, match="was fitted to: 'f3' is missing; it has 'f0', 'f1'"):
            fitted.predict(Bags.from_frame(table, "id", label="y"))


def test_an_unknown_column_is_named_in_a_warning_and_ignored(fitted):
    expected = fitted.predict(Bags.from_frame(frame(), "id", label="y"))
    table = frame()
    table.insert(2, "weight", 3.0)
    with pytest.warns(ColumnWarning, match="was not fitted to column 'weight' of `X`"):
        found = fitted.predict(Bags.from_frame(table, "id", label="y"))
    np.testing.assert_array_equal(found, expected)


def test_names_are_there_as_scikit_learn_has_them_and_survive_selection_and_files(tmp_path):
    bags = Bags.from_frame(frame(), "id", label="y")
    model = SingleLocationRegressor(alpha=1.0, loss="squared").fit(bags[:150])
    assert model.feature_names_in_.tolist() == NAMES
    assert model.columns_aside_ == ["id", "y", "note"]
    model.save(tmp_path / "m.soloc")
    again = load(tmp_path / "m.soloc")
    turned = Bags.from_frame(frame()[["y", "id", *NAMES[::-1]]], "id")
    np.testing.assert_array_equal(again.predict(turned), model.predict(bags))
    again.fit(DATA.bags, DATA.labels)
    assert not hasattr(again, "feature_names_in_")


def test_a_frame_whose_rows_are_bags_of_one_is_matched_too():
    table = pd.DataFrame(np.random.default_rng(0).standard_normal((60, 3)), columns=list("abc"))
    y = table["a"] - 2 * table["c"]
    model = SingleLocationRegressor(alpha=0.1, loss="squared").fit(table, y)
    np.testing.assert_array_equal(model.predict(table[["c", "b", "a"]]), model.predict(table))
    with pytest.raises(ValueError, match="'b' is missing"):
        model.predict(table[["c", "a"]])
    with pytest.warns(ColumnWarning, match="'new' of `X`"):
        model.predict(table.assign(new="text"))


def test_columns_without_names_are_matched_by_position_with_a_warning():
    bags = Bags.from_frame(frame(), "id", label="y")
    named = SingleLocationRegressor(alpha=1.0, loss="squared").fit(bags)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        found = named.predict(DATA.bags)
    np.testing.assert_array_equal(found, named.predict(bags))
    plain = SingleLocationRegressor(alpha=1.0, loss="squared").fit(DATA.bags, DATA.labels)
    with pytest.warns(UserWarning, match="was fitted without feature names"):
        plain.predict(bags)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plain.predict(DATA.bags)


def test_columns_are_named_in_refusals():
    table = frame()
    table.loc[3, "f2"] = np.nan
    with pytest.raises(ValueError, match="bag 0 of `X` contains nan .* in feature 'f2'"):
        Bags.from_frame(table[table.id == table.id[3]].assign(id=0), "id", label="y")
    with pytest.raises(ValueError, match="`features` must be different names, got 'a'"):
        Bags(np.zeros((2, 2)), [0, 2], features=["a", "a"])
    with pytest.raises(ValueError, match="`features` must have one name per column, 2, got 1"):
        Bags(np.zeros((2, 2)), [0, 2], features=["a"])


@pytest.mark.parametrize(
    ("column", "sentence"),
    [
        (pd.array([1, None] * 30, dtype="Int64"), "row 1 is missing; remove or impute such values"),
        (["word"] * 60, "it does not hold numbers; code it as numbers"),
        (pd.Categorical(["word"] * 60), "it does not hold numbers; code it as numbers"),
    ],
)
def test_a_column_that_became_something_else_than_numbers_is_named(column, sentence):
    table = pd.DataFrame(np.random.default_rng(0).standard_normal((60, 3)), columns=list("abc"))
    model = SingleLocationRegressor(alpha=0.1, loss="squared").fit(table, table["a"])
    whole = table.assign(b=pd.array(range(60), dtype="Int64"), c=pd.Categorical(range(60)))
    assert len(model.predict(whole)) == 60
    with pytest.raises(ValueError, match=f"column 'b' of `X` must be numeric, but {sentence}"):
        model.predict(table.assign(b=column))


def test_frames_in_a_list_are_read_by_name(fitted):
    expected = fitted.predict(Bags.from_frame(frame(), "id", label="y"))
    frames = [bag[NAMES[::-1]] for _, bag in frame().groupby("id")]
    np.testing.assert_array_equal(fitted.predict(frames), expected)
    np.testing.assert_array_equal(fitted.predict(pd.Series(frames)), expected)
    with pytest.raises(ValueError, match="`X` must have every column .*: 'f2' is missing"):
        fitted.predict([bag.drop(columns="f2") for bag in frames])
    with pytest.warns(ColumnWarning, match="not fitted to column 'new' of `X`"):
        fitted.predict([bag.assign(new=1.0) for bag in frames])
    with pytest.warns(UserWarning, match="columns are matched by position"):
        fitted.predict([bag[NAMES].to_numpy() for bag in frames])


def test_a_fit_to_frames_in_a_list_remembers_names():
    frames = [bag[NAMES] for _, bag in frame().groupby("id")]
    model = SingleLocationRegressor(alpha=1.0, loss="squared").fit(frames, DATA.labels)
    assert model.feature_names_in_.tolist() == NAMES
    turned = [bag[NAMES[::-1]] for bag in frames]
    assert model.score(turned, DATA.labels) == model.score(frames, DATA.labels) > 0.5
    pd.testing.assert_frame_equal(model.explain(turned, 3).table, model.explain(frames, 3).table)
