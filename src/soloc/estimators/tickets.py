"""Tickets: which bags are drawn for a part or a fold, by what they hold and not by their order.

Bags are put in order by their label and then by their contents; the bag that comes j-th has the
j-th of the random numbers that `random_state` and the number of bags decide. Whoever permutes bags,
or instances within bags, draws the same ones. So does whoever changes last bits of features or
labels, as another number of threads does: what is nearly equal is nearly in the same order.
"""

import numpy as np

from soloc.estimators.bags import Bags

BLOCK = 8192  # instances at a time


def tickets(bags: Bags, y: np.ndarray, seed: int) -> np.ndarray:
    """One number per bag, (n,)."""
    labels = np.asarray(y, dtype=np.float64).reshape(len(bags), -1)
    of_bags = np.concatenate([contents(block) for block in bags.blocks()])
    order = np.lexsort((of_bags, *labels.T[::-1]))
    numbers = np.empty(len(bags), dtype=np.uint64)
    numbers[order] = np.random.default_rng([seed, len(bags)]).integers(
        2**64, size=len(bags), dtype=np.uint64
    )
    return numbers


def contents(bags: Bags) -> np.ndarray:
    """One number per bag in memory: the sum of its instances along a direction all bags share."""
    along = np.random.default_rng(20241).standard_normal(bags.width)
    rows = np.empty(len(bags.values))
    with np.errstate(over="ignore", invalid="ignore"):  # what cannot be told apart may stay so
        for start in range(0, len(rows), BLOCK):  # in double precision, a few rows at a time
            part = slice(start, start + BLOCK)
            rows[part] = bags.values[part].astype(np.float64, copy=False) @ along
        return np.add.reduceat(rows, bags.offsets[:-1])


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
