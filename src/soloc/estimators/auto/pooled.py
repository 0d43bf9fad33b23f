"""Mean pooling as a model with all verbs: the linear one whose key is shrunk to zero.

Its attention is uniform, so it points at nothing and says so.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from soloc.estimators.auto.unseen import means_without
from soloc.estimators.bags import Bags
from soloc.estimators.calibration import calibration_of
from soloc.estimators.classifier import SingleLocationClassifier, class_scores
from soloc.estimators.coefficients import Coefficients, bag_means
from soloc.estimators.diagnostics import Diagnostics
from soloc.estimators.groups import count_of, means_of_others
from soloc.estimators.instances import Instances, centre_and_scale, reach_of
from soloc.estimators.label_units import units_of
from soloc.estimators.labels import classes, numbers
from soloc.estimators.mean_pool import fit_mean_pool, without_folds
from soloc.estimators.network.context import LEAST_SHARE, share_of
from soloc.estimators.regressor import SingleLocationRegressor, number_scores, ranks
from soloc.estimators.solver import History

STRENGTHS = np.geomspace(1e-4, 1e2, 7)  # of logistic regression, of which bags left out choose
MOST_BAGS = 3000  # that choose
INFINITE = 1e29  # the penalty of the key in the limit
WITNESSES = "picks at random, all that equal weights allow,"


class Pooled(NamedTuple):
    """Slopes of the bag mean, and what fits without it said of each bag."""

    coef: np.ndarray
    intercept: Any
    alpha: float
    held_out: np.ndarray  #: (n, outputs)


def pooled_regressor(
    bags: Bags,
    labels: np.ndarray,
    weights: np.ndarray,
    folds: list[np.ndarray],
    groups: np.ndarray | None,
) -> Any:
    """Ridge regression on bag means, as a regressor."""
    y = numbers(labels)
    units = units_of(y, weights, True)
    y = (y - units["label_mean_"]) / units["label_scale_"]
    instances = Instances(bags, *centre_and_scale(bags, True, weights), shared=True)
    means = bag_means(instances)
    ridge = fit_mean_pool(means, y, True, weights)
    unseen = partial(means_without, bags=bags, means=means, weights=weights)
    ridge = without_folds(ridge, unseen, y, weights, folds, True)
    nothing = means_of_others(y, weights, folds)
    drawn = drawn_back(y, ridge.left_out, weights)
    ridge = ridge._replace(
        coef=(1 - drawn) * ridge.coef,
        intercept=(1 - drawn) * ridge.intercept,
        left_out=(1 - drawn) * ridge.left_out + drawn * nothing,
    )
    intercept = ridge.intercept if y.ndim == 2 else float(ridge.intercept)
    found = Pooled(ridge.coef, intercept, ridge.alpha, ridge.left_out.reshape(len(y), -1))
    residual = y - ridge.left_out
    more = units | {
        "calibration_": calibration_of(np.abs(residual), weights, count_of(groups, len(y))),
        "left_out_": np.stack([y, ridge.left_out, ranks(residual)]),
    }
    scores = number_scores(y, ridge.left_out, ridge.left_out, weights, groups)
    noise = float(np.sqrt(np.mean(residual**2)))
    return assembled(
        SingleLocationRegressor, "squared", instances, found, scores, groups, more, noise
    )


def drawn_back(y: np.ndarray, left_out: np.ndarray, weights: np.ndarray) -> float:
    """How far predictions are drawn to the mean label, as bags left out ask; on noise all the way.

    The network is drawn half a standard error further: it learns more by heart.
    """
    y, left_out = (each.reshape(len(y), -1) for each in (y, left_out))
    found = share_of(y, left_out, np.zeros_like(y), weights)
    return found if found >= LEAST_SHARE else 0.0


def pooled_classifier(
    bags: Bags,
    labels: np.ndarray,
    weights: np.ndarray,
    folds: list[np.ndarray],
    groups: np.ndarray | None,
) -> Any:
    """Logistic regression on bag means, as a classifier."""
    names, one_hot = classes(labels)
    instances = Instances(bags, *centre_and_scale(bags, True, weights), shared=True)
    found = logistic(bags, bag_means(instances).astype(np.float64), one_hot, weights, folds)
    scores = class_scores(one_hot, found.held_out, found.held_out, weights, groups)
    more = {"classes_": names}
    return assembled(
        SingleLocationClassifier, "cross_entropy", instances, found, scores, groups, more
    )


def logistic(
    bags: Bags,
    means: np.ndarray,
    one_hot: np.ndarray,
    weights: np.ndarray,
    folds: list[np.ndarray],
) -> Pooled:
    """Multinomial logistic regression whose penalty predicts best the bags left out."""
    codes = np.argmax(one_hot, axis=1)
    share = weights @ one_hot / weights.sum()
    parts = []
    for fold in folds:
        seen = np.flatnonzero(~fold)[:MOST_BAGS]
        if len(np.unique(codes[seen])) > 1:
            x = means_without(fold, bags, means, weights).astype(np.float64)
            parts.append((fold, seen, spanned(x, x[seen], weights[seen]).x))
    best: tuple[float, float, np.ndarray] | None = None
    for strength in STRENGTHS:
        said = np.tile(share, (len(codes), 1))
        for fold, seen, x in parts:
            model = fitted(x[seen], codes[seen], weights[seen], strength)
            said[fold] = 0.0
            said[np.ix_(fold, model.classes_)] = model.predict_proba(x[fold])
        error = -weights @ np.log(np.maximum((said * one_hot).sum(axis=1), 1e-12))
        if best is None or error < best[0]:
            best = float(error), float(strength), said
    assert best is not None
    whole = spanned(means, means, weights)
    model = fitted(whole.x, codes, weights, best[1])
    coef, intercept = model.coef_, model.intercept_
    if len(coef) == 1:  # two classes have one logit
        coef, intercept = np.vstack([-coef / 2, coef / 2]), np.array([-0.5, 0.5]) * intercept
    slopes = coef.T if whole.turn is None else whole.turn.T @ coef.T
    slopes = np.ascontiguousarray(slopes)  # as a file keeps them, to the last bit
    return Pooled(slopes, intercept - whole.centre @ slopes, 1 / best[1], best[2])


class Spanned(NamedTuple):
    """Bag means about their centre, turned into the span of some bags where these are few."""

    x: np.ndarray
    centre: np.ndarray
    turn: np.ndarray | None


def spanned(means: np.ndarray, seen: np.ndarray, weights: np.ndarray) -> Spanned:
    """Of these means; a penalised fit to the seen ones loses nothing there."""
    centre = weights @ seen / weights.sum()
    if seen.shape[1] <= len(seen):
        return Spanned(means - centre, centre, None)
    _, _, turn = np.linalg.svd(seen - centre, full_matrices=False)
    return Spanned((means - centre) @ turn.T, centre, turn)


def fitted(x: np.ndarray, codes: np.ndarray, weights: np.ndarray, strength: float) -> Any:
    """Logistic regression that is not stopped early."""
    from sklearn.linear_model import LogisticRegression  # here: slow to import

    return LogisticRegression(C=strength, max_iter=1000, tol=1e-4).fit(x, codes, weights)


def assembled(
    kind: type,
    loss: str,
    instances: Instances,
    found: Pooled,
    scores: tuple[float, ...],
    groups: np.ndarray | None,
    more: dict[str, Any],
    noise: float = 1.0,
) -> Any:
    """A fitted linear model with a key of zero."""
    bags, lengths = instances.bags, instances.lengths
    several = lengths > 1
    uniform = float(np.mean(1 / lengths[several])) if several.any() else 1.0
    effective = float(np.mean(lengths[several])) if several.any() else 1.0
    chance = float(np.mean(1 / lengths[several] ** 2.0)) if several.any() else 1.0
    evidence: list[Any] = [
        *scores,
        chance,
        chance,
        uniform,
        effective,
        bool(several.any()),
        WITNESSES,
    ]
    model = kind(loss=loss)
    attributes: dict[str, Any] = {
        "centre_": instances.centre,
        "scale_": instances.scale,
        "reach_": reach_of(bags, instances.centre),
        "loss_": loss,
        "alpha_": found.alpha,
        "key_alpha_": INFINITE,
        "selection_": None,
        "history_": History([0.0], 0, True, "mean pooling is solved directly"),
        "n_features_in_": bags.width,
        "columns_aside_": list(bags.aside),
        "coefficients_": Coefficients(
            np.zeros(bags.width), found.coef, None, found.intercept, noise
        ),
        "held_out_": found.held_out,
        "groups_": groups,
        "diagnostics_": Diagnostics(*evidence),
    }
    if bags.features is not None:
        attributes["feature_names_in_"] = np.array(bags.features, dtype=object)
    attributes |= more
    model.__dict__ |= attributes | model._in_units(attributes)
    return model
