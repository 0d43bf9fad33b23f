"""The back office: work in a process of its own, which ends with the server and can be lost."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from soloc.lab.work.jobs import Job, Stopped
from soloc.lab.work.limits import TooLong
from soloc.lab.work.office import Abandoned, Lost, Office

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
    assert isinstance(office.submit(id, threading.Lock()).exception(20), TypeError)
    bound = office.submit(threading.Lock().acquire).exception(20)
    assert isinstance(bound, TypeError) and "can be sent to another process" in str(bound)
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
    with pytest.raises(Stopped):
        job.elsewhere(time.sleep, 600.0)
    assert office.submit(divmod, 7, 2).result(60) == (3, 1)


def killed_once(folder: str) -> int:
    """Dies the first time; the second time it says which process it is."""
    marker = os.path.join(folder, "died")
    if not os.path.exists(marker):
        open(marker, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return os.getpid()


def killed_always() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_process_that_dies_is_replaced_and_the_question_asked_again(caplog, tmp_path):
    office = Office()
    office.open(os.getpid)
    first = office.submit(os.getpid).result(20)
    second = office.submit(killed_once, str(tmp_path)).result(60)
    assert second not in (first, os.getpid()) and office.is_open
    assert "another takes its place" in caplog.text
    office.close()


def test_a_question_that_kills_twice_is_given_up_and_the_office_stays(caplog):
    office = Office()
    office.open(os.getpid)
    assert isinstance(office.submit(killed_always).exception(60), Lost)
    assert office.is_open and office.submit(os.getpid).result(60) != os.getpid()
    office.close()


def test_an_idle_process_that_is_killed_is_replaced(office):
    there = office.submit(os.getpid).result(20)
    os.kill(there, signal.SIGKILL)
    wait_until(lambda: ended(there))
    assert office.submit(os.getpid).result(60) not in (there, os.getpid())


def test_abandoned_work_frees_its_process_at_once(office):
    there = office.submit(os.getpid).result(20)
    long = office.submit(time.sleep, 600.0)
    wait_until(long.running)
    long.abandon()
    assert office.submit(os.getpid).result(60) not in (there, os.getpid())
    assert isinstance(long.exception(5), Abandoned) and ended(there)


def spin() -> None:
    while True:
        pass


def test_what_counts_is_computing_not_waiting(office):
    assert office.submit(time.sleep, 0.6, seconds=0.3).exception(20) is None
    error = office.submit(spin, seconds=0.3).exception(60)
    assert isinstance(error, TooLong) and "more than 0.3 s" in str(error)
    assert office.is_open


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


_TOLD: list[str] = []


def tell(word: str) -> None:
    _TOLD.append(word)


def told() -> tuple[int, list[str]]:
    return os.getpid(), _TOLD


def test_what_one_process_has_prepared_its_successor_inherits():
    office = Office()
    office.open("prepared".upper, tell)
    pid, words = office.submit(told).result(20)
    assert words == []  # it has prepared that itself
    os.kill(pid, signal.SIGKILL)
    successor, words = office.submit(told).result(20)
    assert successor != pid and words == ["PREPARED"]
    office.close()


def test_a_process_that_has_worked_leaves_with_its_memory_when_nothing_waits():
    office = Office()
    office.renew()
    assert not office.is_open  # where work is done by threads, nobody is hired
    office.hire()
    first = office.submit(os.getpid).result(20)
    wait_until(lambda: not office._places[0].locked())
    office.renew()
    assert office.is_open and office.submit(os.getpid).result(20) != first
    wait_until(lambda: ended(first))
    office.close()
