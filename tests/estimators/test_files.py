"""Files: what is loaded equals what was saved, and anything damaged, changed or newer is refused
with a sentence."""

import io
import json
import tracemalloc
import zipfile

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from soloc.datasets import make_single_location
from soloc.estimators import (
    SingleLocationAutoClassifier,
    SingleLocationAutoRegressor,
    SingleLocationClassifier,
    SingleLocationNetworkClassifier,
    SingleLocationRegressor,
    load,
)
from soloc.estimators.archive import checksum

DATA = make_single_location(200, width=6, lengths=(2, 5), signal=4.0, random_state=0)


@pytest.fixture
def saved(tmp_path):
    model = SingleLocationRegressor(alpha=2.0, loss="likelihood").fit(DATA.bags, DATA.labels)
    path = tmp_path / "model.soloc"
    model.save(path, notes={"bag": "id"})
    return model, path


def test_a_loaded_regressor_equals_the_saved_one(saved):
    model, path = saved
    again = load(path)
    np.testing.assert_array_equal(again.predict(DATA.bags), model.predict(DATA.bags))
    np.testing.assert_array_equal(
        again.predict_interval(DATA.bags), model.predict_interval(DATA.bags)
    )
    np.testing.assert_array_equal(again.locate(DATA.bags), model.locate(DATA.bags))
    assert again.get_params() == model.get_params() and again.notes_ == {"bag": "id"}
    assert again.history_ == model.history_ and again.diagnostics_ == model.diagnostics_
    assert again.residuals_.equals(model.residuals_)


@pytest.mark.parametrize(
    "labels", [DATA.labels > 0, np.where(DATA.labels > 0, "a", "b").astype(object)]
)
def test_a_loaded_classifier_equals_the_saved_one(tmp_path, labels):
    model = SingleLocationClassifier(context=True).fit(DATA.bags, labels)
    model.save(tmp_path / "model.soloc")
    again = load(tmp_path / "model.soloc")
    assert again.classes_.tolist() == model.classes_.tolist()
    np.testing.assert_array_equal(again.predict_proba(DATA.bags), model.predict_proba(DATA.bags))
    assert again.selection_.equals(model.selection_)


def test_every_truncation_is_refused(saved):
    _, path = saved
    whole = path.read_bytes()
    for size in np.linspace(0, len(whole) - 1, 40).astype(int):
        path.write_bytes(whole[:size])
        with pytest.raises(ValueError, match="is not a whole soloc model file"):
            load(path)


def test_changed_bytes_are_refused_or_harmless(saved):
    model, path = saved
    whole = bytearray(path.read_bytes())
    rng = np.random.default_rng(0)
    for position in rng.integers(len(whole), size=60):
        changed = whole.copy()
        changed[position] ^= 0xFF
        path.write_bytes(changed)
        try:
            again = load(path)
        except ValueError as refusal:
            assert "soloc model file" in str(refusal)
        else:  # a byte that carries nothing, such as a date in the archive
            np.testing.assert_array_equal(again.predict(DATA.bags), model.predict(DATA.bags))


def rewrite(path, change, keep_checksum):
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    said = entries.pop("checksum.txt")
    change(entries)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
        archive.writestr("checksum.txt", said if keep_checksum else checksum(entries))


def facts_with(**changes):
    def change(entries):
        facts = json.loads(entries["facts.json"]) | changes
        entries["facts.json"] = json.dumps(facts).encode()

    return change


def test_tampering_newer_versions_and_other_kinds_are_refused(saved):
    _, path = saved
    whole = path.read_bytes()
    for change, keep, sentence in (
        (facts_with(alpha=9.0), True, "do not match its checksum"),
        (facts_with(version=3), False, "format version 3; this soloc reads up to 2. Update soloc"),
        (facts_with(version=1), False, "format version 1, of a soloc before 0.1.0"),
        (facts_with(format="other"), False, "does not describe itself"),
        (facts_with(kind="os.system"), False, "which this version of soloc does not know"),
    ):
        path.write_bytes(whole)
        rewrite(path, change, keep)
        with pytest.raises(ValueError, match="soloc") as caught:
            load(path)
        assert sentence in str(caught.value)


def test_pickled_arrays_are_never_read(saved):
    _, path = saved

    def change(entries):
        buffer = io.BytesIO()
        np.save(buffer, np.array([{}], dtype=object), allow_pickle=True)
        entries["key.npy"] = buffer.getvalue()

    rewrite(path, change, keep_checksum=False)
    with pytest.raises(ValueError, match="allow_pickle"):
        load(path)


def test_a_failed_save_leaves_the_old_file(saved):
    model, path = saved
    before = path.read_bytes()
    with pytest.raises(TypeError, match="`notes` must be plain JSON"):
        model.save(path, notes={"what": object()})
    assert path.read_bytes() == before and [p.name for p in path.parent.iterdir()] == [path.name]
    with pytest.raises(NotFittedError):
        SingleLocationRegressor().save(path)


WRONG = (None, True, -1, 0.5, "x", [], [1, "a"], {}, {"a": 1}, 10**400, float("inf"))


def state_with(path, value):
    """A change of one fact, named by its way through the dictionaries; None as way deletes."""

    def change(entries):
        facts = json.loads(entries["facts.json"])
        inner = facts
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = value
        entries["facts.json"] = json.dumps(facts).encode()

    return change


def ways(facts):
    """Every fact, and every fact inside of facts."""
    for key, value in facts.items():
        yield (key,)
        if isinstance(value, dict):
            yield from ((key, *rest) for rest in ways(value))


@pytest.mark.parametrize("kind", ["regressor", "classifier"])
def test_every_fact_of_a_wrong_kind_is_refused_in_a_sentence_or_harmless(kind, tmp_path):
    path = tmp_path / "model.soloc"
    if kind == "regressor":
        SingleLocationRegressor(loss="squared").fit(DATA.bags, DATA.labels).save(path)
    else:
        SingleLocationClassifier(alpha=2.0).fit(DATA.bags, DATA.labels > 0).save(path)
    whole = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        facts = json.loads(archive.read("facts.json"))
    refused = 0
    for way in ways(facts):
        for value in WRONG:
            path.write_bytes(whole)
            rewrite(path, state_with(way, value), keep_checksum=False)
            try:
                again = load(path)
            except ValueError as refusal:
                refused += 1
                assert "soloc" in str(refusal) and str(refusal).endswith((".", "?")), refusal
            else:
                assert np.isfinite(again.predict(DATA.bags)).all()
                again.save(tmp_path / "again.soloc")
                load(tmp_path / "again.soloc")
    assert refused > 200


def npy_with(name, array):
    def change(entries):
        if array is None:
            del entries[name]
        else:
            buffer = io.BytesIO()
            np.save(buffer, array)
            entries[name] = buffer.getvalue()

    return change


@pytest.mark.parametrize("name", ["centre", "scale", "key", "value", "intercept", "left_out"])
@pytest.mark.parametrize(
    "array",
    [
        None,
        np.zeros(2),
        np.zeros((6, 6)),
        np.full(6, np.nan),
        np.zeros(6, dtype=int),
        np.array(["a"] * 6),
        np.zeros(6, dtype=[("a", "f8")]),
    ],
    ids=["missing", "short", "square", "nan", "integers", "text", "records"],
)
def test_every_array_of_a_wrong_kind_is_refused_by_name(saved, name, array):
    _, path = saved
    rewrite(path, npy_with(f"{name}.npy", array), keep_checksum=False)
    with pytest.raises(ValueError, match=f"is not a whole soloc model file: array '{name}'"):
        load(path)


def test_headers_that_lie_about_their_size_are_refused_before_anything_is_allocated(saved):
    _, path = saved

    def change(entries):
        lie = b"{'descr': '<f8', 'fortran_order': False, 'shape': (4000000000000,), }"
        header = lie + b" " * (118 - len(lie) - 1) + b"\n"
        entries["key.npy"] = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header

    rewrite(path, change, keep_checksum=False)
    with pytest.raises(ValueError, match="promises 4000000000000 numbers, its size is 0 bytes"):
        load(path)


def test_a_bomb_is_refused_before_it_is_unpacked(saved, tmp_path):
    _, path = saved
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    bomb = tmp_path / "bomb.soloc"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
        archive.writestr("more_zeros.npy", bytes(200_000_000))
    assert bomb.stat().st_size < 1_000_000
    tracemalloc.start()
    try:
        with pytest.raises(
            ValueError, match="soloc writes its entries uncompressed, these are not"
        ):
            load(bomb)
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


SIGNS = (DATA.labels > 0).astype(int)
CLASSIFIERS = [
    SingleLocationClassifier(alpha=1.0, loss="cross_entropy"),
    SingleLocationNetworkClassifier(decay=1.0, members=2, max_epochs=2),
    SingleLocationAutoClassifier(candidates=["mean-pool"]),
]


@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("names", [[0, 1], [0.0, 1.0], [False, True], ["no", "yes"]])
def test_weights_of_classes_are_kept(model, names, tmp_path):
    labels = np.array(names)[SIGNS]
    for given in ({names[0]: 5.0, names[1]: 1}, {np.unique(labels)[1]: np.float64(3.0)}, {}):
        model = clone(model).set_params(class_weight=given).fit(DATA.bags, labels)
        model.save(tmp_path / "model.soloc")
        again = load(tmp_path / "model.soloc")
        assert again.class_weight == given
        assert all(type(key) is type(names[0]) for key in again.class_weight)
        found = clone(again).fit(DATA.bags, labels).predict_proba(DATA.bags)
        np.testing.assert_array_equal(found, model.predict_proba(DATA.bags))


@pytest.mark.parametrize(
    "wrong",
    [
        {"0": 2.0},
        [0, 2.0],
        [[0]],
        [[0, 2.0, 1.0]],
        [[0, "a"]],
        [[0, True]],
        [[0, -1.0]],
        [[0, 1e400]],
        [[None, 1.0]],
        [[[0], 1.0]],
        [[float("nan"), 1.0]],
        [[0, 1.0], [0, 2.0]],
    ],
)
def test_malformed_weights_of_classes_are_refused_by_name(wrong, tmp_path):
    path = tmp_path / "model.soloc"
    CLASSIFIERS[0].fit(DATA.bags, SIGNS).save(path)
    rewrite(path, state_with(("state", "parameters", "class_weight"), wrong), keep_checksum=False)
    with pytest.raises(ValueError, match=r"not a whole .* field 'parameters.class_weight' must"):
        load(path)


@pytest.mark.parametrize("wrong", [[["linear"]], [{}], {"a": 1}, [1, [2]], [None]])
@pytest.mark.parametrize("name", ["candidates", "random_state"])
def test_nested_parameters_are_refused_by_name(wrong, name, tmp_path):
    path = tmp_path / "model.soloc"
    model = SingleLocationAutoRegressor(candidates=["mean-pool"]).fit(DATA.bags, DATA.labels)
    model.save(path)
    rewrite(path, state_with(("state", "parameters", name), wrong), keep_checksum=False)
    with pytest.raises(ValueError, match=f"not a whole .* field 'parameters.{name}' must be"):
        load(path)


DAYS = np.array(["2020-01-01", "2021-01-01"], dtype="M8[D]")


@pytest.mark.parametrize("classes", [DAYS, DAYS - DAYS[0]], ids=["days", "times"])
def test_classes_that_no_file_holds_are_refused_before_anything_is_written(classes, tmp_path):
    for model in CLASSIFIERS:
        model = clone(model).fit(DATA.bags, classes[SIGNS])
        with pytest.raises(ValueError, match="only with classes in `y` that are numbers or str"):
            model.save(tmp_path / "model.soloc")
        assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("notes", [["a"], "a", 3, [("a", 1)]])
def test_notes_that_are_no_dictionary_are_refused_before_anything_is_written(saved, notes):
    model, path = saved
    before = path.read_bytes()
    with pytest.raises(TypeError, match="`notes` must be a dictionary of plain JSON, got"):
        model.save(path, notes=notes)
    assert path.read_bytes() == before


def test_what_is_no_path_and_a_file_that_is_not_there_are_refused(saved, tmp_path):
    model, _ = saved
    for act in (model.save, load):
        for path in (3, None, b"m.soloc"):
            with pytest.raises(TypeError, match=f"^`path` must be a text or a `Path`, got {path};"):
                act(path)
    for path in ("nofile", tmp_path / "nofile"):
        with pytest.raises(FileNotFoundError, match="^`path` .*nofile is no file; `save` and"):
            load(path)


def test_a_path_that_cannot_be_is_named(saved, tmp_path, monkeypatch):
    model, _ = saved
    with pytest.raises(FileNotFoundError, match="^`path` must be in a folder .* 'no/x.soloc'"):
        model.save("no/x.soloc")
    monkeypatch.chdir(tmp_path)
    for act in (model.save, load):
        for path in (".", tmp_path):
            with pytest.raises(IsADirectoryError, match=f"^`path` must name a file, .*'{path}'"):
                act(path)
