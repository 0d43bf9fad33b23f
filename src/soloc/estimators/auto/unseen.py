"""Bag means as a fit that has not seen a fold knows them: in units of the bags that are left.

A feature that is something in a single bag gets another unit, and no reach, without that bag.
Standard units of all bags would tell a fit what it is to predict.
"""

import numpy as np

from soloc.estimators.bags import Bags
from soloc.estimators.coefficients import bag_means
from soloc.estimators.instances import Instances, centre_and_scale, reach_of, within

MOST_NUMBERS = 2_000_000  # of instances; in more data one fold moves no unit, and copies cost time


def means_without(
    fold: np.ndarray, bags: Bags, means: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """Means of all bags as the bags outside the fold would have them, (n, d); `means` of many."""
    if bags.values.size > MOST_NUMBERS:
        return means
    seen = bags[np.flatnonzero(~fold)]
    centre, scale = centre_and_scale(seen, True, weights[~fold])
    near = within(bags, centre, reach_of(seen, centre))
    return bag_means(Instances(near, centre, scale))
