"""The helper processes of the lab: what they hold, and what is felt when they are killed.

First every view is asked once, as a page that opens every tab does, and the memory of the server
and of each helper is told (proportional set size: what processes share counts once; bar 700 MB).
Then five clients work, each helper in turn gets kill -9, and for each kill the longest time that a
question took is told, and the second after which answers were as quick as before (bar 10 s).

    python benchmarks/bench_lab_helpers.py [--watch 12]
"""

import argparse
import os
import signal
import statistics
import sys
import threading
import time
from pathlib import Path

import httpx

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.lab.live import LiveLab, proportional
from tests.lab.reaper import descendants
from tests.lab.server.test_helpers_die import helpers

_BAR = 700  # MB
_CLIENTS = 5
_QUESTIONS = (
    "landscape", "sequence", "paths", "critical", "attentions", "largest", "latent", "samples",
    "learner",
)  # fmt: skip
_JOBS = ("attentions", "latent")


def answered(client: httpx.Client, path: str, body: dict) -> int:
    """The status of an answer, asked for again while the lab is busy, as the page does."""
    while (answer := client.post(path, json=body)).status_code in (429, 503):
        time.sleep(float(answer.headers.get("retry-after", 0.2)))
    return answer.status_code


def warm(client: httpx.Client) -> None:
    """Ask every view once, and hear both jobs to their end."""
    for name in _QUESTIONS:
        assert answered(client, f"/api/{name}", {}) == 200, name
    sentence = {"sentence": "The soup in this hotel was awful."}
    assert answered(client, "/api/sentence", sentence) in (200, 404)  # 404 without word vectors
    for name in _JOBS:
        job = client.post(f"/api/jobs/{name}", json={}).json()["job"]
        with client.stream("GET", f"/api/jobs/{job}/events") as events:
            for _ in events.iter_lines():
                pass


def tell_memory(lab: LiveLab) -> float:
    """Print every process, and return the sum in MB."""
    total = 0.0
    for pid in descendants(lab.process.pid):
        command = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
        name = next((part for part in command if "soloc" in part or "main" in part), command[0])
        held = proportional(pid) / 2**20
        total += held
        print(f"  {held:5.0f} MB  {name[:90]}")
    print(f"memory of server and helpers, proportional: {total:.0f} MB (bar {_BAR})")
    return total


class Work:
    """Five clients that ask what nobody has asked before; (end, seconds, status) of each answer."""

    def __init__(self, address: str) -> None:
        self.answers: list[tuple[float, float, int]] = []
        self._enough = threading.Event()
        self._threads = [
            threading.Thread(target=self._ask, args=(address, client)) for client in range(_CLIENTS)
        ]
        for thread in self._threads:
            thread.start()

    def _ask(self, address: str, number: int) -> None:
        with httpx.Client(base_url=address, timeout=120.0) as client:
            while not self._enough.is_set():
                number += _CLIENTS
                body = {"setting": {"lam": 0.1 + 1e-6 * number}, "training": {"steps": 200}}
                began = time.monotonic()
                code = answered(client, "/api/paths", body)
                now = time.monotonic()
                self.answers.append((now, now - began, code))

    def since(self, moment: float) -> list[tuple[float, float, int]]:
        """Answers that came after a moment."""
        return [answer for answer in list(self.answers) if answer[0] >= moment]

    def end(self) -> None:
        self._enough.set()
        for thread in self._threads:
            thread.join(180)


def kill_each(lab: LiveLab, watch: float) -> tuple[float, list[int]]:
    """Seconds until answers are as quick as before, at worst, and all codes that are not 200."""
    work = Work(lab.address)
    time.sleep(watch)
    before = [seconds for _, seconds, _ in work.answers]
    usual = sorted(before)[int(0.95 * len(before))]
    print(
        f"{len(before)} answers before: median {statistics.median(before):.2f} s, 95 % {usual:.2f}"
    )
    worst = 0.0
    for pid in helpers(lab):
        killed = time.monotonic()
        os.kill(pid, signal.SIGKILL)
        time.sleep(watch)
        after = work.since(killed)
        slow = [end - killed for end, seconds, _ in after if seconds > 1.5 * usual]
        back = max(slow, default=0.0)
        worst = max(worst, back)
        longest = max((seconds for _, seconds, _ in after), default=float("inf"))
        print(
            f"  killed {pid}: {len(after)} answers, longest {longest:.2f} s, usual after {back:.1f}"
        )
    work.end()
    return worst, [code for _, _, code in work.answers if code != 200]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--watch", type=float, default=12.0, help="seconds after every kill")
    options = parser.parse_args()
    with LiveLab() as lab:
        lab.wait_until_prepared()
        with httpx.Client(base_url=lab.address, timeout=120.0) as client:
            warm(client)
        memory = tell_memory(lab)
        worst, refused = kill_each(lab, options.watch)
        broken = [line for line in lab.said if "Traceback" in line]
    print(f"unanswered {len(refused)}, as quick as before after {worst:.1f} s at worst (bar 10 s)")
    print(f"tracebacks: {len(broken)}")
    return int(bool(refused) or bool(broken) or worst > 10.0 or memory > _BAR)


if __name__ == "__main__":
    raise SystemExit(main())
