"""Every helper process is killed in turn while five clients work: every question is answered."""

import os
import signal
import sys
import threading
import time
from pathlib import Path

import httpx
import pytest

from soloc.text.extras import missing
from tests.lab.live import LiveLab
from tests.lab.reaper import descendants

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
_CLIENTS = 5


def helpers(lab: LiveLab) -> list[int]:
    """Processes below the server that do its work; those that only watch over them are spared."""
    below = descendants(lab.process.pid)[1:]
    names = {pid: Path(f"/proc/{pid}/cmdline").read_text() for pid in below}
    return [pid for pid, name in names.items() if "resource_tracker" not in name]


def questions(number: int) -> dict[str, tuple[str, dict]]:
    """Every kind of question, none of which anybody has asked before."""
    setting = {"lam": 0.1 + 1e-6 * number}
    task = {"gamma": 0.5 + 1e-6 * number}
    return {
        "landscape": ("/api/landscape", {"setting": setting}),
        "sequence": ("/api/sequence", {"setting": setting}),
        "paths": ("/api/paths", {"setting": setting, "training": {"steps": 200}}),
        "critical": ("/api/critical", {"setting": setting}),
        "slow landscape": ("/api/landscape", {"setting": setting | {"weight": "softmax"}}),
        "attentions": ("/api/attentions", {"setting": task}),
        "latent": ("/api/latent", {"sigma": task["gamma"]}),
        "sentence": ("/api/sentence", {"sentence": f"The soup in hotel {number} was awful."}),
    }


def ask(address: str, number: int) -> int:
    """A question of one kind or another, as the page asks it: again while busy."""
    asked = [*questions(number).values()]
    path, body = asked[number % len(asked)]
    with httpx.Client(base_url=address, timeout=60.0) as client:
        while (answer := client.post(path, json=body)).status_code in (429, 503):
            time.sleep(0.2)
        return 200 if path == "/api/sentence" and missing("text") else answer.status_code


@pytest.mark.slow
def test_every_question_is_answered_while_helpers_are_killed():
    with LiveLab() as lab:
        lab.wait_until_prepared()
        assert ask(lab.address, 0) == 200
        codes: list[int] = []
        enough = threading.Event()

        def work(client: int) -> None:
            number = 0
            while not enough.is_set():
                number += 1
                codes.append(ask(lab.address, 1000 * client + number))

        clients = [threading.Thread(target=work, args=(client,)) for client in range(_CLIENTS)]
        for client in clients:
            client.start()
        victims = helpers(lab)
        assert len(victims) >= 3  # whom processes are forked from, and the two offices
        for pid in victims:
            done = len(codes)
            os.kill(pid, signal.SIGKILL)
            until = time.monotonic() + 120
            while len(codes) < done + _CLIENTS + 1:  # a question that came after it
                assert time.monotonic() < until, "nobody answers any more"
                time.sleep(0.01)
        enough.set()
        for client in clients:
            client.join(120)
        assert set(codes) == {200} and lab.process.poll() is None
        assert ask(lab.address, 999_999) == 200
        assert not any("Traceback" in line for line in lab.said), "".join(lab.said)
