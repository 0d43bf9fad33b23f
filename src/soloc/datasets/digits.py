"""Bags of scikit-learn's digit images: the label is a linear function of the one image of a key
class.
"""

import numpy as np
from sklearn.datasets import load_digits

from soloc.datasets.single_location import BagData
from soloc.estimators.bags import Bags

TRAINING_SHARE = 0.75  # of the images of each class


def digit_bags(
    n_bags: int = 1000,
    key_class: int = 0,
    length: int = 10,
    split: str = "train",
    noise: float = 0.0,
    random_state: int = 0,
) -> BagData:
    """Bags of 8 x 8 images with exactly one image of `key_class`, at a random place.

    The label is u . image of that one image, standardised over the images of its class, plus noise.
    Images of "train" and "test" bags are different ones, while the linear function u depends on
    `random_state` alone.

    Examples
    --------
    >>> data = digit_bags(4, key_class=8)
    >>> data.bags.width, data.bags.lengths.tolist()
    (64, [10, 10, 10, 10])
    """
    if split not in ("train", "test"):
        raise ValueError(f'`split` must be "train" or "test", got {split!r}.')
    if key_class not in range(10) or length < 1 or n_bags < 1:
        raise ValueError(
            "`key_class` must be a digit, `length` and `n_bags` at least 1, "
            f"got key_class={key_class!r}, length={length}, n_bags={n_bags}."
        )
    digits = load_digits()
    images, classes = digits.data / 16.0, digits.target
    shared = np.random.default_rng([random_state, 0])
    direction = shared.standard_normal(images.shape[1])
    training = np.zeros(len(images), dtype=bool)
    for digit in range(10):
        members = shared.permutation(np.flatnonzero(classes == digit))
        training[members[: int(TRAINING_SHARE * len(members))]] = True
    reading = images @ direction
    of_key = reading[classes == key_class]
    reading = (reading - of_key.mean()) / of_key.std()
    rng = np.random.default_rng([random_state, 1 if split == "train" else 2])
    usable = training if split == "train" else ~training
    chosen = rng.choice(np.flatnonzero(usable & (classes != key_class)), size=(n_bags, length))
    locations = rng.integers(length, size=n_bags)
    decisive = rng.choice(np.flatnonzero(usable & (classes == key_class)), size=n_bags)
    chosen[np.arange(n_bags), locations] = decisive
    labels = reading[decisive] + noise * rng.standard_normal(n_bags)
    names = [f"digit {digit}" for digit in classes[chosen].ravel()]
    bags = Bags(
        images[chosen].reshape(-1, images.shape[1]), np.arange(n_bags + 1) * length, names=names
    )
    return BagData(bags, labels, locations)
