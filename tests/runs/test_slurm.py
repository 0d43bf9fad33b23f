"""The example for SLURM against a real slurmctld and slurmd on this machine, whose node fails."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from soloc import sweep

ROOT = Path(__file__).resolve().parents[2]
CONF = """
ClusterName=soloc
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmctldPort={ctld}
SlurmdPort={slurmd}
AuthType=auth/none
CredType=cred/none
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SlurmdTimeout=10
KillWait=5
SchedulerParameters=sched_interval=1
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 RealMemory=8000 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not all(map(shutil.which, ("slurmctld", "slurmd", "sbatch"))) or os.geteuid() != 0,
        reason="needs SLURM (apt-get install slurm-wlm) and root",
    ),
]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(true, seconds, what):
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, what
        time.sleep(0.5)


class Slurm:
    """A controller and one node."""

    def __init__(self, folder):
        self.conf = folder / "slurm.conf"
        for name in ("state", "spool"):
            (folder / name).mkdir()
        host = socket.gethostname().split(".")[0]
        self.conf.write_text(
            CONF.format(host=host, folder=folder, ctld=free_port(), slurmd=free_port())
        )
        paths = os.pathsep.join(path for path in sys.path if path)
        self.environment = {**os.environ, "SLURM_CONF": str(self.conf), "PYTHONPATH": paths}
        self.controller = self.start("slurmctld")
        self.node = self.start("slurmd")
        wait_until(lambda: "idle" in self.ask("sinfo", "-h", "-o", "%T"), 60, "no node is idle")

    def start(self, program):
        return subprocess.Popen(
            [program, "-D"],
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def ask(self, *command):
        return subprocess.run(
            command, env=self.environment, capture_output=True, text=True, check=False
        ).stdout

    def running(self):
        return self.ask("squeue", "-h", "-t", "R", "-o", "%A").split()

    def fail_node(self):
        """Kill the node's daemon and all that its jobs have started, at once; then reboot it."""
        victims = [self.node.pid]
        for job in self.running():
            listed = self.ask("scontrol", "listpids", job).splitlines()[1:]
            victims += [int(line.split()[0]) for line in listed]
        for victim in victims:
            try:
                os.kill(victim, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.node.wait()
        self.node = self.start("slurmd")

    def close(self):
        self.ask("scancel", "-u", "root")
        time.sleep(2)
        for process in (self.node, self.controller):
            process.terminate()
            process.wait(timeout=30)


@pytest.fixture
def slurm(tmp_path):
    slurm = Slurm(tmp_path)
    yield slurm
    slurm.close()


def test_the_example_runs_and_survives_a_node_that_is_killed_with_its_jobs(slurm, tmp_path):
    out = tmp_path / "out"
    example = subprocess.Popen(
        [sys.executable, str(ROOT / "examples" / "slurm_sweep.py"), str(out)],
        env=slurm.environment,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_until(lambda: [*out.glob("cache/success/*.parquet")], 300, "nothing is computed")
        slurm.fail_node()
        said, errors = example.communicate(timeout=600)
    finally:
        example.kill()
    assert example.returncode == 0, errors
    sys.path.insert(0, str(ROOT / "examples"))
    try:
        from slurm_sweep import GRID, success
    finally:
        sys.path.pop(0)
    expected = sweep(success, GRID, out=tmp_path / "here", jobs=2)
    pd.testing.assert_frame_equal(pd.read_parquet(out / "success.parquet"), expected)
    assert "share" in said
