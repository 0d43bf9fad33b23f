"""Files: what is loaded equals what was saved, and anything damaged, changed or newer is refused
with a sentence."""

import json
import zipfile

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from soloc.datasets import make_single_location
from soloc.estimators import SingleLocationClassifier, SingleLocationRegressor, load
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
        (facts_with(version=2), False, "format version 2; this soloc reads up to 1. Update soloc"),
        (facts_with(format="other"), False, "does not describe itself"),
        (facts_with(kind="os.system"), False, "which this version of soloc does not know"),
    ):
        path.write_bytes(whole)
        rewrite(path, change, keep)
        with pytest.raises(ValueError, match="soloc") as caught:
            load(path)
        assert sentence in str(caught.value)


def test_pickled_arrays_are_never_read(saved):
    import io

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
