"""Bags: every way in leads to the same values, and everything else is refused with a sentence that
names the bag."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from soloc.estimators import Bags
from soloc.estimators.bags import as_bags

THREE = np.arange(24.0).reshape(4, 3, 2)
RAGGED = [np.ones((2, 3)), np.zeros((1, 3)), 2 * np.ones((4, 3))]


def objects(bags):
    out = np.empty(len(bags), dtype=object)
    out[:] = bags
    return out


def test_every_way_in_gives_the_same_bags():
    frame = pd.DataFrame(THREE.reshape(-1, 2), columns=["a", "b"]).assign(
        id=np.repeat(list("wxyz"), 3)
    )
    for bags in (
        as_bags(THREE),
        as_bags(list(THREE)),
        Bags(THREE.reshape(-1, 2), [0, 3, 6, 9, 12]),
        Bags.from_frame(frame, "id"),
    ):
        np.testing.assert_array_equal(bags.values, THREE.reshape(-1, 2))
        np.testing.assert_array_equal(bags.offsets, [0, 3, 6, 9, 12])


def test_ragged_bags_in_an_array_of_objects_or_a_series_are_those_of_a_list():
    expected = as_bags(RAGGED)
    for bags in (as_bags(objects(RAGGED)), as_bags(pd.Series(RAGGED, index=[5, 6, 7]))):
        np.testing.assert_array_equal(bags.values, expected.values)
        np.testing.assert_array_equal(bags.offsets, expected.offsets)
    whole = np.ma.masked_array(THREE)  # nothing is masked, nothing is lost
    np.testing.assert_array_equal(as_bags(whole).values, THREE.reshape(-1, 2))


def test_frames_in_a_list_are_found_by_the_names_of_their_columns():
    frames = [pd.DataFrame(bag, columns=["a", "b", "c"]) for bag in RAGGED]
    expected = Bags.from_list(frames)
    assert expected.features == ["a", "b", "c"]
    mixed = [frames[0], frames[1][["c", "a", "b"]], frames[2]]
    for bags in (Bags.from_list(mixed), as_bags(mixed), as_bags(objects(mixed))):
        np.testing.assert_array_equal(bags.values, expected.values)
        assert bags.features == ["a", "b", "c"]
    turned = Bags.from_list(frames, features=["b", "c", "a"])
    np.testing.assert_array_equal(turned.values, expected.values[:, [1, 2, 0]])
    assert as_bags([frame.set_axis(range(3), axis=1) for frame in frames]).features is None
    assert Bags.from_list(RAGGED, features=list("xyz")).features == ["x", "y", "z"]


def test_polars_frames_in_a_list_are_found_by_the_names_of_their_columns():
    polars = pytest.importorskip("polars")
    first = polars.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    bags = as_bags([first, first[["b", "a"]]])
    assert bags.features == ["a", "b"]
    np.testing.assert_array_equal(bags.values[:2], bags.values[2:])


@pytest.mark.parametrize(
    ("last", "sentence"),
    [
        (["a"], "bag 1 of `X` must have the columns ['a', 'b'], got ['a']"),
        (["a", "b", "c"], "bag 1 of `X` must have the columns ['a', 'b'], got ['a', 'b', 'c']"),
        (["a", "A"], "bag 1 of `X` must have the columns ['a', 'b'], got ['a', 'A']"),
        (["a", "a"], "bag 1 of `X` must have the columns ['a', 'b'], got ['a', 'a']"),
        (None, "got a frame as bag 0 and ndarray as bag 1; turn all into frames, or all into"),
    ],
)
def test_frames_of_other_columns_and_frames_beside_arrays_are_refused(last, sentence):
    first = pd.DataFrame(np.ones((2, 2)), columns=["a", "b"])
    values = np.ones((1, 2 if last is None else len(last)))
    other = values if last is None else pd.DataFrame(values, columns=last)
    with pytest.raises(ValueError, match="`X`") as caught:
        as_bags([first, other])
    assert sentence in str(caught.value)
    with pytest.raises(ValueError, match="`X`"):
        as_bags([other, first])


def test_rows_of_a_frame_need_not_be_adjacent_and_bags_come_in_order_of_appearance():
    frame = pd.DataFrame(
        {"id": ["b", "a", "b"], "x": [1.0, 2.0, 3.0], "w": ["p", "q", "r"], "y": [5, 6, 5]}
    )
    bags = Bags.from_frame(frame, "id", label="y", name="w")
    assert bags.ids == ["b", "a"] and bags.names == ["p", "r", "q"] and bags.features == ["x"]
    np.testing.assert_array_equal(bags.values[:, 0], [1, 3, 2])
    np.testing.assert_array_equal(bags.labels, [5, 6])


def test_polars_frames_are_read_like_pandas_frames():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"id": [1, 1, 2], "x": [1.0, 2.0, 3.0], "y": [0.5, 0.5, 0.7]})
    bags = Bags.from_frame(frame, "id", label="y")
    assert bags.ids == [1, 2] and bags.labels.tolist() == [0.5, 0.7] and bags.width == 1


def test_float32_stays_float32_without_a_copy_and_everything_else_becomes_float64():
    single = THREE.astype(np.float32)
    assert as_bags(single).values.dtype == np.float32
    assert np.shares_memory(as_bags(single).values, single)
    assert as_bags(THREE.astype(int)).values.dtype == np.float64


def test_a_two_dimensional_array_is_bags_of_one():
    assert as_bags(np.ones((5, 2))).lengths.tolist() == [1] * 5


def test_a_selection_keeps_names_ids_and_labels():
    bags = Bags.from_list(RAGGED, names=list("abcdefg"), ids=["u", "v", "w"], labels=[1, 2, 3])
    chosen = bags[[2, 0]]
    assert (
        chosen.ids == ["w", "u"]
        and chosen.names == list("defgab")
        and chosen.labels.tolist() == [3, 1]
    )
    assert [len(bag) for bag in chosen] == [4, 2]
    assert (
        len(bags[np.array([True, False, True])]) == 2 and len(bags[1]) == 1 and len(bags[1:]) == 2
    )


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (lambda: as_bags("words"), "`X` must hold bags of numbers, got a string"),
        (lambda: as_bags(["a", "b"]), "bag 0 of `X` must be an array of numbers, got a string"),
        (lambda: as_bags([np.ones((2, 2)), "b"]), "bag 1 of `X`"),
        (lambda: as_bags([np.ones((2, 2)), np.ones((0, 2))]), "bag 1 of `X` is empty"),
        (lambda: as_bags([np.ones((2, 2)), np.ones((2, 3))]), "bag 0 has 2, bag 1 has 3"),
        (lambda: as_bags([np.ones((2, 2)), np.full((1, 2), np.nan)]), "bag 1 of `X` contains nan"),
        (lambda: as_bags([np.ones((2, 2)), np.ones(2)]), "bag 1 of `X` must have two dimensions"),
        (lambda: as_bags([[[1.0], [2.0, 3.0]]]), "bag 0 of `X` must be a rectangular array"),
        (lambda: as_bags([]), "at least one bag"),
        (lambda: as_bags(np.ones((2, 0, 3))), "bag 0 of `X` is empty"),
        (lambda: as_bags(np.ones(3)), "Reshape your data"),
        (lambda: as_bags(np.ones((2, 2, 2, 2))), "4 dimensions"),
        (lambda: as_bags(np.ones((2, 2), dtype=complex)), "Complex data not supported"),
        (lambda: as_bags(None), "`X` must be an array of numbers, got None; give instances"),
        (lambda: as_bags(3), "`X` must be an array of numbers, got 3; give"),
        (lambda: as_bags(np.array(3.0)), "`X` must be an array of numbers, got array(3.); give"),
        (lambda: as_bags({"a": 1}), "`X` must be an array of numbers, got {'a': 1}; give"),
        (lambda: as_bags([{}, {}]), "`X` must hold arrays of numbers, got dict"),
        (
            lambda: as_bags(objects([None, *RAGGED])),
            "bag 0 of `X` must be an array of numbers, got None; leave",
        ),
        (lambda: as_bags([*RAGGED, None]), "bag 3 of `X` must be an array of numbers, got None;"),
        (lambda: as_bags([1.0, *RAGGED]), "bag 1 of `X` does not have the shape of bag 0"),
        (lambda: as_bags([csr_array(np.ones((2, 2)))]), "bag 0 of `X` must be dense"),
        (lambda: as_bags(np.ma.masked_equal(THREE, 0.0)), "`X` must have no masked entries, got"),
        (
            lambda: as_bags(list(np.ma.masked_equal(THREE, 0.0))),
            "bag 0 of `X` must have no masked entries",
        ),
        (
            lambda: as_bags(list(np.ma.masked_equal(THREE[0], 2.0))),
            "bag 1 of `X` must have no masked entries",
        ),
        (lambda: Bags(np.ones((3, 1)), [0, 2, 2, 3]), "bag 1 of `X` is empty"),
        (
            lambda: Bags(np.ones((3, 1)), [0, 2]),
            "`offsets` must run from 0 to the number of instances 3",
        ),
        (lambda: Bags(np.ones((3, 1)), [0.0, 3.0]), "`offsets` must be a one-dimensional array"),
        (
            lambda: Bags(np.ones((3, 1)), [0, 3], names=["a"]),
            "`names` must have one entry per instance",
        ),
        (lambda: Bags(np.ones((3, 1)), [0, 3], ids=[1, 2]), "`ids` must have one entry per bag"),
        (
            lambda: Bags(np.ones((3, 1)), [0, 3], labels=[1, 2]),
            "`labels` must have one entry per bag",
        ),
        (lambda: Bags(np.ones((3, 1)), [0, 3])[[]], "at least one bag"),
    ],
)
def test_what_is_not_bags_is_refused_with_a_sentence(wrong, sentence):
    with pytest.raises((ValueError, TypeError)) as caught:
        wrong()
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("frame", "options", "sentence"),
    [
        ({"id": [1], "x": [1.0]}, {"bag": "no"}, "`bag` names a column 'no'"),
        ({"id": [1], "x": [1.0]}, {"bag": "id", "label": "no"}, "`label` names a column"),
        (
            {"id": [1, 1], "x": [1.0, 2.0], "y": [1, 2]},
            {"bag": "id", "label": "y"},
            "bag 1 has more than one value",
        ),
        ({"id": [1.0, np.nan], "x": [1.0, 2.0]}, {"bag": "id"}, "row 1 is missing"),
        (
            {"id": [1], "x": ["a"]},
            {"bag": "id", "features": ["x"]},
            "feature 'x' of `frame` must be numeric",
        ),
        (
            {"id": [1], "x": ["a"]},
            {"bag": "id"},
            "`features` must name at least one numeric column",
        ),
        ({"id": [7, 7], "x": [1.0, np.inf]}, {"bag": "id"}, "bag 7 of `X` contains inf"),
    ],
)
def test_a_frame_that_is_not_bags_is_refused_with_a_sentence(frame, options, sentence):
    with pytest.raises(ValueError, match=r"`|bag") as caught:
        Bags.from_frame(pd.DataFrame(frame), **options)
    assert sentence in str(caught.value)


def test_something_that_is_no_frame_is_refused():
    with pytest.raises(TypeError, match="pandas or polars DataFrame"):
        Bags.from_frame([1, 2], "id")
