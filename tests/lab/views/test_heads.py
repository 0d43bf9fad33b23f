"""Several heads: risks of known states, runs of the job, and what cannot be asked."""

import json

import numpy as np
import pytest

from soloc import Erf, Heads, SeveralLocations, population_risk
from soloc.experiments.heads.codes import CODE, TRUTH, state_of
from soloc.lab.presets import presets
from soloc.lab.views.heads import HeadsAsk, heads_panel

SHORT = {"training": {"steps": 60, "runs": 2}, "heads": 2, "kinds": 2}


def run_job(client, body):
    job = client.post("/api/jobs/heads", json=body).json()["job"]
    with client.stream("GET", f"/api/jobs/{job}/events") as stream:
        said = [json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: ")]
    assert said[-1]["kind"] == "done", said[-1]
    return said[-1]["panel"]


def test_known_states_have_their_exact_risk():
    panel = heads_panel(HeadsAsk(heads=2, kinds=2))
    task, heads = SeveralLocations(d=400, L=10, kinds=2), Heads((Erf(0.1),) * 2)
    for name in (TRUTH, CODE):
        assert panel.numbers[name] == float(population_risk(task, heads, state_of(name, 2, 2)))
    assert panel.numbers["null"] == pytest.approx(1.0)
    assert not panel.table


@pytest.mark.parametrize("batch", [0, 2])
def test_the_job_brings_the_runs_of_its_python_lines(client, batch):
    body = {**SHORT, "training": {**SHORT["training"], "batch": batch, "decay": 0.01}}
    panel = run_job(client, body)
    made: dict = {}
    exec(panel["python"], made)
    expected = made["path"].table()
    for name in ("run", "step", "risk", "kappa_12", "nu_21"):
        np.testing.assert_allclose(panel["table"][name], expected[name], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(panel["table"]["lam"], 0.1 * expected.lam)
    assert panel["numbers"]["median risk"] == pytest.approx(made["path"].risk[-1].mean())
    assert "in 0 of 2 runs every kind has a head of its own" in panel["sentence"]


def test_more_heads_than_kinds_are_compared_with_nothing(client):
    panel = client.post("/api/heads", json={"heads": 2, "kinds": 1}).json()
    assert set(panel["numbers"]) == {"null"}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"setting": {"weight": "softmax"}}, "`weight` must be erf"),
        ({"training": {"starts": [{"kappa": 0.1}]}}, "`starts` must be empty"),
        ({"training": {"batch": 64, "steps": 200_000}}, "must be at most 100,000,000"),
        ({"setting": {"L": 1}, "kinds": 2}, "`L`"),
        ({"setting": {"d": 4}, "kinds": 3}, "`d`"),
    ],
)
def test_what_cannot_be_is_a_sentence(client, body, words):
    answer = client.post("/api/heads", json={"heads": 2, **body})
    assert answer.status_code == 422 and words in answer.json()["detail"], answer.text


def test_the_preset_is_the_experiment_with_two_heads():
    values = {preset["name"]: preset["values"] for preset in presets()}
    assert (values["heads_share"]["heads"], values["heads_share"]["kinds"]) == (2, 2)
    assert all(v["heads"] == 1 for name, v in values.items() if name != "heads_share")
