"""Bags that stay on disk give the answers of bags in memory, a block at a time."""

import numpy as np
import pandas as pd
import pytest

from soloc.datasets import make_single_location
from soloc.estimators import Bags, SingleLocationClassifier, SingleLocationRegressor
from soloc.estimators.coefficients import bag_means
from soloc.estimators.in_blocks import whole
from soloc.estimators.instances import Instances, centre_and_scale
from soloc.estimators.mean_pool import fit_mean_pool, mean_pool_of
from soloc.estimators.objectives.catalogue import CLASSES, NUMBERS
from soloc.estimators.objectives.data import Data

DRAWN = make_single_location(700, width=6, lengths=(1, 8), random_state=3)
NAMES = [f"x{i}" for i in range(6)]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Everything that decides what is large, small."""
    monkeypatch.setattr("soloc.estimators.bags.BLOCK_BYTES", 4000)
    monkeypatch.setattr("soloc.estimators.rows.MappedRows.BYTES", 5000)
    monkeypatch.setattr("soloc.estimators.rows.MAPPED", 0)
    monkeypatch.setattr("soloc.estimators.base.IN_MEMORY", 0)
    monkeypatch.setattr("soloc.estimators.selection.FEWEST_BAGS", 300)
    monkeypatch.setattr("soloc.estimators.selection.MOST_NUMBERS", 0)
    monkeypatch.setattr("soloc.estimators.starts.MOST_NUMBERS", 6000)
    monkeypatch.setattr("soloc.estimators.agreement.MOST_BAGS", 200)


def frame_of(drawn, dtype=np.float64):
    bags = drawn.bags
    frame = pd.DataFrame(bags.values.astype(dtype), columns=NAMES)
    frame.insert(0, "bag", np.repeat([f"b{i}" for i in range(len(bags))], bags.lengths))
    frame["label"] = np.repeat(drawn.labels, bags.lengths)
    frame["kind"] = "a word"
    return frame


@pytest.fixture
def parquet(tmp_path):
    path = tmp_path / "bags.parquet"
    frame_of(DRAWN).to_parquet(path, row_group_size=333, index=False)
    return path


@pytest.fixture
def mapped(tmp_path):
    np.save(tmp_path / "values.npy", DRAWN.bags.values)
    values = np.load(tmp_path / "values.npy", mmap_mode="r")
    return Bags(values, DRAWN.bags.offsets, labels=DRAWN.labels)


@pytest.fixture(params=["parquet", "mapped"])
def on_disk(request):
    if request.param == "mapped":
        return request.getfixturevalue("mapped")
    return Bags.from_parquet(request.getfixturevalue("parquet"), "bag", NAMES, label="label")


def test_what_is_on_disk_is_what_was_written(on_disk):
    assert on_disk.on_disk and len(on_disk) == 700 and on_disk.shape == DRAWN.bags.shape
    np.testing.assert_array_equal(on_disk.offsets, DRAWN.bags.offsets)
    np.testing.assert_array_equal(on_disk.labels, DRAWN.labels)
    chosen = [600, 3, 4, 250]
    np.testing.assert_array_equal(on_disk[chosen].values, DRAWN.bags[chosen].values)
    blocks = list(on_disk.blocks())
    assert len(blocks) > 10 and max(block.values.nbytes for block in blocks) <= 4000
    np.testing.assert_array_equal(np.concatenate([b.values for b in blocks]), DRAWN.bags.values)
    assert not on_disk[:].on_disk


def test_few_rows_of_a_row_group_are_those_of_the_whole(parquet):
    rows = Bags.from_parquet(parquet, "bag", NAMES).values
    whole = rows[:]
    for chosen in (np.arange(0, len(rows), 40), np.arange(100, 300), np.array([5, 900, 6, 7])):
        np.testing.assert_array_equal(rows[chosen], whole[chosen])


def test_columns_that_are_no_features_are_told(parquet):
    bags = Bags.from_parquet(parquet, "bag", label="label")
    assert bags.features == NAMES
    assert bags.aside["kind"] == "it does not hold numbers"
    assert bags.id_of(699) == "b699"


def test_single_precision_stays_single(tmp_path):
    frame_of(DRAWN, np.float32).to_parquet(tmp_path / "single.parquet", index=False)
    bags = Bags.from_parquet(tmp_path / "single.parquet", "bag", NAMES)
    assert bags.values.dtype == np.float32


def test_files_that_cannot_be_bags_are_refused_in_a_sentence(tmp_path, parquet):
    with pytest.raises(ValueError, match="`bag` names a column 'nobody'"):
        Bags.from_parquet(parquet, "nobody")
    with pytest.raises(ValueError, match="`columns` names \\['y'\\]"):
        Bags.from_parquet(parquet, "bag", ["y"])
    with pytest.raises(ValueError, match="column 'kind' of the file must be numeric"):
        Bags.from_parquet(parquet, "bag", ["kind"])
    with pytest.raises(FileNotFoundError, match="does not exist"):
        Bags.from_parquet(tmp_path / "nothing.parquet", "bag")
    frame = frame_of(DRAWN)
    mixed = pd.concat([frame.iloc[4:], frame.iloc[:4]])
    mixed.to_parquet(tmp_path / "mixed.parquet", row_group_size=100, index=False)
    with pytest.raises(ValueError, match="rows of a bag must be adjacent"):
        Bags.from_parquet(tmp_path / "mixed.parquet", "bag")
    first = int(np.flatnonzero(DRAWN.bags.lengths > 1)[-1])
    frame.loc[DRAWN.bags.offsets[first] + 1, "label"] = 99.0
    frame.to_parquet(tmp_path / "labels.parquet", row_group_size=100, index=False)
    with pytest.raises(ValueError, match=f"bag b{first} has more than one value"):
        Bags.from_parquet(tmp_path / "labels.parquet", "bag", label="label")
    frame.loc[700, "x3"] = np.nan
    frame.to_parquet(tmp_path / "holes.parquet", row_group_size=100, index=False)
    with pytest.raises(ValueError, match="NaN or infinity\\) in feature 'x3'"):
        Bags.from_parquet(tmp_path / "holes.parquet", "bag", NAMES)


@pytest.mark.parametrize(
    ("kind", "loss"), [(0, "squared"), (0, "likelihood"), (3, "cross_entropy"), (3, "likelihood")]
)
def test_an_objective_in_blocks_is_the_objective(on_disk, kind, loss):
    rng = np.random.default_rng(0)
    y = np.eye(kind)[np.arange(700) % kind] if kind else DRAWN.labels - DRAWN.labels.mean()
    weights = rng.random(700)
    units = centre_and_scale(DRAWN.bags, True)
    memory = Data(Instances(DRAWN.bags, *units), y, None, True, weights, 5.0)
    disk = memory._replace(instances=Instances(on_disk, *centre_and_scale(on_disk, True)))
    objective = (CLASSES if kind else NUMBERS)[loss]
    one, many = objective(memory), whole(objective, disk)
    size = 6 + 18 + 3 if kind else 6 if loss == "squared" else 14
    point = 0.4 * rng.standard_normal(size)
    value, gradient = many(point)
    assert value == pytest.approx(one(point)[0], rel=1e-12)
    np.testing.assert_allclose(gradient, one(point)[1], rtol=1e-9, atol=1e-13)
    np.testing.assert_allclose(
        many.metric(point)(gradient), one.metric(point)(gradient), rtol=1e-5, atol=1e-9
    )
    found, expected = many.coefficients(point), one.coefficients(point)
    np.testing.assert_allclose(found.value, expected.value, rtol=1e-10)
    assert found.noise == pytest.approx(expected.noise, rel=1e-10)


@pytest.mark.parametrize("outputs", [0, 3])
def test_mean_pool_ridge_in_blocks_is_mean_pool_ridge(on_disk, outputs):
    y = np.eye(3)[np.arange(700) % 3] if outputs else DRAWN.labels
    disk = Instances(on_disk, *centre_and_scale(on_disk, True))
    found = mean_pool_of(Data(disk, y, None, True, np.ones(700), 5.0), True)
    memory = Instances(DRAWN.bags, *centre_and_scale(DRAWN.bags, True))
    expected = fit_mean_pool(bag_means(memory), y, True)
    assert found.alpha == expected.alpha
    np.testing.assert_allclose(found.coef, expected.coef, rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(found.left_out, expected.left_out, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("parameters", [{}, {"alpha": 2.0, "loss": "squared"}])
def test_a_fit_from_disk_is_the_fit_from_memory(on_disk, parameters):
    memory = SingleLocationRegressor(**parameters).fit(DRAWN.bags, DRAWN.labels)
    disk = SingleLocationRegressor(**parameters).fit(on_disk)
    assert disk.loss_ == memory.loss_ and disk.alpha_ == memory.alpha_
    np.testing.assert_allclose(disk.key_, memory.key_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(disk.value_, memory.value_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(
        disk.calibration_.scores, memory.calibration_.scores, rtol=1e-5, atol=1e-7
    )
    for name, said in memory.diagnostics_._asdict().items():
        same = said if isinstance(said, str) else pytest.approx(said, rel=1e-6)
        assert disk.diagnostics_._asdict()[name] == same
    np.testing.assert_allclose(disk.predict(on_disk), memory.predict(DRAWN.bags), rtol=1e-6)
    np.testing.assert_allclose(
        disk.predict_interval(on_disk), memory.predict_interval(DRAWN.bags), rtol=1e-5
    )
    np.testing.assert_array_equal(disk.locate(on_disk), memory.locate(DRAWN.bags))
    np.testing.assert_allclose(
        np.concatenate(disk.attend(on_disk)), np.concatenate(memory.attend(DRAWN.bags)), atol=1e-6
    )


def test_classes_from_disk_are_classes_from_memory(mapped):
    y = np.digitize(DRAWN.labels, [-0.5, 0.5])
    memory = SingleLocationClassifier(alpha=3.0).fit(DRAWN.bags, y)
    disk = SingleLocationClassifier(alpha=3.0).fit(mapped, y)
    np.testing.assert_allclose(disk.key_, memory.key_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(
        disk.predict_proba(mapped), memory.predict_proba(DRAWN.bags), atol=1e-6
    )
    np.testing.assert_array_equal(disk.predict(mapped), memory.predict(DRAWN.bags))


def test_what_needs_everything_in_memory_is_refused(mapped):
    with pytest.raises(ValueError, match="without `context` and `groups`"):
        SingleLocationRegressor(context=True).fit(mapped)
    with pytest.raises(ValueError, match="without `context` and `groups`"):
        SingleLocationRegressor().fit(mapped, groups=np.arange(700) // 2)


def test_label_and_bag_are_no_features_on_disk_either(tmp_path):
    path = tmp_path / "t.parquet"
    pd.DataFrame({"id": [0, 0, 1], "x": [1.0, 2.0, 3.0], "y": [5.0, 5.0, 6.0]}).to_parquet(path)
    for columns in (["x", "y"], ["x", "id"]):
        with pytest.raises(ValueError, match="`columns` must be other columns than"):
            Bags.from_parquet(path, "id", columns, label="y")
    with pytest.raises(ValueError, match="`label` must be another column than `bag`"):
        Bags.from_parquet(path, "id", ["x"], label="id")
