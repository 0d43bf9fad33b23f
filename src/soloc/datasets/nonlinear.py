"""Bags in which neither where to look nor what to read there is linear."""

import numpy as np

from soloc.datasets.single_location import BagData
from soloc.estimators.bags import Bags

WIDTH = 12


def make_nonlinear_location(
    n_bags: int = 2000, lengths: tuple[int, int] = (4, 16), random_state: int = 0, draw: int = 0
) -> BagData:
    """Bags of Gaussian instances: one on a shell is drawn, and its label is a curved function.

    The score of an instance is -4 | |x[0:4]| - 3.2 | + 1.5 tanh(2 x4 x5), the decisive one J is
    drawn by the softmax of scores, and with h = x_J[4:8] A the label is sin h0 + tanh(h1) x_J8 +
    |h2| / 2 plus noise of .3. A depends on `random_state` alone, the bags also on `draw`.

    Examples
    --------
    >>> data = make_nonlinear_location(5)
    >>> len(data.bags), data.bags.width, data.locations.shape
    (5, 12, (5,))
    """
    if n_bags < 1 or not 1 <= lengths[0] <= lengths[1]:
        raise ValueError(
            "`n_bags` must be at least 1 and `lengths` increasing from at least 1, got"
            f" n_bags={n_bags}, lengths={lengths}."
        )
    mixing = np.random.default_rng([random_state, 1]).standard_normal((4, 3))
    rng = np.random.default_rng([random_state, 2 + draw])
    sizes = rng.integers(lengths[0], lengths[1] + 1, n_bags)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    x = rng.standard_normal((offsets[-1], WIDTH))
    shell = np.abs(np.linalg.norm(x[:, :4], axis=1) - 3.2)
    score = -4 * shell + 1.5 * np.tanh(2 * x[:, 4] * x[:, 5])
    drawn = score + rng.gumbel(size=len(score))  # the largest is a draw from the softmax
    locations = np.array([np.argmax(part) for part in np.split(drawn, offsets[1:-1])])
    decisive = x[offsets[:-1] + locations]
    h = decisive[:, 4:8] @ mixing
    labels = np.sin(h[:, 0]) + np.tanh(h[:, 1]) * decisive[:, 8] + 0.5 * np.abs(h[:, 2])
    return BagData(Bags(x, offsets), labels + 0.3 * rng.standard_normal(n_bags), locations)
