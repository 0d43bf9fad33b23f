"""The desk bounds work: threads, queue, time, memory."""

import asyncio
import threading

import pytest

from soloc.lab.work.desk import Desk
from soloc.lab.work.limits import Busy, StillComputing


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


def test_quick_questions_have_places_of_their_own():
    desk, gate = Desk(workers=1, waiting=1), threading.Event()
    slow = [desk.submit(gate.wait, slow=True) for _ in range(2)]
    with pytest.raises(Busy):
        desk.submit(gate.wait, slow=True)
    assert desk.submit(lambda: 1).result(5) == 1
    gate.set()
    for future in slow:
        future.result(5)
    desk.close()


def test_an_answer_that_takes_long_is_found_when_it_is_asked_for_again():
    desk, gate, calls = Desk(workers=1, patience=0.05), threading.Event(), []

    def work() -> bytes:
        calls.append(1)
        gate.wait()
        return b"late"

    async def ask() -> bytes:
        key = ("/x", "{}", "json")
        with pytest.raises(StillComputing, match="ask again"):
            await desk.computed(key, work)
        with pytest.raises(StillComputing):
            await desk.computed(key, work)
        gate.set()
        return await desk.computed(key, work)

    assert asyncio.run(ask()) == b"late" and len(calls) == 1
    assert list(desk._answers.values()) == [b"late"]
    desk.close()


def test_remembered_answers_are_bounded(monkeypatch):
    monkeypatch.setattr("soloc.lab.work.desk._REMEMBERED", 1000)
    desk = Desk()
    for number in range(50):
        desk._remember(("/x", str(number), "json"), b"y" * 100)
    assert len(desk._answers) == 10 and desk._bytes == 1000
    desk.close()
