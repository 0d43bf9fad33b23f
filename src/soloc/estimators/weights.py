"""Weights of bags: a bag of weight two counts like the same bag twice, one of weight zero not."""

from typing import Any, NamedTuple

import numpy as np

from soloc.estimators.bags import Bags

NEGLIGIBLE = 1e-30  # share of the largest weight: less is nothing in single precision


class Weighted(NamedTuple):
    """The bags that count, their labels, weights and groups."""

    bags: Bags
    labels: np.ndarray
    weights: np.ndarray  #: positive, (n,)
    groups: np.ndarray | None


def weighted(
    bags: Bags,
    labels: np.ndarray,
    groups: np.ndarray | None,
    sample_weight: Any,
    class_weight: Any = None,
) -> Weighted:
    """The bags without those of weight zero; weights of classes multiply those of bags."""
    weights = checked_weights(sample_weight, bags)
    counts = np.flatnonzero(weights)
    if len(counts) < len(bags):
        bags, labels, weights = bags[counts], labels[counts], weights[counts]
        groups = None if groups is None else groups[counts]
    if class_weight is not None:
        weights = weights * of_classes(class_weight, labels, weights)
    return Weighted(bags, labels, weights, groups)


def checked_weights(sample_weight: Any, bags: Bags) -> np.ndarray:
    """One finite weight per bag, none below zero and not all of them zero."""
    n = len(bags)
    if sample_weight is None:
        return np.broadcast_to(1.0, n) if bags.on_disk else np.ones(n)
    if bags.on_disk:
        raise ValueError(
            "bags that stay on disk are fitted without `sample_weight`; load them with `bags[:]`"
            " if they fit into memory."
        )
    try:
        weights = np.array(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("`sample_weight` must hold numbers, one per bag.") from None
    if weights.ndim == 0:
        weights = np.full(n, weights)
    if weights.shape != (n,):
        raise ValueError(
            f"`sample_weight` must have one entry per bag, {n}, got shape {weights.shape}."
        )
    if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise ValueError("`sample_weight` must be finite, not negative, and not zero everywhere.")
    return np.where(weights < NEGLIGIBLE * weights.max(), 0.0, weights)


def of_classes(class_weight: Any, labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The weight of the class of each bag; "balanced" makes all classes weigh the same."""
    found, codes = np.unique(labels, return_inverse=True)
    if isinstance(class_weight, str) and class_weight == "balanced":
        total = np.bincount(codes, weights=weights)
        return (weights.sum() / (len(found) * total))[codes]
    if not isinstance(class_weight, dict) or not set(class_weight) <= set(found.tolist()):
        raise ValueError(
            '`class_weight` must be None, "balanced" or a dictionary from classes of `y` to'
            f" weights, got {class_weight!r}."
        )
    each = np.array([class_weight.get(label, 1.0) for label in found.tolist()], dtype=np.float64)
    if not np.isfinite(each).all() or (each <= 0).any():
        raise ValueError(f"`class_weight` must hold positive weights, got {class_weight!r}.")
    return each[codes]
