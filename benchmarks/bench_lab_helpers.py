"""The helper processes of the lab: what they hold, and what is felt when they are killed.

First every view is asked once, as a page that opens every tab does, all jobs are heard and an
example is fitted, and the memory of the server and of each helper is told (proportional set size:
what processes share counts once; bar 700 MB). Then five clients work, with every kind of question,
jobs and fits; each helper in turn gets kill -9, and for each kill the longest time that a question
took is told, and the second after which answers were as quick as before (bar 10 s): none took more
than 1.5 times the longest of its kind before the first kill.

    python benchmarks/bench_lab_helpers.py [--watch 12]
"""

import argparse
import json
import os
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import httpx
from bars import bar, results

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.lab.live import LiveLab, proportional
from tests.lab.reaper import descendants
from tests.lab.server.test_helpers_die import helpers, questions

_CLIENTS = 5
_QUESTIONS = (
    "landscape", "sequence", "paths", "critical", "heads", "attentions", "largest", "latent",
    "samples", "learner",
)  # fmt: skip
_JOBS = ("attentions", "latent", "samples")
_TABLE = {"bag": "bag", "label": "label", "name": "instance"}  # of the generated examples


def answered(client: httpx.Client, path: str, body: dict) -> httpx.Response:
    """An answer, asked for again while the lab is busy, as the page does."""
    while (answer := client.post(path, json=body)).status_code in (429, 503):
        time.sleep(float(answer.headers.get("retry-after", 0.2)))
    return answer


def finished(client: httpx.Client, job: str) -> str:
    """How a job ends."""
    last = ""
    with client.stream("GET", f"/api/jobs/{job}/events") as events:
        for line in events.iter_lines():
            last = line if line.startswith("data: ") else last
    return json.loads(last[6:])["kind"]


def job_of(client: httpx.Client, path: str, body: dict) -> str:
    """How the job ends that a question starts; the sentence where it does not start."""
    answer = answered(client, path, body)
    return finished(client, answer.json()["job"]) if answer.status_code == 200 else answer.text


def fit_of(client: httpx.Client, **how: Any) -> str:
    """How the fit of an example ends, which is uploaded, described, fitted, and looked at."""
    opened = answered(client, "/api/data/example", {"example": "numbers"}).json()
    if (described := finished(client, opened["job"])) != "done":
        return described
    data = {"data": opened["data"]}
    found = job_of(client, "/api/jobs/fit", {**data, **_TABLE, **how})
    for path in ("/api/data/study", "/api/data/bag"):
        if found == "done" and (answer := answered(client, path, data)).status_code != 200:
            return answer.text
    return found


def warm(client: httpx.Client) -> None:
    """Ask every view once, hear all jobs to their end, and fit an example."""
    for name in _QUESTIONS:
        assert answered(client, f"/api/{name}", {}).status_code == 200, name
    sentence = {"sentence": "The soup in this hotel was awful."}
    code = answered(client, "/api/sentence", sentence).status_code
    assert code in (200, 404)  # 404 without word vectors
    for name in _JOBS:
        assert job_of(client, f"/api/jobs/{name}", {}) == "done", name
    assert fit_of(client) == "done"
    time.sleep(2)  # what has ended is gone


def tell_memory(lab: LiveLab) -> None:
    """Print every process and the sum."""
    total = 0.0
    for pid in descendants(lab.process.pid):
        command = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
        name = next((part for part in command if "soloc" in part or "main" in part), command[0])
        held = proportional(pid) / 2**20
        total += held
        print(f"  {held:5.0f} MB  {name[:90]}")
    bar("memory of server and helpers, proportional", total, 700, "MB")


_NO_WORDS = ("sentence", 404)  # without word vectors
_ORDERS = ("job", "fit")


class Answer(NamedTuple):
    """What became of a question."""

    kind: str
    end: float
    seconds: float
    problem: str  #: empty when it was answered


class Work:
    """Five clients: three ask one kind of question after the other, one has jobs done, one fits."""

    def __init__(self, address: str) -> None:
        self.answers: list[Answer] = []
        self._enough = threading.Event()
        works = [partial(self._ask, number=number) for number in range(_CLIENTS - len(_ORDERS))]
        works += [partial(self._order, kind=kind) for kind in _ORDERS]
        self._threads = [threading.Thread(target=work, args=(address,)) for work in works]
        for thread in self._threads:
            thread.start()

    def _ask(self, address: str, number: int) -> None:
        with httpx.Client(base_url=address, timeout=120.0) as client:
            while not self._enough.is_set():
                number += _CLIENTS
                for kind, (path, body) in questions(number).items():
                    began = time.monotonic()
                    answer = answered(client, path, body)
                    good = answer.status_code == 200 or (kind, answer.status_code) == _NO_WORDS
                    self._note(kind, began, "" if good else answer.text[:200])

    def _order(self, address: str, kind: str) -> None:
        number = 0
        with httpx.Client(base_url=address, timeout=120.0) as client:
            while not self._enough.is_set():
                number += 1
                began = time.monotonic()
                if kind == "fit":
                    ended = fit_of(client, coverage=0.9 + 1e-6 * number)
                else:
                    task = {"setting": {"gamma": 0.6 + 1e-6 * number}}
                    ended = job_of(client, "/api/jobs/attentions", task)
                self._note(kind, began, "" if ended == "done" else ended[:200])

    def _note(self, kind: str, began: float, problem: str) -> None:
        now = time.monotonic()
        self.answers.append(Answer(kind, now, now - began, problem))

    def until(self, moment: float) -> list[Answer]:
        """Answers of questions up to a moment; jobs have no usual speed."""
        return [it for it in list(self.answers) if it.end < moment and it.kind not in _ORDERS]

    def end(self) -> None:
        self._enough.set()
        for thread in self._threads:
            thread.join(180)


def kill_each(lab: LiveLab, watch: float) -> tuple[float, list[Answer]]:
    """Seconds until answers are as quick as before, at worst, and what was not answered."""
    work = Work(lab.address)
    time.sleep(2 * watch)
    before = work.until(time.monotonic())
    usual = {kind: max(it.seconds for it in before if it.kind == kind) for kind in questions(0)}
    print(f"{len(before)} answers before; the longest of each kind, in seconds:")
    print("  " + ", ".join(f"{kind} {seconds:.2f}" for kind, seconds in usual.items()))
    worst = 0.0
    for name, victim in victims(lab):
        killed = time.monotonic()
        os.kill(victim, signal.SIGKILL)
        time.sleep(watch)
        after = [it for it in work.until(time.monotonic()) if it.end > killed]
        slow = [it.end - killed for it in after if it.seconds > 1.5 * usual[it.kind]]
        back = max(slow, default=0.0) if after else watch
        worst = max(worst, back)
        longest = max((it.seconds for it in after), default=watch)
        print(
            f"  killed {name}: {len(after)} answers, longest {longest:.2f} s,"
            f" usual after {back:.1f} s"
        )
    work.end()
    kinds = Counter(it.kind for it in work.answers)
    print("answered: " + ", ".join(f"{count} {kind}" for kind, count in kinds.items()))
    return worst, [it for it in work.answers if it.problem]


def victims(lab: LiveLab) -> Iterator[tuple[str, int]]:
    """Each helper in turn: whom others are forked from, the offices, and one that reads a file."""
    known = helpers(lab)
    for number, pid in enumerate(known):
        yield f"helper {number + 1} of {len(known)}", pid
    known = helpers(lab)
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if new := set(helpers(lab)) - set(known):
            yield "one that has just started, for a job or a file", new.pop()
            return
        time.sleep(0.02)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--watch", type=float, default=12.0, help="seconds after every kill")
    options = parser.parse_args()
    with LiveLab() as lab:
        lab.wait_until_prepared()
        with httpx.Client(base_url=lab.address, timeout=120.0) as client:
            warm(client)
        tell_memory(lab)
        worst, refused = kill_each(lab, options.watch)
        broken = [line for line in lab.said if "Traceback" in line]
    for each in refused[:5]:
        print(f"  not answered: {each.kind}: {each.problem}")
    bar("questions that no helper answered, and tracebacks", len(refused) + len(broken), 0)
    bar("as quick as before after a helper was killed, at worst", worst, 10, "s")
    return 0 if all(results) else 1


if __name__ == "__main__":
    raise SystemExit(main())
