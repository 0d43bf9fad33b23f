"""A sweep on a SLURM cluster: from how many random starts does training succeed?

    pip install '.[cluster]'
    python examples/slurm_sweep.py results/slurm

Run it where `sbatch` works, on a file system that all nodes share. Each job is one worker; a job
that is lost with its node is replaced. Stop it whenever you like: the same command again computes
what is missing.
"""

import sys

from dask_jobqueue import SLURMCluster
from distributed import Client

from soloc import sweep
from soloc.experiments.questions import success
from soloc.runs.engines.dask import Dask

GRID = {
    "lam": [0.01 * 1.3**i for i in range(16)],
    "gamma": [0.1 * i for i in range(1, 17)],
    "starts": [25],
    "steps": [20_000],
}

if __name__ == "__main__":
    cluster = SLURMCluster(cores=1, processes=1, memory="2GB", walltime="01:00:00")
    cluster.adapt(minimum_jobs=2, maximum_jobs=2)
    with cluster, Client(cluster) as client:
        print(sweep(success, GRID, out=sys.argv[1], engine=Dask(client, patience=300)))
