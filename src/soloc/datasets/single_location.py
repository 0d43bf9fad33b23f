"""Generated bags in which one instance, or several, decides the label."""

from typing import Any, NamedTuple

import numpy as np

from soloc.estimators.bags import Bags
from soloc.maths.gaussians import log_ratio, squared_distance


class BagData(NamedTuple):
    """Bags, their labels, and the true position of the decisive instance: (n,), or (n, m) for m of
    them.
    """

    bags: Bags
    labels: np.ndarray
    locations: np.ndarray

    def part(self, index: Any) -> "BagData":
        """Some of the bags, with their labels and locations."""
        return BagData(self.bags[index], self.labels[index], self.locations[index])


class SingleLocationLaw(NamedTuple):
    """The law of generated bags: everything that a fit has to find out.

    The decisive instance is N(background + signal key, gamma^2 I), the others N(background, I), and
    the label is value . (decisive - background) plus noise; with several decisive instances, the
    mean of theirs.
    """

    key: np.ndarray  #: unit vector
    value: np.ndarray  #: unit vector, orthogonal to the key
    background: np.ndarray
    signal: float
    gamma: float
    noise: float

    def sample(
        self,
        n_bags: int,
        lengths: Any = 10,
        n_locations: int = 1,
        random_state: int = 0,
        dtype: Any = np.float64,
    ) -> BagData:
        """`n_bags` bags of `lengths` instances: one number, or (least, most) for a uniform law."""
        rng = np.random.default_rng([random_state, 1])
        least, most = (int(end) for end in (np.min(lengths), np.max(lengths)))
        if n_bags < 1 or not 1 <= n_locations <= least <= most:
            raise ValueError(
                "`n_bags` must be at least 1 and `lengths` at least `n_locations`, "
                f"got n_bags={n_bags}, lengths={lengths}, n_locations={n_locations}."
            )
        sizes = rng.integers(least, most + 1, size=n_bags)
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        x = rng.standard_normal((offsets[-1], len(self.key)))
        order = rng.random((n_bags, most))
        # positions beyond the end of a bag come last
        order[np.arange(most) >= sizes[:, None]] = np.inf
        locations = np.sort(np.argsort(order, axis=1)[:, :n_locations], axis=1)
        rows = (offsets[:-1, None] + locations).ravel()
        x[rows] = self.gamma * x[rows] + self.signal * self.key
        labels = (x[rows] @ self.value).reshape(n_bags, n_locations).mean(axis=1)
        labels += self.noise * rng.standard_normal(n_bags)
        x += self.background
        where = locations[:, 0] if n_locations == 1 else locations
        return BagData(Bags(x.astype(dtype, copy=False), offsets), labels, where)

    def bayes(self, bags: Bags) -> tuple[np.ndarray, np.ndarray]:
        """Best prediction and most probable location of each bag, one instance deciding."""
        x = bags.values - self.background
        from_signal = squared_distance(x, self.signal * self.key)
        log_odds = log_ratio(squared_distance(x, 0.0), from_signal, self.gamma, x.shape[1])
        log_odds -= np.repeat(np.maximum.reduceat(log_odds, bags.offsets[:-1]), bags.lengths)
        weights = np.exp(log_odds)
        total = np.add.reduceat(weights, bags.offsets[:-1])
        prediction = np.add.reduceat(weights * (x @ self.value), bags.offsets[:-1]) / total
        return prediction, np.array([np.argmax(part) for part in bags.split(weights)])


def single_location_law(
    width: int = 50,
    signal: float = 5.0,
    noise: float = 0.3,
    gamma: float = 1.0,
    background: float = 1.0,
    random_state: int = 0,
) -> SingleLocationLaw:
    """A law with random key and value; the background mean has entries N(0, background^2)."""
    if width < 2 or gamma <= 0 or noise < 0:
        raise ValueError(
            "`width` must be at least 2, `gamma` positive and `noise` not negative, "
            f"got width={width}, gamma={gamma}, noise={noise}."
        )
    rng = np.random.default_rng([random_state, 0])
    key, value = np.linalg.qr(rng.standard_normal((width, 2)))[0].T
    return SingleLocationLaw(
        key, value, background * rng.standard_normal(width), signal, gamma, noise
    )


def make_single_location(
    n_bags: int = 1000,
    width: int = 50,
    lengths: Any = 10,
    signal: float = 5.0,
    noise: float = 0.3,
    gamma: float = 1.0,
    background: float = 1.0,
    n_locations: int = 1,
    random_state: int = 0,
) -> BagData:
    """Bags of `width` features whose label one instance decides (or the mean over `n_locations` of
    them).

    Examples
    --------
    >>> data = make_single_location(5, width=3, lengths=(2, 4))
    >>> len(data.bags), data.bags.width, data.locations.shape
    (5, 3, (5,))
    """
    law = single_location_law(width, signal, noise, gamma, background, random_state)
    return law.sample(n_bags, lengths, n_locations, random_state)
