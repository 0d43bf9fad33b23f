"""The dask engine computes what the local one does, survives its workers, and never hangs."""

import os
import subprocess
import sys

import pandas as pd
import pytest
from sweep_functions import add, moody, slow_draw

from soloc import sweep
from soloc.runs.cells import CellsFailed
from soloc.runs.engines.dask import Dask
from soloc.runs.engines.dask_cluster import own_cluster
from soloc.runs.engines.dask_workers import check_versions

pytest.importorskip("distributed")
HERE = os.path.dirname(__file__)


@pytest.fixture(scope="module")
def address():
    with own_cluster(2) as address:
        yield address


def test_a_sweep_on_a_cluster_is_the_sweep_on_this_machine(address, tmp_path):
    grid = {"a": range(20), "b": [0.5, 1.5]}
    there = sweep(slow_draw, grid, out=tmp_path / "there", engine=Dask(address))
    here = sweep(slow_draw, grid, out=tmp_path / "here", jobs=2)
    pd.testing.assert_frame_equal(there, here, check_exact=True)
    names = [tmp_path / where / "slow_draw.parquet" for where in ("there", "here")]
    assert names[0].read_bytes() == names[1].read_bytes()


def test_a_client_is_used_and_left_open(address, tmp_path):
    from distributed import Client

    with Client(address, set_as_default=False) as client:
        table = sweep(add, {"a": [1, 2], "b": [3]}, out=tmp_path, engine=Dask(client))
        assert table["value"].tolist() == [4, 5] and client.status == "running"


@pytest.mark.slow
def test_a_poison_cell_is_named_and_its_batch_finishes(tmp_path):
    """On a cluster of its own: a busy machine may take minutes to start its workers again."""
    with own_cluster(2) as address, pytest.raises(CellsFailed) as failed:
        sweep(moody, {"a": [*range(4, 40), 3, 1, 2]}, out=tmp_path, engine=Dask(address))
    verdicts = {f.cell.config["a"]: f.outcome.verdict for f in failed.value.failures}
    assert verdicts == {1: "refused", 2: "failed", 3: "lost"}
    assert failed.value.table["a"].tolist() == [*range(4, 40)]


def test_no_worker_for_a_while_is_a_sentence_and_not_a_wait(tmp_path):
    from distributed import LocalCluster

    with LocalCluster(n_workers=0, dashboard_address=":0", processes=False) as empty:
        engine = Dask(empty.scheduler_address, patience=1.0)
        with pytest.raises(OSError, match="no worker for 1 seconds"):
            sweep(add, {"a": [1], "b": [1]}, out=tmp_path, engine=engine)


def test_workers_that_all_die_are_noticed(tmp_path):
    """A poison cell on workers that nobody restarts: once this waited for ever."""
    from distributed import LocalCluster

    with LocalCluster(n_workers=0, dashboard_address=":0", processes=False) as cluster:
        command = [sys.executable, "-m", "distributed.cli.dask_worker", cluster.scheduler_address]
        worker = subprocess.Popen(
            [*command, "--no-nanny", "--nthreads", "1", "--no-dashboard"],
            env={**os.environ, "PYTHONPATH": os.pathsep.join([HERE, *filter(None, sys.path)])},
            stderr=subprocess.DEVNULL,
        )
        try:
            with pytest.raises(OSError, match="no worker for 3 seconds"):
                sweep(
                    moody,
                    {"a": [3]},
                    out=tmp_path,
                    engine=Dask(cluster.scheduler_address, patience=3.0),
                )
        finally:
            worker.kill()
            worker.wait()


def test_a_scheduler_that_goes_is_a_sentence_and_a_resume_completes(tmp_path):
    from distributed import LocalCluster

    class Closing(Dask):
        def run(self, calls):
            done = 0
            for outcome in super().run(calls):
                yield outcome
                done += outcome is not None
                if done == 5:
                    cluster.close()

    with (
        LocalCluster(
            n_workers=1, threads_per_worker=1, dashboard_address=":0", processes=False
        ) as cluster,
        pytest.raises(OSError, match=r"the Dask scheduler has (gone|had no worker)"),
    ):
        sweep(
            slow_draw,
            {"a": range(60), "b": [1]},
            out=tmp_path,
            engine=Closing(cluster.scheduler_address, patience=2.0),
        )
    assert list(tmp_path.glob("cache/slow_draw/*.parquet")), "what was finished is kept"
    assert len(sweep(slow_draw, {"a": range(60), "b": [1]}, out=tmp_path, jobs=1)) == 60


def test_an_address_where_nobody_listens_is_a_sentence(tmp_path):
    engine = Dask("tcp://127.0.0.1:9", patience=1.0)
    with pytest.raises(OSError, match="`scheduler` must be the address of a running Dask"):
        sweep(add, {"a": [1], "b": [1]}, out=tmp_path, engine=engine)


def answer(**packages):
    versions = {"soloc": "1", "distributed": "2", "cloudpickle": "3", "numpy": "4", **packages}
    return {"host": {"python": "3.11.7.final.0"}, "packages": versions}


def test_other_versions_are_refused_by_name():
    same = {"client": answer(), "scheduler": answer(), "workers": {"tcp://a": answer()}}
    check_versions(same)
    check_versions({**same, "scheduler": answer(numpy="5")})  # it computes nothing
    check_versions({**same, "workers": {"tcp://gone": OSError()}})
    with pytest.raises(ValueError, match=r"the worker tcp://b must have .* numpy 5 \(here 4\)"):
        check_versions({**same, "workers": {"tcp://a": answer(), "tcp://b": answer(numpy="5")}})
    with pytest.raises(ValueError, match=r"the scheduler .* soloc missing \(here 1\)"):
        check_versions({**same, "scheduler": answer(soloc=None)})


@pytest.mark.slow
def test_a_search_over_settings_runs_on_the_cluster_through_joblib(address):
    import joblib
    from distributed import Client
    from sklearn.model_selection import GridSearchCV

    from soloc import SingleLocationRegressor
    from soloc.datasets.single_location import make_single_location

    data = make_single_location(60, width=4, lengths=3)
    search = GridSearchCV(SingleLocationRegressor(random_state=0), {"alpha": [0.1, 10.0]}, cv=2)
    here = search.fit(data.bags, data.labels).cv_results_["mean_test_score"]
    with (
        Client(address) as client,
        joblib.parallel_config("dask", client=client, wait_for_workers_timeout=100),
    ):
        there = search.fit(data.bags, data.labels).cv_results_["mean_test_score"]
    assert there == pytest.approx(here, rel=1e-6)


@pytest.mark.slow
def test_ten_killed_workers_change_no_byte(tmp_path):
    from distributed import Client
    from test_kills import GRID, Killing, quiet_bytes

    with own_cluster(3) as address, Client(address, set_as_default=False) as client:
        # where others keep the machine busy, a worker takes a minute to start again
        patient = Dask(client, patience=300.0)
        engine = Killing(patient, lambda: worker_pids(client), kills=10, seed=5)
        sweep(slow_draw, GRID, out=tmp_path / "killed", engine=engine)
    assert engine.killed == 10
    assert (tmp_path / "killed" / "slow_draw.parquet").read_bytes() == quiet_bytes(tmp_path)


def worker_pids(client):
    return [pid for pid in client.run(os.getpid, on_error="ignore").values() if pid]
