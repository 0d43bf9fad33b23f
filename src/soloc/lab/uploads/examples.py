"""Tables to start with in the view of your own data: one row per instance, as a user's file would
be.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from soloc.datasets import BagData

_DIGITS = 4  # after the point; what the CSV says is what is fitted


def peptides() -> pd.DataFrame:
    """250 peptides: which window of nine residues binds, and how strongly."""
    # here and below: the page should not wait for scikit-learn
    from soloc.datasets import make_peptides

    return make_peptides(250).drop(columns="binds")


def numbers() -> pd.DataFrame:
    """300 generated bags of 4 to 12 instances whose label is a linear function of one of them."""
    from soloc.datasets import make_single_location

    return _generated(make_single_location(300, width=6, lengths=(4, 12), random_state=1), False)


def classes() -> pd.DataFrame:
    """300 generated bags of 4 to 12 instances whose class, low or high, one of them decides."""
    from soloc.datasets import make_single_location

    return _generated(make_single_location(300, width=6, lengths=(4, 12), random_state=2), True)


class Example(NamedTuple):
    """A table to start with: what the page calls it, and the function that makes it."""

    title: str
    make: Callable[[], pd.DataFrame]


EXAMPLES = {
    "peptides": Example("peptides", peptides),
    "numbers": Example("generated numbers", numbers),
    "classes": Example("generated classes", classes),
}


@lru_cache(maxsize=8)
def example_csv(name: str) -> bytes:
    """An example as a CSV file."""
    return EXAMPLES[name].make().round(_DIGITS).to_csv(index=False).encode()


def _generated(data: "BagData", as_classes: bool) -> pd.DataFrame:
    bags = data.bags
    owner = np.repeat(np.arange(len(bags)), bags.lengths)
    labels = (
        np.where(data.labels > np.median(data.labels), "high", "low") if as_classes else data.labels
    )
    table = pd.DataFrame({"bag": [f"B{number:03d}" for number in owner]})
    table["instance"] = [f"i{number + 1}" for length in bags.lengths for number in range(length)]
    for feature in range(bags.width):
        table[f"x{feature + 1}"] = bags.values[:, feature]
    return table.assign(label=labels[owner])
