"""The desk bounds work: threads, queue, time, memory."""

import asyncio
import threading

import pytest

from soloc.lab.work.desk import Desk
from soloc.lab.work.limits import Busy, TooSlow


def test_a_full_queue_refuses_and_recovers():
    desk, gate = Desk(workers=1, waiting=1), threading.Event()
    taken = [desk.submit(gate.wait) for _ in range(2)]
    with pytest.raises(Busy, match="busy"):
        desk.submit(gate.wait)
    gate.set()
    for future in taken:
        future.result(5)
    assert desk.submit(lambda: 1).result(5) == 1
    desk.close()


def test_an_answer_that_takes_too_long_is_given_up():
    desk, gate = Desk(workers=1, seconds=0.05), threading.Event()
    with pytest.raises(TooSlow, match="longer than"):
        asyncio.run(desk.compute(gate.wait))
    gate.set()
    desk.close()


def test_remembered_answers_are_bounded(monkeypatch):
    monkeypatch.setattr("soloc.lab.work.desk._REMEMBERED", 1000)
    desk = Desk()
    for number in range(50):
        desk._remember(("/x", str(number), "json"), b"y" * 100)
    assert len(desk._answers) == 10 and desk._bytes == 1000
    desk.close()
