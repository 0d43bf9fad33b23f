"""Importance of columns: how much worse a model scores when one of them is shuffled."""

from typing import Any

import numpy as np
import pandas as pd

from soloc.estimators.labels import labels_for
from soloc.estimators.parameters import generator, is_whole


def importance(model: Any, X: Any, y: Any, n_repeats: int, random_state: Any) -> pd.DataFrame:
    """One row per column: its name, the mean loss of score by shuffling it, its deviation."""
    if not is_whole(n_repeats) or n_repeats < 1:
        raise ValueError(f"`n_repeats` must be an integer of at least 1, got {n_repeats!r}.")
    rng = generator(random_state)
    bags, _ = model._bags(X)
    y = labels_for(y, bags, model.several_labels)
    whole = model.score(bags, y)
    rows = []
    for column in range(bags.width):
        lost = []
        for _ in range(n_repeats):
            values = bags.values.copy()
            values[:, column] = rng.permutation(values[:, column])
            lost.append(whole - model.score(bags.with_values(values, bags.features), y))
        name = str(column) if bags.features is None else bags.features[column]
        rows.append({"feature": name, "importance": np.mean(lost), "deviation": np.std(lost)})
    return pd.DataFrame(rows)
