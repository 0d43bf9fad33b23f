"""Tickets: which bags are drawn for a part or a fold, by what they hold and not by their order.

Each bag has a 64-bit number made of its instances, its label and `random_state`. Whoever permutes
bags, or instances within bags, draws the same ones.
"""

import numpy as np

from soloc.estimators.bags import Bags
from soloc.estimators.repeats import row_digests

COLUMNS = 8  # features that tell bags apart: more would only cost time


def tickets(bags: Bags, y: np.ndarray, seed: int) -> np.ndarray:
    """One number per bag, (n,)."""
    of_bags = np.concatenate([contents(block) for block in bags.blocks()])
    labels = row_digests(np.asarray(y, dtype=np.float64).reshape(len(bags), -1))
    return mixed(of_bags ^ mixed(labels ^ np.uint64(seed)))


def contents(bags: Bags) -> np.ndarray:
    """One number per bag in memory, by what it holds in whatever order."""
    rows = mixed(row_digests(bags.values[:, :COLUMNS]))
    return np.add.reduceat(rows, bags.offsets[:-1])  # wraps around


def mixed(numbers: np.ndarray) -> np.ndarray:
    """Numbers that look random, one for each (the finaliser of splitmix64)."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


def drawn(numbers: np.ndarray, most: int) -> np.ndarray:
    """Positions, in order, of the `most` smallest tickets."""
    return np.sort(np.argsort(numbers, kind="stable")[:most])


def of_groups(numbers: np.ndarray, members: np.ndarray) -> np.ndarray:
    """One ticket per group, from those of its bags."""
    out = np.zeros(int(members.max()) + 1, dtype=np.uint64)
    np.add.at(out, members, numbers)
    return mixed(out)
