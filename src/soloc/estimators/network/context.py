"""The context: what bags say in sum, mixed in with the share that labels of bags left out ask for.

Boosted trees on (bag mean, bag length); where bags are few, a kernel regression. Numbers are mixed
by their mean, classes by that of their logits.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import softmax
from threadpoolctl import threadpool_limits

from soloc.estimators.diagnostics import SURE, gain
from soloc.estimators.groups import summed
from soloc.estimators.network.ensemble import Ensemble
from soloc.estimators.network.forest import GLANCE, SETTINGS, Forest, boost_classes, boost_numbers
from soloc.estimators.network.kernel import (
    PENALTIES,
    PENALTIES_OF_CLASSES,
    Kernel,
    fit_kernels,
)
from soloc.estimators.network.losses import Classes, Numbers, log_of

LEAST_SHARE = 0.1  # a smaller share is not worth its trees
LEAST_GLANCE = 0.05  # the same after a glance, which knows less
FEWEST_BAGS = 100  # below it trees of ten bags a leaf know nothing
FEWEST_OF_ALL = 20  # bags below which not even a kernel says anything
MOST_CLASSES = 10  # each costs a kernel of its own, and has few of the bags
SAFE = 0.5  # standard errors by which predictions are drawn further to the mean label


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
            share = share_asked(y, predicted, total, weights, excess, classes)
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
    groups: np.ndarray | None,
) -> Context:
    """The penalty that predicts best the folds left out, and the share that labels ask for.

    Nothing of it unless it is surely better than a constant: on noise it would be by luck.
    """
    fold_of = ensemble.fold_of
    if len(y) < FEWEST_OF_ALL or (y.shape[1] > MOST_CLASSES and classes):
        return nothing_for(y)
    penalties = PENALTIES_OF_CLASSES if classes else PENALTIES
    left_out = np.empty((len(penalties), *y.shape))
    for fold in range(int(fold_of.max()) + 1):
        seen = fold_of != fold
        found = fit_kernels(features[seen], y[seen], weights[seen], penalties, classes)
        left_out[:, ~seen] = [each.said(features[~seen], classes) for each in found]
    errors = Classes.errors if classes else Numbers.errors
    by_penalty = [errors(y, said) for said in left_out]
    best = int(np.argmin([weights @ each for each in by_penalty]))
    constant = np.broadcast_to(weights @ y / weights.sum(), y.shape)
    beyond = gain(errors(y, constant) - by_penalty[best], weights, groups)
    share = share_asked(y, predicted, left_out[best], weights, excess, classes)
    if share < LEAST_SHARE or beyond.mean < SURE * beyond.error:
        return nothing_for(y)
    path = penalties[: best + 1] if classes else penalties[best : best + 1]
    *_, whole = fit_kernels(features, y, weights, path, classes)
    return Context([], share, left_out[best], whole)


def mixed(these: np.ndarray, those: np.ndarray, share: float, classes: bool) -> np.ndarray:
    """1 - share of these and share of those predictions: numbers, or the logits of classes."""
    if not classes:
        return (1 - share) * these + share * those
    return softmax((1 - share) * log_of(these) + share * log_of(those), axis=1)


def said_by(forest: Forest, features: np.ndarray, classes: bool) -> np.ndarray:
    """Predictions of trees, shaped like the labels."""
    raw = forest.raw(features)
    if not classes:
        return raw
    if raw.shape[1] == 1:  # two classes have one logit
        raw = np.column_stack([np.zeros(len(raw)), raw])
    raw = np.exp(raw - raw.max(axis=1, keepdims=True))
    return raw / raw.sum(axis=1, keepdims=True)


def share_asked(
    y: np.ndarray,
    predicted: np.ndarray,
    others: np.ndarray,
    weights: np.ndarray,
    excess: float,
    classes: bool,
) -> float:
    """The share of the others that predicts labels best, where both left them out."""
    if not classes:
        return share_of(y, predicted, others, weights, excess)
    both = np.isfinite(predicted).all(axis=1) & np.isfinite(others).all(axis=1)
    if not both.any():
        return 0.0

    def error(share: float) -> float:
        said = mixed(predicted[both], others[both], share, True)
        return float(weights[both] @ Classes.errors(y[both], said))

    return float(minimize_scalar(error, bounds=(0.0, 1.0), method="bounded").x)


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
    return asked_share(y, predicted, others, weights, excess).share


def safe_share_of(
    y: np.ndarray,
    predicted: np.ndarray,
    others: np.ndarray,
    weights: np.ndarray,
    groups: np.ndarray | None,
) -> float:
    """The share of the others that labels ask for, and half of its standard error more; at most 1.

    On few bags of noise it is by luck that labels ask for less, or for less than nothing.
    """
    asked = asked_share(y, predicted, others, weights, groups=groups)
    return min(asked.share + SAFE * asked.error, 1.0)


class Asked(NamedTuple):
    """A share that labels ask for, between 0 and 1, and its standard error."""

    share: float
    error: float


def asked_share(
    y: np.ndarray,
    predicted: np.ndarray,
    others: np.ndarray,
    weights: np.ndarray,
    excess: float = 0.0,
    groups: np.ndarray | None = None,
) -> Asked:
    """The quotient of `share_of`, over bags that both left out, in shares of their weight.

    Its error is that of so many groups, where bags belong together.
    """
    both = np.isfinite(predicted).all(axis=1) & np.isfinite(others).all(axis=1)
    if not both.any():
        return Asked(0.0, 0.0)
    shares = weights[both] / weights[both].sum()
    away, wanted = (others - predicted)[both], (y - predicted)[both]
    squares = float(shares @ (away**2).sum(axis=1)) - excess
    if squares <= 0:
        return Asked(0.0, 0.0)
    along = float(shares @ (away * wanted).sum(axis=1)) - excess
    share = min(max(along / squares, 0.0), 1.0)
    left = shares * (away * (wanted - share * away)).sum(axis=1)
    left = summed(left, None if groups is None else groups[both])
    return Asked(share, float(np.linalg.norm(left)) / squares)
