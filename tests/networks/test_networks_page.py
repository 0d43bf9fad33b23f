"""docs/networks.md: the block that needs torch runs, too, where torch is there."""

import re

import pytest
from tests.pages import ROOT, steps


def test_the_transformer_layer_of_torch_is_scored():
    pytest.importorskip("torch")
    page = (ROOT / "docs" / "networks.md").read_text()
    names: dict = {}
    exec(next(steps(page)).code, names)
    (block,) = re.findall(r"<!-- needs torch -->\n```py\n(.*?)```", page, re.DOTALL)
    exec(block, names)
    table = names["table"].set_index("name")
    assert list(table.index) == ["yours", "bayes", "softmax", "linear", "null"]
    assert table.risk["bayes"] < table.risk["yours"] < table.risk["null"]
    assert names["layer"].training  # as it was before
