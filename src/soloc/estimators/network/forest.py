"""Trees as arrays: what boosting fitted, without the library that fitted it."""

from typing import Any, NamedTuple

import numpy as np

SETTINGS: dict[str, Any] = {
    "max_iter": 150,
    "learning_rate": 0.08,
    "max_leaf_nodes": 31,
    "min_samples_leaf": 10,
    "max_bins": 63,
    "early_stopping": False,
}
#: a look that costs a tenth, by which the trees are given up where they have nothing to say
GLANCE: dict[str, Any] = SETTINGS | {"max_iter": 20, "learning_rate": 0.25, "max_leaf_nodes": 15}
ASKED, MOST_ASKED = 0.3, 30  # features per split: this share, but of many features so many
BLOCK = 2048  # bags that descend together


class Forest(NamedTuple):
    """Boosted trees: nodes of all trees in one table, each tree's root, and what it adds to."""

    feature: np.ndarray  #: column asked by each node, (nodes,); -1 for a leaf
    threshold: np.ndarray  #: those at most it go left
    left: np.ndarray  #: node to go to
    right: np.ndarray
    value: np.ndarray  #: what a leaf adds
    roots: np.ndarray  #: (rounds, raw outputs)
    baseline: np.ndarray  #: (raw outputs,)

    def raw(self, features: np.ndarray) -> np.ndarray:
        """Sum of the leaves that each row ends in, (n, raw outputs)."""
        found = [self._block(features[i : i + BLOCK]) for i in range(0, len(features), BLOCK)]
        return np.concatenate(found)

    def _block(self, features: np.ndarray) -> np.ndarray:
        node = np.repeat(self.roots.reshape(1, -1), len(features), axis=0)
        inner = self.feature[node] >= 0
        while inner.any():
            row, tree = np.nonzero(inner)
            at = node[row, tree]
            goes_left = features[row, self.feature[at]] <= self.threshold[at]
            node[row, tree] = np.where(goes_left, self.left[at], self.right[at])
            inner[row, tree] = self.feature[node[row, tree]] >= 0
        added = self.value[node].reshape(len(features), *self.roots.shape)
        return added.sum(axis=1) + self.baseline


def boost_numbers(
    features: np.ndarray,
    y: np.ndarray,
    weights: np.ndarray,
    seed: int,
    settings: dict[str, Any] = SETTINGS,
) -> Forest:
    """Boosted regression of each output on the features."""
    from sklearn.ensemble import HistGradientBoostingRegressor  # here: slow to import

    asked = settings | {"max_features": share_asked(features), "random_state": seed}
    counted = uneven(weights)
    fitted = [
        HistGradientBoostingRegressor(**asked).fit(features, column, counted) for column in y.T
    ]
    return joined(fitted)


def boost_classes(
    features: np.ndarray,
    one_hot: np.ndarray,
    weights: np.ndarray,
    seed: int,
    settings: dict[str, Any] = SETTINGS,
) -> Forest:
    """Boosted classification; every class must be there."""
    from sklearn.ensemble import HistGradientBoostingClassifier  # here: slow to import

    asked = settings | {"max_features": share_asked(features), "random_state": seed}
    model = HistGradientBoostingClassifier(**asked)
    return joined([model.fit(features, np.argmax(one_hot, axis=1), uneven(weights))])


def uneven(weights: np.ndarray) -> np.ndarray | None:
    """The weights; None where all are the same, because weighted bins take seconds to make."""
    return None if (weights == weights[0]).all() else weights


def share_asked(features: np.ndarray) -> float:
    """Share of the features that a split may ask."""
    return min(ASKED, MOST_ASKED / features.shape[1])


def joined(models: list[Any]) -> Forest:
    """The trees of models with the same number of rounds, side by side."""
    tables, roots, first = [], [], 0
    for model in models:
        for trees in model._predictors:
            of_round = []
            for tree in trees:
                nodes = tree.nodes
                leaf = nodes["is_leaf"].astype(bool)
                tables.append(
                    (
                        np.where(leaf, -1, nodes["feature_idx"].astype(np.int64)),
                        np.where(leaf, 0.0, nodes["num_threshold"]),
                        nodes["left"].astype(np.int64) + first,
                        nodes["right"].astype(np.int64) + first,
                        nodes["value"],
                    )
                )
                of_round.append(first)
                first += len(nodes)
            roots.append(of_round)
    rounds = len(models[0]._predictors)
    feature, threshold, left, right, value = (
        np.concatenate(column) for column in zip(*tables, strict=True)
    )
    by_model = np.array(roots).reshape(len(models), rounds, -1)
    baseline = np.concatenate([np.ravel(model._baseline_prediction) for model in models])
    side_by_side = np.concatenate(list(by_model), axis=1)
    return Forest(feature, threshold, left, right, value, side_by_side, baseline)
