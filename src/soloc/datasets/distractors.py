"""Hard bags: many instances, half of them decoys that know a little of the label.

Local optima abound: whoever attends to all decoys at once predicts fairly well and points nowhere.
"""

import numpy as np

from soloc.datasets.single_location import BagData
from soloc.estimators.bags import Bags


def make_distractors(
    n_bags: int = 400,
    width: int = 20,
    lengths: tuple[int, int] = (30, 60),
    decoys: float = 0.5,
    kinds: int = 3,
    correlation: float = 0.4,
    signal: float = 3.0,
    noise: float = 0.3,
    collinear: float = 0.1,
    random_state: int = 0,
) -> BagData:
    """Bags in which one instance decides and a share of `decoys` correlates with the label.

    Decoys come in several `kinds`. Each has a direction by which attention could find it, as the
    decisive instance has one of length `signal`, and another that knows a little of the label. The
    features are a mixture of half as many factors, so the others nearly repeat them (`collinear`).

    Examples
    --------
    >>> data = make_distractors(5, lengths=(30, 40))
    >>> len(data.bags), data.bags.width, data.locations.shape
    (5, 20, (5,))
    """
    if width // 2 < 2 * kinds + 2 or not 2 <= lengths[0] <= lengths[1]:
        raise ValueError(
            "`width` must be at least 4 `kinds` + 4 and `lengths` increasing from at least 2, got"
            f" width={width}, kinds={kinds}, lengths={lengths}."
        )
    rng = np.random.default_rng([random_state, 7])
    factors = width // 2
    sizes = rng.integers(lengths[0], lengths[1] + 1, size=n_bags)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    x = rng.standard_normal((offsets[-1], factors))
    locations = (rng.random(n_bags) * sizes).astype(int)
    rows = offsets[:-1] + locations
    labels = rng.standard_normal(n_bags)
    owner = np.repeat(np.arange(n_bags), sizes)
    kind = np.where(rng.random(offsets[-1]) < decoys, rng.integers(kinds, size=offsets[-1]), -1)
    kind[rows] = -1
    decoy = np.flatnonzero(kind >= 0)
    x[decoy, 2 + kind[decoy]] += signal
    x[decoy, 2 + kinds + kind[decoy]] += correlation * labels[owner[decoy]]
    x[rows, 0] += signal
    x[rows, 1] = labels + noise * rng.standard_normal(n_bags)
    mixing = rng.standard_normal((factors, width))
    features = x @ mixing + collinear * rng.standard_normal((len(x), width))
    return BagData(Bags(features, offsets), labels, locations)
