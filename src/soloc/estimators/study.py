"""A study of bags: cross-validation against mean-pool ridge, a fit to all, what decided each."""

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold

from soloc.estimators import Bags, SingleLocationClassifier, SingleLocationRegressor
from soloc.estimators.coefficients import bag_means
from soloc.estimators.instances import Instances, centre_and_scale
from soloc.estimators.mean_pool import fit_mean_pool

FOLDS = 5
FEWEST, MOST, MOST_CLASSES = 20, 20_000, 20  # bags, classes
Progress = Callable[[str, float], None]  # what is done now, and which share of the whole is done


class Study(NamedTuple):
    """Scores are R^2, or accuracies for classes; `bags` has one row per bag, `instances` one per
    instance.
    """

    classes: bool
    score: float  #: of the single-location model on bags left out
    mean_pool_score: float  #: of mean-pool ridge on the same bags
    constant_score: float
    covered: float | None  #: share of left-out labels within their intervals
    coverage: float
    bags: pd.DataFrame
    instances: pd.DataFrame
    facts: dict[str, Any]  #: loss, alpha, iterations and doubts of the fit to all bags


def study(
    bags: Bags,
    classes: bool = False,
    loss: str = "auto",
    coverage: float = 0.9,
    progress: Progress = lambda stage, share: None,
) -> Study:
    """Fit to five parts in turn and then to all bags; `bags` brings its labels."""
    labels = _labels(bags, classes)
    if classes and loss == "squared":  # the page has one word for both
        loss = "cross_entropy"
    model = (SingleLocationClassifier if classes else SingleLocationRegressor)(loss=loss)
    splitter = (StratifiedKFold if classes else KFold)(FOLDS, shuffle=True, random_state=0)
    left_out, pooled = (
        np.empty(len(bags), dtype=labels.dtype),
        np.empty(len(bags), dtype=labels.dtype),
    )
    inside = np.zeros(len(bags), dtype=bool)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # doubts are told in `facts`
        for number, (seen, new) in enumerate(splitter.split(np.zeros(len(bags)), labels)):
            progress(f"part {number + 1} of {FOLDS} left out", number / (FOLDS + 1))
            fitted = clone(model).fit(bags[seen], labels[seen])
            left_out[new] = fitted.predict(bags[new])
            pooled[new] = mean_pool_prediction(bags[seen], labels[seen], bags[new], classes)
            if not classes:
                low, high = fitted.predict_interval(bags[new], coverage).T
                inside[new] = (low <= labels[new]) & (labels[new] <= high)
        progress("all bags", FOLDS / (FOLDS + 1))
        model.on_progress = lambda history: progress(
            f"all bags, iteration {history.iterations}: objective {history.objective[-1]:.5g}",
            FOLDS / (FOLDS + 1),
        )
        model.fit(bags, labels)
        model.on_progress = None
        table, instances = _described(model, bags, labels, classes, coverage)
    table.insert(2, "left_out_prediction", left_out)
    table.insert(3, "mean_pool_prediction", pooled)
    constant = (
        float(np.max(np.unique(labels, return_counts=True)[1]) / len(labels)) if classes else 0.0
    )
    facts = {
        "loss": model.loss_,
        "alpha": float(model.alpha_),
        "iterations": int(model.n_iter_),
        "features": int(bags.width),
        "doubts": list(model.diagnostics_.doubts),
        "verdict": model.diagnostics_.verdict,
        "agreement": float(model.diagnostics_.agreement),
        "top_weight": float(model.diagnostics_.top_weight),
    }
    return Study(
        classes,
        _score(labels, left_out, classes),
        _score(labels, pooled, classes),
        constant,
        None if classes else float(inside.mean()),
        coverage,
        table,
        instances,
        facts,
    )


def mean_pool_prediction(seen: Bags, labels: np.ndarray, new: Bags, classes: bool) -> np.ndarray:
    """Mean-pool ridge fitted to some bags, with its ridge chosen by leave-one-out, on others."""
    centre, scale = centre_and_scale(seen, True)
    means, new_means = (bag_means(Instances(part, centre, scale)) for part in (seen, new))
    if not classes:
        pool = fit_mean_pool(means, labels, True)
        return new_means @ pool.coef + pool.intercept
    names, codes = np.unique(labels, return_inverse=True)
    pool = fit_mean_pool(means, np.eye(len(names))[codes], True)
    return names[np.argmax(new_means @ pool.coef + pool.intercept, axis=1)]


def _labels(bags: Bags, classes: bool) -> np.ndarray:
    if bags.labels is None:
        raise ValueError("`bags` must bring labels; name the column of the label.")
    if not FEWEST <= len(bags) <= MOST:
        raise ValueError(
            f"There must be between {FEWEST} and {MOST:,} bags, got {len(bags):,}; is the"
            " identifier the right column?"
        )
    missing = pd.isna(bags.labels)
    if missing.any():
        raise ValueError(
            f"Bag {bags.id_of(int(np.argmax(missing)))} has no label; every bag needs one."
        )
    if classes:
        labels = bags.labels.astype(str)
        different, counts = np.unique(labels, return_counts=True)
        if not 2 <= len(different) <= MOST_CLASSES:
            raise ValueError(
                f"The label must have between 2 and {MOST_CLASSES} classes, got {len(different)};"
                " is it a number?"
            )
        if counts.min() < FOLDS:
            raise ValueError(
                f"Every class needs at least {FOLDS} bags, {different[counts.argmin()]!r} has"
                f" {counts.min()}."
            )
        return labels
    try:
        return bags.labels.astype(float)
    except (TypeError, ValueError):
        raise ValueError(
            "The label must hold numbers; choose classes instead, or another column."
        ) from None


def _described(
    model: Any, bags: Bags, labels: np.ndarray, classes: bool, coverage: float
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """One row per bag with its prediction, one row per instance with its weight."""
    attention = model.attend(bags)
    decisive = model.locate(bags)
    names = [bags.names_of(i) for i in range(len(bags))]
    ids = [str(bags.id_of(i)) for i in range(len(bags))]
    table = pd.DataFrame({"bag": ids, "label": labels, "prediction": model.predict(bags)})
    if classes:
        table["probability"] = model.predict_proba(bags).max(axis=1)
    else:
        table["low"], table["high"] = model.predict_interval(bags, coverage).T
    table["instances"] = bags.lengths
    table["decisive"] = decisive
    table["decisive_name"] = [of_bag[at][:60] for of_bag, at in zip(names, decisive, strict=True)]
    table["weight"] = [float(weights[at]) for weights, at in zip(attention, decisive, strict=True)]
    instances = pd.DataFrame(
        {
            "bag": np.repeat(np.arange(len(bags)), bags.lengths),
            "name": [name[:60] for of_bag in names for name in of_bag],
            "weight": np.concatenate(attention).astype(float),
        }
    )
    if not classes:
        instances["value"] = bags.values @ model.value_
    return table, instances


def _score(labels: np.ndarray, predicted: np.ndarray, classes: bool) -> float:
    if classes:
        return float(np.mean(labels == predicted))
    spread = float(np.sum((labels - labels.mean()) ** 2))
    return 1.0 - float(np.sum((labels - predicted) ** 2)) / spread if spread > 0 else 0.0
