"""Jobs stream what they find, end in time, can be cancelled, are bounded and forgotten."""

import json
import time

import pytest

pytest.importorskip("fastapi")
from fastapi import FastAPI, Request
from fastapi.testclient import TestClient

from soloc.lab.server.job_routes import Started, jobs_of, router, start_job
from soloc.lab.work import jobs as room
from soloc.lab.work.jobs import Jobs
from soloc.lab.work.limits import Busy


def events(text: str) -> list[dict]:
    return [
        json.loads(line[len("data: ") :]) for line in text.splitlines() if line.startswith("data: ")
    ]


def wait_for_end(job, seconds=10.0):
    until = time.monotonic() + seconds
    while job.ended is None:
        assert time.monotonic() < until, "the job did not end"
        time.sleep(0.005)


@pytest.fixture
def client():
    app = FastAPI()
    app.state.jobs = Jobs()
    app.include_router(router)

    @app.post("/api/jobs/count")
    async def count(n: int, request: Request) -> Started:
        def work(job):
            for i in range(n):
                job.report(i=i)
            return {"total": n}

        return start_job(await jobs_of(request), work)

    with TestClient(app, base_url="http://127.0.0.1") as client:
        yield client


def forever(job):
    while True:
        job.report(at=time.monotonic())
        time.sleep(0.01)


def test_a_job_streams_its_reports_in_order_and_then_its_answer(client):
    job = client.post("/api/jobs/count", params={"n": 3}).json()["job"]
    said = events(client.get(f"/api/jobs/{job}/events").text)
    assert [e.get("i") for e in said] == [0, 1, 2, None] and said[-1] == {
        "kind": "done",
        "total": 3,
    }


def test_a_listener_that_comes_back_continues_where_it_was(client):
    job = client.post("/api/jobs/count", params={"n": 3}).json()["job"]
    said = events(client.get(f"/api/jobs/{job}/events", headers={"Last-Event-ID": "1"}).text)
    assert [e.get("i") for e in said] == [2, None]


def test_an_unknown_job_is_404_with_a_sentence(client):
    for answer in (client.get("/api/jobs/no/events"), client.delete("/api/jobs/no")):
        assert answer.status_code == 404 and "no such job" in answer.json()["detail"]


def test_a_cancelled_job_stops_and_says_so():
    jobs = Jobs()
    job = jobs.start(forever)
    job.cancel()
    wait_for_end(job)
    assert job.state == "cancelled" and json.loads(job.events[-1])["kind"] == "cancelled"


def test_a_job_stops_when_its_time_is_over():
    job = Jobs().start(forever, seconds=0.05)
    wait_for_end(job)
    assert job.state == "failed" and "0.05 seconds" in job.events[-1]


def test_a_job_that_nobody_hears_stops(monkeypatch):
    monkeypatch.setattr(room, "UNHEARD", 0.05)
    job = Jobs().start(forever)
    wait_for_end(job)
    assert job.state == "failed" and "nobody" in job.events[-1]


def test_errors_become_sentences_never_tracebacks(caplog):
    def refuses(job):
        raise ValueError("`x` must be positive, got -1.")

    def breaks(job):
        raise ZeroDivisionError("secret detail")

    for work, sentence in ((refuses, "`x` must be positive, got -1."), (breaks, "nobody foresaw")):
        job = Jobs().start(work)
        wait_for_end(job)
        assert sentence in job.events[-1] and "secret" not in job.events[-1]


def test_an_answer_that_is_not_finite_is_refused_in_a_sentence(caplog):
    job = Jobs().start(lambda job: {"number": float("nan")})
    wait_for_end(job)
    assert job.state == "failed" and "not finite" in job.events[-1]


def test_jobs_are_bounded_in_number_and_forgotten_after_their_end(monkeypatch):
    monkeypatch.setattr(room, "LIVE", 3)
    jobs = Jobs()
    live = [jobs.start(forever) for _ in range(3)]
    with pytest.raises(Busy):
        jobs.start(forever)
    jobs.close()
    for job in live:
        wait_for_end(job)
    assert jobs.get(live[0].id) is live[0]
    monkeypatch.setattr(room, "KEPT", 0.0)
    assert jobs.get(live[0].id) is None


def test_a_job_may_only_say_so_much(monkeypatch):
    monkeypatch.setattr(room, "MOST_EVENTS", 5)
    job = Jobs().start(forever)
    wait_for_end(job)
    assert job.state == "failed" and len(job.events) == 6


def test_a_full_lane_lets_jobs_wait_their_turn():
    jobs = Jobs()
    running = [jobs.start(forever) for _ in range(room.LANES["compute"])]
    waiting = jobs.start(lambda job: {})
    other = jobs.start(lambda job: {}, lane="fit")
    wait_for_end(other)
    assert waiting.state == "waiting"
    for job in running:
        job.cancel()
    wait_for_end(waiting)
    assert waiting.state == "done"
