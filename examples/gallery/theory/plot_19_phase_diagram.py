"""
From which starts does training succeed?
========================================

A sweep asks one question at every point of a grid and stores each answer: the same call again
computes only what is missing. Here: the share of random starts that reach the truth in 8,000
steps.
"""

import tempfile

import numpy as np

from soloc import sweep
from soloc.experiments.questions import success
from soloc.figures import sweep as drawing

grid = {
    "lam": np.round(np.logspace(-2, 0, 9), 4).tolist(),
    "L": [3, 10, 30, 100],
    "start": ["manifold"],
    "starts": [20],
    "steps": [8_000],
}
with tempfile.TemporaryDirectory() as folder:
    table = sweep(success, grid, out=folder, jobs=1)
table.head()

# %%
drawing.figure(table, "lam", "L", "share", as_map=True)
