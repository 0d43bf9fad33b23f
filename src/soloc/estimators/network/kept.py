"""Members, trees and kernel as arrays of a file, and back; every one is checked."""

import numpy as np

from soloc.estimators.fields import Fields
from soloc.estimators.network.forest import Forest
from soloc.estimators.network.kernel import Kernel
from soloc.estimators.network.layer import Shape, Weights

PARAMETERS = (
    "hidden", "bias", "key_hidden", "key_bias", "key", "value", "context", "intercept",
)  # fmt: skip


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
