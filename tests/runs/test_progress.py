"""What a person is told while cells are computed."""

import io

from soloc.runs import progress as module
from soloc.runs.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Notebook(io.StringIO):
    __module__ = "ipykernel.iostream"


def shown(monkeypatch, stream, seconds, total=100.0, finished=()):
    now = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    progress = Progress(total, 2, 4, stream)
    for expected, spent in finished:
        now[0] += spent
        progress.finished(expected, spent, "toy")
    now[0] += seconds
    progress.show()
    return stream.getvalue()


def test_the_rest_is_scaled_by_how_the_finished_part_turned_out(monkeypatch):
    # 25 of 100 expected seconds took 50: 75 are left at twice the pace, on two workers
    said = shown(monkeypatch, io.StringIO(), 31.0, finished=[(25.0, 50.0)])
    assert said == "  1 of 4 cells, 0:44 left\n"


def test_work_that_takes_longer_than_foreseen_is_not_called_finished(monkeypatch):
    assert shown(monkeypatch, io.StringIO(), 500.0) == "  0 of 4 cells, longer than foreseen\n"
    assert " 99%  longer than foreseen  0/4" in shown(monkeypatch, Terminal(), 500.0)


def test_nothing_is_said_before_there_is_something_to_say(monkeypatch):
    assert shown(monkeypatch, io.StringIO(), 29.0) == ""
    assert "0:49 left" in shown(monkeypatch, Terminal(), 1.0)


def test_a_notebook_has_the_bar_and_takes_it_back_without_commands_of_terminals(monkeypatch):
    stream = Notebook()
    said = shown(monkeypatch, stream, 1.0)
    assert "0:49 left" in said and said.startswith("\r ") and "\x1b" not in said
    Progress(1.0, 1, 1, stream).close()
    assert stream.getvalue().endswith(" \r")
