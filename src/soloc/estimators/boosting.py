"""Boosted trees on what bags have in sum: a rival that points at nothing."""

from typing import Any

import numpy as np

from soloc.estimators.bags import Bags


def boosting_prediction(seen: Bags, labels: np.ndarray, new: Bags, classes: bool) -> np.ndarray:
    """Boosted trees on mean, deviation, smallest and largest of each feature, fitted to some bags,
    on others.
    """
    # here: slow to import, and only a rival of those who ask for it
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    kind: Any = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    model = kind(max_iter=300, learning_rate=0.05, early_stopping=True, random_state=0)
    return np.asarray(model.fit(statistics(seen), labels).predict(statistics(new)))


def statistics(bags: Bags) -> np.ndarray:
    """Mean, standard deviation, minimum and maximum of each feature within each bag, (n, 4 d)."""
    values, starts = np.asarray(bags.values, dtype=float), bags.offsets[:-1]
    mean = np.add.reduceat(values, starts) / bags.lengths[:, None]
    square = np.add.reduceat(values**2, starts) / bags.lengths[:, None]
    deviation = np.sqrt(np.maximum(square - mean**2, 0.0))
    ends = [np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)]
    return np.hstack([mean, deviation, *ends])
