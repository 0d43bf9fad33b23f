"""Data frames to bags: columns that are no features, and why."""

import numpy as np
import pandas as pd
import pytest

from soloc.estimators import Bags


def test_a_few_words_in_a_column_of_numbers_are_told_with_one_of_them():
    column = [str(i / 2) for i in range(18)] + ["k.A.", None]
    table = pd.DataFrame({"bag": np.repeat([0, 1], 10), "x": np.arange(20.0), "t": column})
    why = Bags.from_frame(table, "bag").aside["t"]
    assert why.startswith("1 of its 20 entries are no numbers, such as 'k.A.'")
    with pytest.raises(ValueError, match="'t' of `frame` must be numeric, but 1 of its 20 entries"):
        Bags.from_frame(table, "bag", features=["t"])
    words = table.assign(t=["a word"] * 20, when=pd.Timestamp(0))
    for name in ("t", "when"):
        assert Bags.from_frame(words, "bag").aside[name] == "it does not hold numbers"
