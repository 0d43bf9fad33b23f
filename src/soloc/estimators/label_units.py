"""Labels in standard units, one column of them or several, and the way back; also in files."""

from typing import Any

import numpy as np

from soloc.estimators.calibration import Calibration
from soloc.estimators.fields import Fields


def units_of(y: np.ndarray, weights: np.ndarray, centred: bool) -> dict[str, Any]:
    """`label_mean_` and `label_scale_`: numbers, or arrays with one entry per column."""
    # folds are drawn by the last bits of labels: equal weights must change none
    given = None if (weights == weights[0]).all() else weights
    mean = np.average(y, axis=0, weights=given) if centred else np.zeros(y.shape[1:])
    scale = np.sqrt(np.average((y - mean) ** 2, axis=0, weights=given))
    scale = np.where(scale > 0, scale, 1.0)
    if y.ndim == 1:
        return {"label_mean_": float(mean), "label_scale_": float(scale)}
    return {"label_mean_": mean, "label_scale_": scale}


def ends_in_units(model: Any, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Intervals in units of the label, (n, 2), or (n, outputs, 2)."""
    ends = [model.label_mean_ + model.label_scale_ * end for end in (low, high)]
    return np.stack(ends, axis=-1)


def checked_coverage(coverage: Any) -> float:
    """A probability strictly between 0 and 1."""
    if not isinstance(coverage, (float, int, np.floating)) or not 0 < coverage < 1:
        raise ValueError(f"`coverage` must be a number between 0 and 1, got {coverage!r}.")
    return float(coverage)


def saved_units(model: Any) -> Fields:
    """Units of the labels and calibration, as a file holds them."""
    several = np.ndim(model.label_mean_) == 1
    units = {"label_mean": model.label_mean_, "label_scale": model.label_scale_}
    arrays = {
        "calibration": model.calibration_.scores,
        "calibration_weights": model.calibration_.weights,
    }
    facts = {"calibration_units": model.calibration_.units}
    return Fields(facts, arrays | units) if several else Fields(facts | units, arrays)


def saved_outputs(fields: Fields) -> tuple[int, ...]:
    """() for labels of one column, else how many columns a file tells of."""
    if "label_mean" not in fields.arrays:
        return ()
    return (len(fields.array("label_mean", (None,))),)


def restored_units(fields: Fields) -> dict[str, Any]:
    """What `saved_units` wrote."""
    outputs = saved_outputs(fields)
    scores = fields.array("calibration", (None, *outputs))
    if len(scores) == 0:
        raise ValueError("array 'calibration' must have at least one entry")
    weights = fields.array("calibration_weights", scores.shape, positive=True)
    units = fields.integer("calibration_units", least=1)
    calibration = Calibration(scores, weights, units)
    if outputs:
        return {
            "label_mean_": fields.array("label_mean", outputs),
            "label_scale_": fields.array("label_scale", outputs, positive=True),
            "calibration_": calibration,
        }
    return {
        "label_mean_": fields.number("label_mean"),
        "label_scale_": fields.number("label_scale", least=1e-300),
        "calibration_": calibration,
    }
