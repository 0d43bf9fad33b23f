"""Training in the lab is the library's training: paths, critical points, and the Python lines that
repeat them.
"""

from dataclasses import replace

import numpy as np
import pytest

from soloc import Erf, Overlaps, SingleLocation, population_path, population_risk
from soloc.dynamics.landscape import landscape
from soloc.experiments.training.paths import PAPER


def test_paths_are_those_of_population_path(client):
    training = {
        "steps": 600,
        "starts": [{"kappa": 0.1, "nu": -0.2}, {"kappa": 0.3, "nu": 0.1, "eta": 0.2}],
    }
    answer = client.post(
        "/api/paths", json={"setting": {"d": 60, "lam": 0.2}, "training": training}
    ).json()
    start = Overlaps(np.array([0.1, 0.3]), np.array([-0.2, 0.1]), 0.0, np.array([0.0, 0.2]), 0.0)
    path = population_path(
        SingleLocation(d=60, L=10), Erf(0.2), start, steps=600, step_size=4e-3, every=1
    )
    expected = replace(path, bayes=None).thinned(120).table()
    for name in ("run", "step", "kappa", "nu", "theta", "eta", "rho", "risk", "distance", "lam"):
        np.testing.assert_allclose(
            answer["table"][name], expected[name], rtol=1e-8, atol=1e-9, err_msg=name
        )
    assert answer["overlays"]["landscape"][0]["x"][0] == 0.1


def test_the_python_lines_of_the_paths_repeat_them(client):
    ask = {"training": {"steps": 240, "runs": 3, "where": "sphere", "seed": 5, "decay": 1e-3}}
    answer = client.post("/api/paths", json=ask).json()
    *lines, last = answer["python"].splitlines()
    assert last == "path.table()"
    table = replace(run_lines("\n".join([*lines, "path"])), bayes=None).table()
    np.testing.assert_allclose(answer["table"]["kappa"], table["kappa"], rtol=1e-8)
    np.testing.assert_allclose(answer["table"]["lam"], table["lam"], rtol=1e-9)


@pytest.mark.parametrize(
    "ask", [{}, {"theta": 0.3, "eta": -0.2, "rho": 0.1}], ids=["manifold", "off"]
)
def test_the_python_lines_of_the_landscape_repeat_it(client, ask):
    lines = client.post("/api/landscape", json=ask).json()["python"]
    table = client.post(
        "/api/landscape", json=ask, headers={"Accept": "text/csv"}
    ).text.splitlines()[1:]
    shown = [float(row.split(",")[2]) for row in table if not row.endswith(",")]
    names: dict = {}
    exec(lines, names)
    np.testing.assert_allclose(
        np.sort(shown), np.sort(np.asarray(names["risk"]).ravel()), rtol=1e-11
    )


def test_critical_points_are_those_of_the_library(client):
    answer = client.post("/api/critical", json={}).json()
    found = landscape(SingleLocation(), Erf(0.1), starts=24)
    assert answer["numbers"]["minima"] == int((found.kind == "minimum").sum())
    lowest = float(population_risk(SingleLocation(), Erf(0.1), Overlaps(1, 1)))
    assert answer["numbers"]["lowest risk"] == pytest.approx(lowest, rel=1e-9)
    marked = {trace["name"]: len(trace["x"]) for trace in answer["overlays"]["landscape"]}
    assert marked == found.kind.value_counts().to_dict()


def test_every_experiment_of_the_paper_has_a_preset(client):
    views = {view["name"]: view for view in client.get("/api/about").json()["views"]}
    facts = views["curves"]["facts"]
    presets = {preset["name"]: preset["values"] for preset in facts["presets"]}
    assert set(presets) >= set(PAPER)
    for name, config in PAPER.items():
        assert [presets[name][key] for key in ("lam", "steps", "batch")] == [
            config.lam,
            config.steps,
            config.batch,
        ]


def test_a_step_size_that_diverges_is_refused_in_a_sentence(client):
    answer = client.post("/api/paths", json={"training": {"step_size": 1.0, "where": "sphere"}})
    assert answer.status_code == 422
    assert "diverged" in answer.json()["detail"] and "step_size" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("path", "ask", "said"),
    [
        ("paths", {"setting": {"weight": "tanh"}}, "start a job"),
        ("paths", {"training": {"batch": 5}}, "start a job"),
        ("paths", {"training": {"starts": [{"kappa": 0, "nu": 0}] * 9}}, "at most 8"),
        ("jobs/paths", {"setting": {"weight": "softmax"}}, "`batch`"),
        ("jobs/paths", {"setting": {"L": 10**9}, "training": {"batch": 1}}, "at most"),
        ("jobs/paths", {"setting": {"weight": "relu"}, "training": {"steps": 200_000}}, "`steps`"),
        ("critical", {"setting": {"weight": "relu"}}, "`weight`"),
    ],
)
def test_work_that_would_take_too_long_is_refused(client, path, ask, said):
    answer = client.post(f"/api/{path}", json=ask)
    assert answer.status_code == 422 and said in answer.json()["detail"], answer.json()


def run_lines(lines: str):
    """The value of the last of some Python lines."""
    *before, last = lines.splitlines()
    names: dict = {}
    exec("\n".join(before), names)
    return eval(last, names)
