"""Data frames to bags: columns that are no features, and why."""

import numpy as np
import pandas as pd
import pytest

from soloc.estimators import Bags, ColumnWarning


def test_a_few_words_in_a_column_of_numbers_are_told_with_one_of_them():
    column = [str(i / 2) for i in range(18)] + ["k.A.", None]
    table = pd.DataFrame({"bag": np.repeat([0, 1], 10), "x": np.arange(20.0), "t": column})
    why = Bags.from_frame(table, "bag").aside["t"]
    assert why.startswith("1 of its 20 entries are no numbers, such as 'k.A.'")
    with pytest.raises(ValueError, match="'t' of `frame` must be numeric, but 1 of its 20 entries"):
        Bags.from_frame(table, "bag", features=["t"])
    words = table.assign(t=["a word"] * 20, when=pd.Timestamp(0))
    for name in ("t", "when"):
        assert Bags.from_frame(words, "bag").aside[name] == "it does not hold numbers"


def small():
    return pd.DataFrame(
        {"id": [1, 1, 2, 2], "a": [1.0, 2, 3, 4], "place": [0, 1, 0, 1], "y": [1.0, 1, 2, 2]}
    )


@pytest.mark.parametrize(
    ("features", "sentence"),
    [
        (["a", "y"], "got 'y', which is the `label`; leave it out"),
        (["a", "id"], "got 'id', which is the `bag`; leave it out"),
        (pd.Index(["place"]), "got 'place', which is the `name`; leave it out"),
        (["a", "a"], "`features` must be different names, got 'a' more than once"),
    ],
)
def test_a_column_with_a_role_is_no_feature_and_a_feature_is_one_once(features, sentence):
    with pytest.raises(ValueError, match=sentence):
        Bags.from_frame(small(), "id", features, label="y", name="place")


def test_the_bag_is_not_its_own_label():
    with pytest.raises(ValueError, match="`label` must be another column than `bag`, got 'id'"):
        Bags.from_frame(small(), "id", label="id")


@pytest.mark.parametrize("twin", ["id", "a", "y", "place"])
@pytest.mark.parametrize("features", [None, ["a"]])
def test_two_columns_of_one_name_are_refused_where_one_is_meant(twin, features):
    frame = small().assign(new=5.0, other=6.0).rename(columns={"new": twin})
    with pytest.raises(ValueError, match=f"`frame` must have one column '{twin}', got 2"):
        Bags.from_frame(frame, "id", features, label="y", name="place")
    unused = small().assign(new=5.0, other=6.0).rename(columns={"new": "twin", "other": "twin"})
    if features is not None:
        assert Bags.from_frame(unused, "id", features, label="y").features == ["a"]


@pytest.mark.parametrize(
    ("column", "sentence"),
    [
        (list("xyzx"), "does not hold numbers; code it as numbers, as `pandas.get_dummies` does"),
        (pd.Categorical(list("xyzx")), "does not hold numbers; code it as numbers"),
        (["1", "2", "3", "4"], r"its numbers are of type \w+; convert it with `.astype\(float\)`"),
        (pd.Categorical([1, 2, 1, 2]), "its numbers are of type category; convert it"),
    ],
)
def test_a_feature_that_holds_no_numbers_is_named_with_what_to_do(column, sentence):
    with pytest.raises(ValueError, match=f"feature 'c' of `frame` must be numeric, .*{sentence}"):
        Bags.from_frame(small().assign(c=column), "id", ["a", "c"], label="y")


@pytest.mark.parametrize("features", [None, ["a", "c"]])
def test_a_missing_integer_is_refused_by_the_name_of_its_column(features):
    frame = small().assign(c=pd.array([1, None, 2, 3], dtype="Int64"))
    with pytest.raises(ValueError, match="in feature 'c'; remove or impute such values first"):
        Bags.from_frame(frame, "id", features, label="y")


@pytest.mark.parametrize("role", ["bag", "label", "name"])
def test_one_column_is_one_name(role, tmp_path):
    roles = {"bag": "id", role: ["a", "y"]}
    more = "; for several labels, give them to `fit` as `y`" if role == "label" else ""
    said = rf"^`{role}` must name one column, got \['a', 'y'\]{more}\.$"
    with pytest.raises(TypeError, match=said):
        Bags.from_frame(small(), **roles)
    small().to_parquet(tmp_path / "t.parquet")
    if role != "name":
        with pytest.raises(TypeError, match=said):
            Bags.from_parquet(tmp_path / "t.parquet", **roles)


def test_a_second_label_is_told_once_at_the_line_that_asked():
    frame = small().assign(age=[5.0, 5, 6, 6], unit=1.0)
    with pytest.warns(ColumnWarning, match="column 'age' is the same for all instances") as told:
        bags = Bags.from_frame(frame, "id", label="y")
    assert bags.features == ["a", "place", "age", "unit"]
    assert len(told) == 1 and told[0].filename == __file__
    late = np.arange(2400.0)  # what varies in the last bag alone can point
    frame = pd.DataFrame({"id": np.repeat(late, 2), "y": 1.0, "x": np.repeat(late, 2)})
    frame.loc[len(frame) - 1, "x"] = -1.0
    Bags.from_frame(frame, "id", label="y")
    Bags.from_frame(frame.iloc[::2], "id", label="y")  # one instance each


def test_a_second_label_that_is_named_or_beside_no_label_is_meant():
    frame = small().assign(age=[5.0, 5, 6, 6])
    assert Bags.from_frame(frame, "id", ["a", "age"], label="y").width == 2
    assert Bags.from_frame(frame.drop(columns="y"), "id").width == 3
