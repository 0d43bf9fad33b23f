"""The back office: work in a process of its own, which ends with the server and can be lost."""

import os
import signal
import subprocess
import sys
import time

import pytest

from soloc.lab.work.jobs import Job, Stopped
from soloc.lab.work.office import Lost, Office

_SERVER = """
import os, time
from soloc.lab.work.office import Office
if __name__ == "__main__":
    office = Office()
    office.open(os.getpid)
    print(office.submit(os.getpid).result(), flush=True)
    time.sleep(60)
"""


@pytest.fixture(scope="module")
def office():
    office = Office()
    office.open(os.getpid)
    yield office
    office.close()


def ended(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    with open(f"/proc/{pid}/stat") as stat:
        return stat.read().rsplit(")", 1)[1].split()[0] == "Z"


def wait_until(true, seconds: float = 20.0) -> None:
    until = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_work_goes_to_another_process_and_errors_come_back(office):
    assert office.is_open and office.submit(os.getpid).result(20) != os.getpid()
    with pytest.raises(ValueError, match="invalid literal"):
        office.submit(int, "x").result(20)


class Unspeakable(ValueError):
    """An error that pickle cannot restore."""

    def __init__(self, sentence: str, number: int) -> None:
        super().__init__(sentence)


def unspeakable() -> None:
    raise Unspeakable("`x` must be small.", 3)


def test_an_error_that_cannot_travel_arrives_as_its_sentence(office):
    with pytest.raises(ValueError, match="`x` must be small."):
        office.submit(unspeakable).result(20)
    assert office.is_open and office.submit(divmod, 7, 2).result(20) == (3, 1)


def test_what_cannot_be_sent_is_an_error_and_breaks_nothing(office):
    assert office.submit(lambda: 1).exception(20) is not None
    assert office.is_open and office.submit(divmod, 7, 2).result(20) == (3, 1)


def test_before_it_opens_the_same_work_is_done_here():
    office = Office()
    assert not office.is_open and office.submit(os.getpid).result(5) == os.getpid()
    office.close()


def test_a_job_gets_its_result_and_stops_waiting_when_it_is_cancelled(office):
    job = Job(60.0, office)
    assert job.elsewhere(divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        job.elsewhere(divmod, 7, 0)
    job.cancel()
    began = time.monotonic()
    with pytest.raises(Stopped):
        job.elsewhere(time.sleep, 2.0)
    assert time.monotonic() - began < 1.5


def test_a_dead_office_is_replaced_by_threads(caplog):
    office = Office()
    office.open(os.getpid)
    there = office.submit(os.getpid).result(20)
    lost = office.submit(time.sleep, 30.0)
    os.kill(there, signal.SIGKILL)
    assert isinstance(lost.exception(20), Lost)
    assert office.submit(os.getpid).result(20) == os.getpid() and not office.is_open
    assert "has died" in caplog.text
    office.close()


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_the_office_ends_when_the_server_is_killed(tmp_path):
    script = tmp_path / "server.py"
    script.write_text(_SERVER)
    server = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    pid = int(server.stdout.readline())
    assert not ended(pid)
    server.kill()
    server.wait()
    server.stdout.close()
    wait_until(lambda: ended(pid))
