"""A fitted network as facts and arrays of a file, and back; every one is checked."""

from typing import Any

import numpy as np

from soloc.estimators.diagnostics import Diagnostics
from soloc.estimators.fields import Fields
from soloc.estimators.network.forest import Forest
from soloc.estimators.network.kernel import Kernel
from soloc.estimators.network.layer import Shape, Weights
from soloc.estimators.parameters import plain_parameters

PARAMETERS = (
    "hidden", "bias", "key_hidden", "key_bias", "key", "value", "context", "intercept",
)  # fmt: skip
SELECTION: dict[str, type] = {"decay": float, "error": float}
HISTORY: dict[str, type] = {"member": int, "epoch": int, "error": float}


def fields_of(model: Any) -> Fields:
    """The state of a fitted network, but for its labels."""
    selection = None if model.selection_ is None else model.selection_.to_dict(orient="list")
    facts = {
        "parameters": plain_parameters(model),
        "decay": float(model.decay_),
        "share": float(model.share_),
        "shrink": float(model.shrink_),
        "forests": len(model.forests_),
        "members": len(model.members_.intercept),
        "units": int(model.members_.bias.shape[1]),
        "outputs": int(model.members_.intercept.shape[1]),
        "n_features": int(model.n_features_in_),
        "feature_names": [str(name) for name in getattr(model, "feature_names_in_", [])],
        "columns_aside": list(model.columns_aside_),
        "history": model.history_.to_dict(orient="list"),
        "diagnostics": model.diagnostics_._asdict(),
        "selection": selection,
    }
    arrays = {"centre": model.centre_, "scale": model.scale_, "constant": model.constant_}
    arrays |= weights_to_arrays(model.members_)
    for number, forest in enumerate(model.forests_):
        arrays |= forest_to_arrays(forest, number)
    if model.kernel_ is not None:
        arrays |= kernel_to_arrays(model.kernel_)
    return Fields(facts, arrays)


def attributes_from(fields: Fields, outputs: int) -> dict[str, Any]:
    """The attributes of a fitted network, but for its labels."""
    d = fields.integer("n_features", least=1)
    keys = fields.array("key", (None, None)).shape[1]
    shape = Shape(d, fields.integer("units", least=1), keys, outputs)
    share, shrink = fields.number("share", least=0.0), fields.number("shrink", least=0.0)
    if shrink > 1:
        raise ValueError("field 'shrink' must be at most 1")
    forests = fields.integer("forests", least=0)
    kernel = "kernel_points" in fields.arrays
    if share > 1 or (share > 0) != (forests > 0 or kernel):
        raise ValueError("field 'share' must be at most 1, and 0 only without a context")
    attributes: dict[str, Any] = {
        "centre_": fields.array("centre", (d,)),
        "scale_": fields.array("scale", (d,), positive=True, finite=False),
        "n_features_in_": d,
        "columns_aside_": fields.texts("columns_aside"),
        "members_": weights_from(fields, fields.integer("members", least=1), shape),
        "forests_": [forest_from(fields, i, d + 1) for i in range(forests)],
        "kernel_": kernel_from(fields, 4 * d + 1, outputs) if kernel else None,
        "share_": share,
        "shrink_": shrink,
        "constant_": fields.array("constant", (outputs,)),
        "decay_": fields.number("decay", least=0.0),
        "history_": fields.table("history", HISTORY),
        "selection_": fields.table("selection", SELECTION),
        "diagnostics_": fields.record("diagnostics", Diagnostics),
    }
    names = fields.texts("feature_names", count=(0, d))
    if names:
        attributes["feature_names_in_"] = np.array(names, dtype=object)
    return attributes


def weights_to_arrays(weights: Weights) -> dict[str, np.ndarray]:
    """One array for each parameter, with a first axis of members."""
    return {name: np.ascontiguousarray(getattr(weights, name)) for name in PARAMETERS}


def weights_from(fields: Fields, members: int, shape: Shape) -> Weights:
    """The parameters back, if they are of that shape."""
    d, m, q, c = shape
    shapes = ((d, m), (m,), (m, q), (q,), (q,), (m, c), (m, c), (c,))
    hidden, bias, key_hidden, key_bias, key, value, context, intercept = (
        fields.array(name, (members, *size)) for name, size in zip(PARAMETERS, shapes, strict=True)
    )
    layer = np.concatenate([hidden, bias[:, None]], axis=1)
    heads = np.concatenate([key_hidden, value, context], axis=2)
    return Weights(layer, heads, key_bias, key, intercept)


def forest_to_arrays(forest: Forest, number: int) -> dict[str, np.ndarray]:
    """The tables of a forest, as floating-point numbers."""
    tables = zip(Forest._fields, forest, strict=True)
    return {f"forest_{number}_{name}": table.astype(np.float64) for name, table in tables}


def forest_from(fields: Fields, number: int, columns: int) -> Forest:
    """The forest back, if every walk through it stays inside and comes to an end."""
    name = f"forest_{number}_"
    feature = whole(fields, f"{name}feature", (None,), -1, columns)
    nodes = len(feature)
    left, right = (whole(fields, f"{name}{side}", (nodes,), 0, nodes) for side in ("left", "right"))
    inner = feature >= 0
    here = np.arange(nodes)[inner]
    if (left[inner] <= here).any() or (right[inner] <= here).any():
        raise ValueError(f"array '{name}left' must lead from each node to later ones")
    baseline = fields.array(f"{name}baseline", (None,))
    return Forest(
        feature,
        fields.array(f"{name}threshold", (nodes,), finite=False),
        left,
        right,
        fields.array(f"{name}value", (nodes,)),
        whole(fields, f"{name}roots", (None, len(baseline)), 0, nodes),
        baseline,
    )


def kernel_to_arrays(kernel: Kernel) -> dict[str, np.ndarray]:
    """The arrays of a kernel regression."""
    return {f"kernel_{name}": table for name, table in zip(Kernel._fields, kernel, strict=True)}


def kernel_from(fields: Fields, columns: int, outputs: int) -> Kernel:
    """The kernel regression back, if its arrays fit."""
    points = fields.array("kernel_points", (None, columns))
    return Kernel(
        points,
        fields.array("kernel_centre", (columns,)),
        fields.array("kernel_scale", (columns,), positive=True, finite=False),
        fields.array("kernel_dual", (len(points), outputs)),
        fields.array("kernel_middle", (outputs,)),
    )


def whole(
    fields: Fields, name: str, shape: tuple[int | None, ...], least: int, beyond: int
) -> np.ndarray:
    """An array of whole numbers in a range."""
    array = fields.array(name, shape)
    numbers = array.astype(np.int64)
    if (numbers != array).any() or (numbers < least).any() or (numbers >= beyond).any():
        raise ValueError(f"array {name!r} must hold whole numbers from {least} to {beyond - 1}")
    return numbers
