"""Starts: many keys, cheaply compared on a part of the bags; the best few go on.

    v0  from the ridge regression of y on bag means:   E[Y sum_l X_l]          is proportional to v
    k0  from S^-1 sum_i y_i sum_l (z_il.v0) z_il:      E[Y sum_l (X_l.v) X_l]  is proportional to k
    M = S^-1/2 [ sum_i y_i sum_l z_il z_il' ] S^-1/2   is proportional to  k v' + v k',

with z centred and S the covariance of instances. The eigenvectors of M with the largest eigenvalues
of either sign are k + v and k - v, and where several kinds of instances know of the label, M holds
a pair for each. What mean-pool ridge, and then the best start, leave unexplained takes the place of
y once more: so the one that decides is found among many that know a little. The mean of all
instances is a start too (`mean_key`), and a few are random.
"""

from collections.abc import Callable

import numpy as np

from soloc.estimators.coefficients import Coefficients
from soloc.estimators.fitting import short_fit
from soloc.estimators.instances import BLOCK, Instances
from soloc.estimators.mean_pool import MeanPool
from soloc.estimators.objectives.data import Data
from soloc.estimators.objectives.objective import Objective
from soloc.estimators.objectives.squared import SquaredLoss
from soloc.estimators.thinning import thinned
from soloc.estimators.tickets import drawn

FIRST_BAGS, FIRST = 300, 3  # bags and iterations by which all starts are compared
START_BAGS, SHORT = 700, 5  # bags and iterations by which the best few are
FIRST_INSTANCES, START_INSTANCES = 20_000, 50_000  # of these bags, where bags are long
SHARP = 3.0  # standard deviations of the scores by which instances of long bags are drawn
FEW = 5  # starts that are the best few
BASIC = 6  # starts that come from no eigenvector, or are random
MOST_SHIFT = 12.0  # a longer mean of all instances is that of the background
MOST_WORK, MOST_NUMBERS = 5e8, 3e7  # multiplications for a matrix of moments, numbers in it
MIDDLE, OTHER_SCALES = 1.5, (0.5, 4.0)  # standard deviations of the scores over instances
WIDE = 400  # features beyond which instances are not whitened and M is not formed


def best_starts(
    data: Data,
    losses: dict[str, type[Objective]],
    pooled: MeanPool,
    n_starts: int,
    rng: np.random.Generator,
    tickets: np.ndarray,
    tol: float,
) -> dict[str, Coefficients]:
    """For each loss the start that it likes best after a few iterations, on some of the bags.

    Least squares compares all of them and decides sign and scale; each loss compares the best few,
    and the first (moment) start. Classes are compared by least squares on one-hot labels.
    """
    d = data.instances.x.shape[1]
    few_bags = part_of(data, FIRST_BAGS, tickets)
    most = int(min(MOST_WORK / d**2, MOST_NUMBERS / d) / data.instances.count * len(data.y))
    seen = np.arange(len(data.y)) if most >= len(data.y) else drawn(tickets, max(most, 100))
    everything = len(seen) == len(data.y) and not data.on_disk
    moments = Moments(data if everything else data.part(seen))
    left = data.y - pooled.left_out
    later = max(0, (n_starts - BASIC) // 3)  # starts of the second round
    directions = moments.basic(pooled.coef)
    directions += moments.pairs(data.y[seen], later // 2) + moments.pairs(left[seen], later)
    directions = directions[: n_starts - later]
    anywhere = n_starts - later - len(directions)
    directions += list(rng.standard_normal((max(anywhere, 0), d)))
    first = SquaredLoss(thinned(few_bags, moments.sharp(directions), FIRST_INSTANCES))
    keys = scaled(first, directions) or [np.zeros(d)]  # no feature varies
    few = compared(first, keys, tol)[:FEW]
    left = data.y[seen] - moments.predicted(few[0], data.alpha)
    directions = moments.pairs(left, later)[:later]
    first = SquaredLoss(thinned(few_bags, few + moments.sharp(directions), FIRST_INSTANCES))
    del moments  # as large as the data
    few = compared(first, few + scaled(first, directions), tol)
    few = distinct([*few[:FEW], keys[0]])
    small = SquaredLoss(thinned(part_of(data, START_BAGS, tickets), few, START_INSTANCES))
    found = [small.coefficients(key) for key in few]
    return {
        name: best_of(kind(small.data), [kind.begun(each) for each in found], tol)
        for name, kind in losses.items()
    }


def scaled(objective: SquaredLoss, directions: list[np.ndarray]) -> list[np.ndarray]:
    """The directions in which scores vary, with the sign and scale that the objective prefers."""
    keys = []
    for direction in directions:
        deviation = objective.instances.deviation(direction)
        if np.isfinite(deviation) and deviation > 1e-12:
            keys.append(best_scale(objective.value, direction / deviation))
    return keys


def compared(objective: SquaredLoss, keys: list[np.ndarray], tol: float) -> list[np.ndarray]:
    """The keys after a few iterations, the best first; several outputs are only compared."""
    if objective.y.ndim == 2:
        return sorted(keys, key=objective.value)
    found = [short_fit(objective, key, max_iter=FIRST, tol=tol) for key in keys]
    return [solution.point for solution in sorted(found, key=lambda solution: solution.value)]


def distinct(keys: list[np.ndarray]) -> list[np.ndarray]:
    """The keys without those that nearly repeat an earlier one."""
    kept: list[np.ndarray] = []
    for key in keys:
        if all(np.linalg.norm(key - other) > 0.05 * np.linalg.norm(other) for other in kept):
            kept.append(key)
    return kept


def part_of(data: Data, most: int, tickets: np.ndarray) -> Data:
    """A part of large data, of at most `most` bags; the data themselves when small."""
    if len(data.y) > 1.2 * most:
        return data.part(drawn(tickets, most))
    return data.part(np.arange(len(data.y))) if data.on_disk else data


def best_of(objective: Objective, candidates: list[Coefficients], tol: float) -> Coefficients:
    """The candidate that the objective likes best after a few iterations, with these made."""
    found = [
        short_fit(objective, objective.point(candidate), max_iter=SHORT, tol=tol)
        for candidate in candidates
    ]
    return objective.coefficients(min(found, key=lambda solution: solution.value).point)


class Moments:
    """Moments of instances and labels that know key and value; see the formulas above."""

    def __init__(self, data: Data) -> None:
        self.data, instances = data, data.instances
        self.d = instances.x.shape[1]
        self.z = instances.all_standard() if self.d <= WIDE else None
        if self.z is not None:
            self.covariance = shrunk_covariance(self.z)
            scale, vectors = np.linalg.eigh(self.covariance)
            self.whiten = vectors / np.sqrt(scale)
            self.z = self.z @ self.whiten.astype(self.z.dtype)

    def basic(self, slope: np.ndarray) -> list[np.ndarray]:
        """The moment start, the mean-pool slope, and the mean of all instances."""
        y = self.data.y - self.data.y.mean(axis=0)
        moment = second_moment(self.data.instances, y, slope)
        if self.z is not None:
            moment = self.whiten @ (self.whiten.T @ moment)
        outputs = slope.reshape(self.d, -1)
        found = [moment, outputs[:, np.argmax((outputs**2).sum(axis=0))]]
        mean = mean_key(self.data)
        return found if mean is None else [*found, mean]

    def pairs(self, y: np.ndarray, count: int) -> list[np.ndarray]:
        """About `count` sums and differences of the eigenvectors of M for labels `y`."""
        if self.z is None or count < 2:
            return []
        y = y - y.mean(axis=0)
        if y.ndim == 2:
            y = y[:, np.argmax((y**2).sum(axis=0))]
        labels = self.data.instances.spread(y.astype(self.z.dtype))[:, None]
        _, vectors = np.linalg.eigh(weighted_products(self.z, labels))
        largest = np.argmax(np.abs(vectors), axis=0)
        vectors *= np.sign(vectors[largest, np.arange(self.d)])  # else rounding decides
        found = []
        for i in range(min((count + 1) // 2, self.d // 2)):
            low, high = vectors[:, i], vectors[:, -1 - i]
            found += [high + low, high - low]
        return [self.whiten @ direction for direction in found]

    def sharp(self, directions: list[np.ndarray]) -> list[np.ndarray]:
        """Keys of either sign along the directions, under which the largest instances stand out."""
        keys = []
        for w in directions:
            deviation = float(np.sqrt(w @ w if self.z is None else w @ self.covariance @ w))
            if deviation > 0:
                keys += [SHARP / deviation * w, -SHARP / deviation * w]
        return keys

    def predicted(self, key: np.ndarray, alpha: float) -> np.ndarray:
        """Labels by least squares at this key."""
        objective = SquaredLoss(self.data._replace(alpha=alpha))
        reading = self.data.read(objective.coefficients(key))
        return objective.predict(reading, self.data.instances)


def mean_key(data: Data) -> np.ndarray | None:
    """The key that the mean of all instances suggests, if their background has mean zero.

    Then E[sum_l X_l] is the shift of the decisive instance, and the log-odds of a place are its
    product with the instance. Shrunk by James and Stein; None where nothing is left of it, or where
    it is so long that it must be that of the background.
    """
    instances = data.instances
    length = instances.stands_for / len(data.y)
    shift = length * instances.centre / instances.scale
    size = float(shift @ shift)
    kept = 1 - len(shift) * length / len(data.y) / max(size, 1e-300)
    return kept * shift if kept > 0 and size < MOST_SHIFT**2 else None


def best_scale(value: Callable[[np.ndarray], float], direction: np.ndarray) -> np.ndarray:
    """The direction with the sign that an objective prefers, then with the scale it prefers."""
    found = {sign * MIDDLE: value(sign * MIDDLE * direction) for sign in (1, -1)}
    sign = float(np.sign(min(found, key=lambda scale: found[scale])))
    found |= {sign * scale: value(sign * scale * direction) for scale in OTHER_SCALES}
    best: float = min(found, key=lambda scale: found[scale])
    return np.asarray(best * direction)


def second_moment(instances: Instances, y: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """sum_i y_i sum_l (z_il.v0) z_il, summed over outputs."""
    values = instances.values(slope)
    labels = np.repeat(y.astype(instances.dtype), instances.lengths, axis=0)
    per_instance = values * labels
    return instances.adjoint(per_instance if per_instance.ndim == 1 else per_instance.sum(axis=1))


def weighted_products(z: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """z' W z, of a few rows at a time that stay in the cache."""
    found = np.zeros((z.shape[1], z.shape[1]))
    for start in range(0, len(z), BLOCK):
        rows = slice(start, start + BLOCK)
        found += (z[rows] * weights[rows]).T @ z[rows]
    return found


def shrunk_covariance(z: np.ndarray) -> np.ndarray:
    """Covariance of rows, with a ridge that grows as they get few."""
    d = z.shape[1]
    mean = z.mean(axis=0, dtype=np.float64)
    covariance = (z.T @ z).astype(np.float64) / len(z) - np.outer(mean, mean)
    shrink = 0.05 * max(np.trace(covariance) / d, 1e-12) + d / len(z) * 0.05
    covariance[np.diag_indices(d)] += shrink
    return covariance
