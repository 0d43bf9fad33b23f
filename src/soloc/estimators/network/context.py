"""The context: what bags say in sum, mixed in with the share that labels of bags left out ask for.

Boosted trees on (bag mean, bag length); where bags are few, a kernel regression.
"""

from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from soloc.estimators.diagnostics import SURE, gain
from soloc.estimators.network.ensemble import Ensemble
from soloc.estimators.network.forest import GLANCE, SETTINGS, Forest, boost_classes, boost_numbers
from soloc.estimators.network.kernel import PENALTIES, Kernel, fit_kernel

LEAST_SHARE = 0.1  # a smaller share is not worth its trees
LEAST_GLANCE = 0.05  # the same after a glance, which knows less
FEWEST_BAGS = 100  # below it trees of ten bags a leaf know nothing
FEWEST_OF_ALL = 20  # bags below which not even a kernel says anything


class Context(NamedTuple):
    """Trees, one forest for each of some members, or a kernel; their share of the prediction."""

    forests: list[Forest]
    share: float
    left_out: np.ndarray  #: what trees or kernel say of bags left out, NaN elsewhere
    kernel: Kernel | None = None


def nothing_for(y: np.ndarray) -> Context:
    """No context."""
    return Context([], 0.0, np.full(y.shape, np.nan))


def features_of(means: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """What the trees see."""
    return np.column_stack([means, lengths]).astype(np.float64)


def fit_context(
    features: np.ndarray,
    y: np.ndarray,
    weights: np.ndarray,
    ensemble: Ensemble,
    predicted: np.ndarray,
    excess: float,
    classes: bool,
    seed: int,
) -> Context:
    """Trees on the bags of each member; glances at all folds say whether the whole ones follow."""
    boost = boost_classes if classes else boost_numbers
    for settings, least in ((GLANCE, LEAST_GLANCE), (SETTINGS, LEAST_SHARE)):
        forests: list[Forest] = []
        total = np.full(y.shape, np.nan)
        for fold in dict.fromkeys(ensemble.folds):
            seen = ensemble.fold_of != fold
            if (seen.sum() < FEWEST_BAGS) or (classes and (y[seen].sum(axis=0) == 0).any()):
                return nothing_for(y)
            with threadpool_limits(1):
                forests.append(boost(features[seen], y[seen], weights[seen], seed + fold, settings))
            total[~seen] = said_by(forests[-1], features[~seen], classes)
            share = share_of(y, predicted, total, weights, excess)
            if share < least:
                return nothing_for(y)
    return Context(forests, share, total)


def kernel_context(
    features: np.ndarray,
    y: np.ndarray,
    weights: np.ndarray,
    ensemble: Ensemble,
    predicted: np.ndarray,
    excess: float,
    classes: bool,
) -> Context:
    """The penalty that predicts best the folds left out, and the share that labels ask for.

    Nothing of it unless it is surely better than a constant: on noise it would be by luck.
    """
    fold_of = ensemble.fold_of
    if len(y) < FEWEST_OF_ALL:
        return nothing_for(y)
    left_out = []
    for penalty in PENALTIES:
        said = np.empty(y.shape)
        for fold in range(int(fold_of.max()) + 1):
            seen = fold_of != fold
            found = fit_kernel(features[seen], y[seen], weights[seen], penalty)
            said[~seen] = found.said(features[~seen], classes)
        left_out.append(said)
    errors = [float(weights @ ((y - said) ** 2).sum(axis=1)) for said in left_out]
    best = int(np.argmin(errors))
    constant = ((y - weights @ y / weights.sum()) ** 2).sum(axis=1)
    beyond = gain(constant - ((y - left_out[best]) ** 2).sum(axis=1), weights)
    share = share_of(y, predicted, left_out[best], weights, excess)
    if share < LEAST_SHARE or beyond.mean < SURE * beyond.error:
        return nothing_for(y)
    whole = fit_kernel(features, y, weights, PENALTIES[best])
    return Context([], share, left_out[best], whole)


def said_by(forest: Forest, features: np.ndarray, classes: bool) -> np.ndarray:
    """Predictions of trees, shaped like the labels."""
    raw = forest.raw(features)
    if not classes:
        return raw
    if raw.shape[1] == 1:  # two classes have one logit
        raw = np.column_stack([np.zeros(len(raw)), raw])
    raw = np.exp(raw - raw.max(axis=1, keepdims=True))
    return raw / raw.sum(axis=1, keepdims=True)


def share_of(
    y: np.ndarray,
    predicted: np.ndarray,
    others: np.ndarray,
    weights: np.ndarray,
    excess: float = 0.0,
) -> float:
    """s = <g - f, y - f> / |g - f|^2 over bags that both left out, between 0 and 1.

    Both products are larger by the `excess` of a bag's squared error over that of the ensemble.
    """
    both = np.isfinite(predicted).all(axis=1) & np.isfinite(others).all(axis=1)
    away = (others - predicted)[both]
    beyond = excess * float(weights[both].sum())
    squares = float(weights[both] @ (away**2).sum(axis=1)) - beyond
    if squares <= 0:
        return 0.0
    along = float(weights[both] @ (away * (y - predicted)[both]).sum(axis=1)) - beyond
    return float(np.clip(along / squares, 0.0, 1.0))
