"""What the stages of a fit hand on: what came in, and what was chosen."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from soloc.estimators.bags import Bags
from soloc.estimators.coefficients import Coefficients
from soloc.estimators.mean_pool import MeanPool
from soloc.estimators.objectives.data import Data
from soloc.estimators.objectives.objective import Objective


class Entered(NamedTuple):
    """What comes in at the door of `fit`."""

    bags: Bags
    data: Data
    labels: dict[str, Any]  #: fitted attributes that describe the labels
    pooled: MeanPool
    groups: np.ndarray | None
    losses: dict[str, type[Objective]]
    alpha: float | None  #: None where held-out bags choose it
    rng: np.random.Generator  #: of random starts
    tickets: np.ndarray  #: decide which bags are drawn for parts and folds


class Started(NamedTuple):
    """Where each loss begins, on each part of the bags that leaves a fold out."""

    groups: np.ndarray | None  #: bags that are left out together
    part: Data  #: the bags on which penalties are chosen
    where: np.ndarray  #: their positions
    folds: list[np.ndarray]  #: masks of held-out bags of the part; none where nothing is chosen
    starts: dict[str, list[Coefficients]]  #: one for each fold, which has not seen it; else one


class Chosen(NamedTuple):
    """Loss and penalty, and where the last fit begins."""

    loss: str
    data: Data  #: with the chosen penalties
    start: Coefficients
    groups: np.ndarray | None  #: bags that are left out together
    scores: pd.DataFrame | None = None
    held_out: np.ndarray | None = None  #: predictions of held-out bags, NaN on the others
    halves: Sequence[Coefficients] = ()  #: fits to two halves of the bags, which vouch for pointing
