"""
A sweep on a cluster
====================

A question is a function of plain numbers; a sweep asks it at every point of a grid, on this
machine or on a cluster, and stores each answer. Here the cluster is a Dask scheduler with two
workers on this machine.
"""

# %%
# The question
# ------------
# From which share of random starts does training find the truth? ``soloc.experiments.questions``
# has this one; a function of your own works alike, and a parameter ``key`` receives a random key
# of its own.
import tempfile

from soloc.experiments.questions import success

grid = {
    "lam": [0.02, 0.05, 0.1, 0.2],
    "gamma": [0.3, 0.7, 1.1],
    "start": ["manifold"],
    "starts": [10],
    "steps": [3_000],
}

# %%
# The cluster
# -----------
# On SLURM this is ``SLURMCluster(cores=1, memory="2GB")`` of dask-jobqueue, with the rest
# unchanged: see ``examples/slurm_sweep.py``. Workers are processes of their own and may die: what
# one had is computed by another.
from distributed import Client

from soloc import sweep
from soloc.runs.engines.dask import Dask
from soloc.runs.engines.dask_cluster import own_cluster

folder = tempfile.TemporaryDirectory()
with own_cluster(2) as address, Client(address, set_as_default=False) as client:
    table = sweep(success, grid, out=folder.name, engine=Dask(client))
table.head()

# %%
# Interrupted?
# ------------
# The same call again computes what is missing, and here nothing is: all twelve cells are read from
# the store, without a cluster.
again = sweep(success, grid, out=folder.name, jobs=1)
print("equal tables:", again.equals(table))

# %%
# The figure
# ----------
from soloc.figures import sweep as drawing

folder.cleanup()
drawing.figure(table, "lam", "gamma", "share", as_map=True)

# %%
# At the command line
# -------------------
# ::
#
#     soloc sweep examples/phase_diagram.toml --dry-run                # what it would cost
#     soloc sweep examples/phase_diagram.toml --engine dask --jobs 2
