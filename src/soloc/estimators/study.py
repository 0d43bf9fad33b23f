"""A study of bags: cross-validation against mean-pool ridge and boosting, a fit to all, what
decided each.
"""

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold

from soloc.estimators.auto.classifier import SingleLocationAutoClassifier
from soloc.estimators.auto.regressor import SingleLocationAutoRegressor
from soloc.estimators.bags import Bags
from soloc.estimators.boosting import boosting_prediction
from soloc.estimators.classifier import SingleLocationClassifier
from soloc.estimators.coefficients import bag_means
from soloc.estimators.instances import Instances, centre_and_scale
from soloc.estimators.mean_pool import fit_mean_pool
from soloc.estimators.network.classifier import SingleLocationNetworkClassifier
from soloc.estimators.network.regressor import SingleLocationNetworkRegressor
from soloc.estimators.regressor import SingleLocationRegressor

FOLDS = 5
FEWEST, MOST, MOST_CLASSES = 20, 20_000, 20  # bags, classes
MOST_FEATURES = 12  # that are told beside the weights of instances
MODELS: dict[str, tuple[type, type]] = {
    "linear": (SingleLocationRegressor, SingleLocationClassifier),
    "network": (SingleLocationNetworkRegressor, SingleLocationNetworkClassifier),
    "auto": (SingleLocationAutoRegressor, SingleLocationAutoClassifier),
}
Progress = Callable[[str, float], None]  # what is done now, and which share of the whole is done


class Study(NamedTuple):
    """Scores are R^2, or accuracies for classes; `bags` has one row per bag, `instances` one per
    instance.
    """

    classes: bool
    score: float  #: of the single-location model on bags left out
    mean_pool_score: float  #: of mean-pool ridge on the same bags
    boosting_score: float  #: of boosted trees on statistics of the same bags
    constant_score: float
    covered: float | None  #: share of left-out labels within their intervals
    coverage: float
    bags: pd.DataFrame
    instances: pd.DataFrame
    features: pd.DataFrame  #: of the instances, those that vary most among the key's
    facts: dict[str, Any]  #: what was fitted to all bags, and the doubts


def study(
    bags: Bags,
    classes: bool = False,
    model: str = "linear",
    loss: str = "auto",
    coverage: float = 0.9,
    progress: Progress = lambda stage, share: None,
) -> Study:
    """Fit to five parts in turn and then to all bags; `bags` brings its labels.

    `model` is one of `MODELS`; the linear one alone has a `loss`.
    """
    labels = _labels(bags, classes)
    fresh = model_of(model, classes, loss)
    splitter = (StratifiedKFold if classes else KFold)(FOLDS, shuffle=True, random_state=0)
    left_out, pooled, boosted = (np.empty(len(bags), dtype=labels.dtype) for _ in range(3))
    inside = np.zeros(len(bags), dtype=bool)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # doubts are told in `facts`
        for number, (seen, new) in enumerate(splitter.split(np.zeros(len(bags)), labels)):
            progress(f"part {number + 1} of {FOLDS} left out", number / (FOLDS + 1))
            fitted = clone(fresh).fit(bags[seen], labels[seen])
            left_out[new] = fitted.predict(bags[new])
            pooled[new] = mean_pool_prediction(bags[seen], labels[seen], bags[new], classes)
            boosted[new] = boosting_prediction(bags[seen], labels[seen], bags[new], classes)
            if not classes:
                low, high = fitted.predict_interval(bags[new], coverage).T
                inside[new] = (low <= labels[new]) & (labels[new] <= high)
        progress("all bags", FOLDS / (FOLDS + 1))
        fresh.on_progress = lambda history: progress(
            f"all bags, iteration {history.iterations}: objective {history.objective[-1]:.5g}",
            FOLDS / (FOLDS + 1),
        )
        fresh.fit(bags, labels)
        fresh.on_progress = None
        table, instances = _described(fresh, bags, labels, classes, coverage)
    table.insert(2, "left_out_prediction", left_out)
    table.insert(3, "mean_pool_prediction", pooled)
    constant = (
        float(np.max(np.unique(labels, return_counts=True)[1]) / len(labels)) if classes else 0.0
    )
    score, pool = _score(labels, left_out, classes), _score(labels, pooled, classes)
    facts = {
        **_facts(fresh),
        "features": int(bags.width),
        "doubts": _doubts(fresh, score, pool, constant),
        "agreement": float(fresh.diagnostics_.agreement),
        "top_weight": float(fresh.diagnostics_.top_weight),
    }
    return Study(
        classes,
        score,
        pool,
        _score(labels, boosted, classes),
        constant,
        None if classes else float(inside.mean()),
        coverage,
        table,
        instances,
        _features(fresh, bags),
        facts,
    )


def model_of(model: str, classes: bool, loss: str = "auto") -> Any:
    """An estimator that is not fitted yet."""
    if model not in MODELS:
        raise ValueError(f"`model` must be one of {', '.join(MODELS)}, got {model!r}.")
    kind = MODELS[model][int(classes)]
    if model != "linear":
        return kind()
    return kind(loss="cross_entropy" if classes and loss == "squared" else loss)


def _doubts(model: Any, score: float, pool: float, constant: float) -> list[str]:
    """The model's own doubts, or what the scores of left-out bags say against pointing."""
    doubts = list(model.diagnostics_.doubts)
    if not doubts and score <= constant:
        doubts.append(
            f"its score on left-out bags, {score:.3f}, is no better than a constant"
            f" ({constant:.3f})"
        )
    elif not doubts and score <= pool:
        doubts.append(
            f"mean-pool ridge, which points at nothing, scores {pool:.3f} on left-out bags, the"
            f" model {score:.3f}"
        )
    return doubts


def _facts(model: Any) -> dict[str, Any]:
    """What was fitted, in words: loss and penalty of a linear model, the reason of a choice."""
    if hasattr(model, "choice_"):
        return {"chosen": model.choice_, "reason": model.reason_}
    if hasattr(model, "loss_"):
        return {"loss": model.loss_, "alpha": float(model.alpha_)}
    return {"members": len(model.members_.intercept)}


def _features(model: Any, bags: Bags) -> pd.DataFrame:
    """A few features of every instance: those on which a linear key leans most, else the first."""
    names = bags.features or [f"feature {i + 1}" for i in range(bags.width)]
    key = getattr(getattr(model, "model_", model), "key_", None)
    order = np.arange(bags.width)
    if key is not None:
        order = np.argsort(-np.abs(key) * bags.values.std(axis=0), kind="stable")
    chosen = np.sort(order[:MOST_FEATURES])
    return pd.DataFrame({names[i]: bags.values[:, i].astype(float) for i in chosen})


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
    return table, instances


def _score(labels: np.ndarray, predicted: np.ndarray, classes: bool) -> float:
    if classes:
        return float(np.mean(labels == predicted))
    spread = float(np.sum((labels - labels.mean()) ** 2))
    return 1.0 - float(np.sum((labels - predicted) ** 2)) / spread if spread > 0 else 0.0
