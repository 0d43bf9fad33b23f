"""Warnings about pointing name the line of whoever asked, however deep inside they arise."""

import sys
import warnings

import numpy as np
import pytest

from soloc.estimators import (
    Bags,
    PointingWarning,
    SingleLocationAutoClassifier,
    SingleLocationAutoRegressor,
    SingleLocationClassifier,
    SingleLocationNetworkClassifier,
    SingleLocationNetworkRegressor,
    SingleLocationRegressor,
)

RNG = np.random.default_rng(0)
NOISE = Bags.from_list(list(RNG.standard_normal((60, 3, 4))))
LABELS = RNG.standard_normal(60)
NETWORK = {"decay": 1.0, "members": 2, "max_epochs": 2}
MODELS = [
    SingleLocationRegressor(alpha=1.0, loss="squared"),
    SingleLocationClassifier(alpha=1.0, loss="cross_entropy"),
    SingleLocationNetworkRegressor(**NETWORK),
    SingleLocationNetworkClassifier(**NETWORK),
    SingleLocationAutoRegressor(candidates=["mean-pool"]),
    SingleLocationAutoClassifier(candidates=["mean-pool"]),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_a_warning_about_pointing_names_the_line_that_asked(model, tmp_path, monkeypatch):
    model.fit(NOISE, LABELS > 0 if hasattr(model, "predict_proba") else LABELS)
    assert model.diagnostics_.doubts
    monkeypatch.setattr("soloc.estimators.rows.MAPPED", 0)
    monkeypatch.setattr("soloc.estimators.bags.BLOCK_BYTES", 4000)
    np.save(tmp_path / "values.npy", NOISE.values)
    mapped = Bags(np.load(tmp_path / "values.npy", mmap_mode="r"), NOISE.offsets)
    assert mapped.on_disk and len(list(mapped.blocks())) > 1
    for bags in (NOISE, mapped):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            model.locate(bags)
            model.explain(bags, 3)
            lines = {sys._getframe().f_lineno - 2, sys._getframe().f_lineno - 1}
        told = [warning for warning in told if warning.category is PointingWarning]
        assert {warning.filename for warning in told} == {__file__}
        assert {warning.lineno for warning in told} == lines
