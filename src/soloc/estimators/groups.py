"""Bags that belong together: they are held out together, and tell no more than one bag would."""

from collections.abc import Sequence

import numpy as np


def count_of(groups: np.ndarray | None, n: int) -> int:
    """How many groups there are; without groups every one of n bags is its own."""
    return n if groups is None else len(np.unique(groups))


def means_of_others(y: np.ndarray, weights: np.ndarray, folds: Sequence[np.ndarray]) -> np.ndarray:
    """For each bag the mean label of those in other folds: what a constant that has not seen it
    says.
    """
    found = np.empty(y.shape)
    for fold in folds:
        found[fold] = np.average(y[~fold], axis=0, weights=weights[~fold])
    return found


def summed(each: np.ndarray, groups: np.ndarray | None) -> np.ndarray:
    """The sum over each group of what its bags say."""
    if groups is None:
        return each
    return np.bincount(np.unique(groups, return_inverse=True)[1], weights=each)
