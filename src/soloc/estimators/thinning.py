"""Thinning: long bags with fewer instances, each of which stands for several, for searches.

Which instances matter depends on where one looks. Instance l is kept with probability

    pi_l = min(1, m (max_k a_kl / sum_l' max_k a_kl' + 1 / L) / 2)

where a_k is the attention that key k pays, and the maximum runs over the keys that are compared.
One that is kept counts 1 / pi_l times: its score is raised by -log pi_l, so that sums over
instances are right on average. Whoever a key points at is kept for certain. The draw depends on
what an instance holds, not on its place.
"""

from itertools import pairwise

import numpy as np

from soloc.estimators.instances import Instances
from soloc.estimators.objectives.data import Data

FEWEST = 100  # instances of a bag that are kept at least
WORTH = 0.7  # share of instances beyond which thinning saves nothing


def thinned(data: Data, keys: list[np.ndarray], most: int) -> Data:
    """The data with about `most` instances, chosen for these keys; the data where that is most."""
    instances = data.instances
    each = max(FEWEST, most // len(data.y))
    if not keys or np.minimum(instances.lengths, each).sum() > WORTH * instances.count:
        return data
    probability = np.minimum(1.0, each * shares(instances, np.column_stack(keys)))
    kept = (instances.lots >> np.uint64(11)) * 2.0**-53 < probability
    empty = np.add.reduceat(kept, instances.starts, dtype=int) == 0
    kept |= instances.spread(empty)  # an unlucky bag of one instance many times
    probability[instances.spread(empty)] = 1.0
    rows = np.flatnonzero(kept)
    return data._replace(instances=instances.thinned(rows, -np.log(probability[rows])))


def shares(instances: Instances, keys: np.ndarray) -> np.ndarray:
    """Half of each bag for the instances that the keys attend to, half for all alike, (N,)."""
    found = np.empty(instances.count)
    for start, stop in pairwise(instances.bags.offsets):
        # keys along rows: NumPy goes quickly along long rows alone
        scores = np.ascontiguousarray(instances.values(keys, slice(start, stop)).T)
        scores -= scores.max(axis=1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=1, keepdims=True)
        largest = scores.max(axis=0)
        found[start:stop] = 0.5 * largest / largest.sum() + 0.5 / (stop - start)
    return found
