"""Weights of bags: a bag of weight two counts like the same bag twice, one of weight zero not."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import is_regressor

from soloc.estimators.bags import Bags
from soloc.estimators.labels import distinct
from soloc.estimators.parameters import is_real, is_word

NEGLIGIBLE = 1e-30  # share of the largest weight: less is nothing in single precision
MOST = 1e15  # of the largest weight, and one over its least
HEAVY = 1e6  # of a weight over their median: sums in single precision carry no more


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
    model: Any,
) -> Weighted:
    """The bags without those of weight zero; weights of classes multiply those of bags.

    The `model` is a regressor or classifier, which may have a `class_weight`.
    """
    weights = checked_weights(sample_weight, bags)
    if is_regressor(model):
        refuse_heavy(weights, bags)
    class_weight = getattr(model, "class_weight", None)
    counts = np.flatnonzero(weights)
    if len(counts) < len(bags):
        bags, labels, weights = bags[counts], labels[counts], weights[counts]
        groups = None if groups is None else groups[counts]
    if class_weight is not None:
        each = of_classes(class_weight, labels, weights)
        with np.errstate(over="ignore", under="ignore"):  # refused below
            weights = weights * each
        refuse_extremes(weights, "`class_weight` times the weights of bags")
        if weights.min() < NEGLIGIBLE * weights.max():
            raise ValueError(
                f"`class_weight` times the weights of bags must not be below {NEGLIGIBLE:g} of the"
                f" largest, got {weights.min():g} to {weights.max():g}; give weights that differ"
                " less."
            )
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
        given = np.asarray(sample_weight)
        if given.dtype.kind in "cmMSU":
            raise TypeError
        weights = given.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            "`sample_weight` must hold numbers, one per bag, and real ones, got"
            f" {sample_weight!r:.60}."
        ) from None
    if weights.ndim == 0:
        weights = np.full(n, weights)
    if weights.shape != (n,):
        raise ValueError(
            f"`sample_weight` must have one entry per bag, {n}, got shape {weights.shape}."
        )
    wrong = np.flatnonzero(~np.isfinite(weights) | (weights < 0))
    if len(wrong):
        raise ValueError(
            f"`sample_weight` must be finite and not negative, got {weights[wrong[0]]:g} for bag"
            f" {bags.id_of(int(wrong[0]))}; give a bag that should not count the weight 0."
        )
    if not weights.any():
        raise ValueError(
            "`sample_weight` must not be zero everywhere, got no weight above 0; give those bags"
            " that count a positive one."
        )
    refuse_extremes(weights, "`sample_weight`")
    return np.where(weights < NEGLIGIBLE * weights.max(), 0.0, weights)


def refuse_extremes(weights: np.ndarray, name: str) -> None:
    """Refuse weights that sums cannot carry."""
    largest = weights.max()
    if not 1 / MOST <= largest <= MOST:
        raise ValueError(
            f"{name} must have its largest entry between {1 / MOST:g} and {MOST:g}, got"
            f" {largest:g}; divide the weights, and a given `alpha`, by the mean weight."
        )


def refuse_heavy(weights: np.ndarray, bags: Bags) -> None:
    """Refuse a bag beside which sums of squares in single precision do not see the others."""
    middle, heaviest = np.median(weights[weights > 0]), int(weights.argmax())
    if weights[heaviest] > HEAVY * middle:
        raise ValueError(
            f"`sample_weight` must not let a bag weigh more than {HEAVY:g} times the median,"
            f" {middle:g}, got {weights[heaviest]:g} for bag {bags.id_of(heaviest)}; give that bag"
            " less."
        )


def of_classes(class_weight: Any, labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The weight of the class of each bag; "balanced" makes all classes weigh the same."""
    found, codes = distinct(labels)
    if is_word(class_weight, "balanced"):
        total = np.bincount(codes, weights=weights)
        return (weights.sum() / (len(found) * total))[codes]
    if not isinstance(class_weight, dict) or not set(class_weight) <= set(found.tolist()):
        raise ValueError(
            '`class_weight` must be None, "balanced" or a dictionary from classes of `y` to'
            f" weights, got {class_weight!r}."
        )
    for label, weight in class_weight.items():
        if not is_real(weight) or not 0 < weight < 1e300:
            raise ValueError(
                f"`class_weight` must hold positive numbers below 1e300, got {weight!r:.60} for"
                f" class {label!r}."
            )
    each = np.array([class_weight.get(label, 1.0) for label in found.tolist()], dtype=np.float64)
    return each[codes]
