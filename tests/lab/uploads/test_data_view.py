"""Your data: from the file to predictions, through the worker process and back, and nothing is
kept.
"""

import io
import json
import time
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold, cross_val_predict

from soloc.estimators import Bags, SingleLocationRegressor
from soloc.estimators.boosting import statistics
from soloc.estimators.study import _doubts, study
from soloc.lab.uploads import process, sessions
from soloc.lab.uploads.examples import example_csv
from soloc.lab.uploads.process import Workers
from soloc.lab.uploads.sessions import Tables
from soloc.lab.uploads.worker import answer
from soloc.lab.work import jobs
from soloc.lab.work.jobs import Job, Stopped
from soloc.lab.work.office import Office

pytestmark = pytest.mark.xdist_group("data")
FEATURES = [f"x{i + 1}" for i in range(6)]
COLUMNS = {"bag": "bag", "label": "label", "name": "instance"}


def heard(client, job: str) -> list[dict]:
    with client.stream("GET", f"/api/jobs/{job}/events") as stream:
        return [json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: ")]


def uploaded(client, content: bytes, name: str = "t.csv") -> tuple[str, dict]:
    answer = client.post("/api/data", params={"name": name}, content=content)
    assert answer.status_code == 200, answer.text
    return answer.json()["data"], heard(client, answer.json()["job"])[-1]


@pytest.fixture(scope="module")
def small() -> pd.DataFrame:
    table = pd.read_csv(io.BytesIO(example_csv("numbers")))
    return table[table.bag.isin(table.bag.unique()[:60])]


@pytest.fixture(scope="module")
def fitted(client, small):
    data, described = uploaded(client, small.to_csv(index=False).encode())
    assert described["kind"] == "done" and described["guess"]["bag"] == "bag", described
    job = client.post("/api/jobs/fit", json={"data": data, **COLUMNS, "loss": "likelihood"}).json()[
        "job"
    ]
    events = heard(client, job)
    assert events[-1] == {"kind": "done", "bags": 60}, events[-1]
    assert any("part 2 of 5" in event.get("stage", "") for event in events) and any(
        "iteration" in e.get("stage", "") for e in events
    )
    return data


def test_scores_and_predictions_are_those_of_scikit_learn_on_the_same_parts(client, fitted, small):
    panel = client.post("/api/data/study", json={"data": fitted}).json()
    bags = Bags.from_frame(small, "bag", label="label", name="instance")
    parts = KFold(5, shuffle=True, random_state=0)
    left_out = cross_val_predict(
        SingleLocationRegressor(loss="likelihood"), bags, bags.labels, cv=parts
    )
    np.testing.assert_allclose(
        panel["table"]["left_out_prediction"], left_out, rtol=1e-6, atol=1e-8
    )
    r2 = 1 - np.sum((bags.labels - left_out) ** 2) / np.sum((bags.labels - bags.labels.mean()) ** 2)
    assert panel["numbers"]["left-out R²"] == pytest.approx(r2, rel=1e-6)
    assert panel["numbers"]["left-out R²"] > panel["numbers"]["mean-pool ridge R²"] + 0.3
    model = SingleLocationRegressor(loss="likelihood").fit(bags)
    np.testing.assert_array_equal(panel["table"]["decisive"], model.locate(bags))
    intervals = np.array([panel["table"]["low"], panel["table"]["high"]]).T
    np.testing.assert_allclose(intervals, model.predict_interval(bags, 0.9), rtol=1e-6)


def test_one_bag_shows_the_weights_of_the_model(client, fitted, small):
    panel = client.post("/api/data/bag", json={"data": fitted, "bag": 7}).json()
    bags = Bags.from_frame(small, "bag", label="label", name="instance")
    model = SingleLocationRegressor(loss="likelihood").fit(bags)
    np.testing.assert_allclose(
        panel["table"]["weight"], model.attend(bags)[7], rtol=1e-5, atol=1e-9
    )
    assert panel["numbers"]["decisive instance"] == bags.names_of(7)[model.locate(bags)[7]]


def test_the_python_lines_give_the_scores_that_are_shown(
    client, fitted, small, tmp_path, monkeypatch
):
    panel = client.post("/api/data/study", json={"data": fitted}).json()
    small.to_csv(tmp_path / "t.csv", index=False)
    monkeypatch.chdir(tmp_path)
    made: dict = {}
    exec(panel["python"], made)
    assert made["found"].score == pytest.approx(panel["numbers"]["left-out R²"], rel=1e-9)
    np.testing.assert_allclose(made["predictions"], panel["table"]["prediction"], rtol=1e-9)


def test_a_file_with_semicolons_commas_and_holes_is_fitted_by_the_lines_that_are_shown(
    client, small, tmp_path, monkeypatch
):
    holes = small.assign(x2=small.x2.where(np.arange(len(small)) % 40 != 7))
    written = holes.to_csv(index=False, sep=";", decimal=",").encode("latin-1")
    data, described = uploaded(client, written)
    assert "semicolons" in described["read_as"] and "decimal commas" in described["read_as"]
    columns = {column["name"]: column for column in described["columns"]}
    assert columns["x2"]["missing"] == holes.x2.isna().sum() and columns["label"]["constant"]
    (tmp_path / "t.csv").write_bytes(written)
    monkeypatch.chdir(tmp_path)
    question = {"data": data, **COLUMNS, "loss": "likelihood", "model": "linear"}
    refused = client.post("/api/jobs/fit", json=question).json()["job"]
    assert "NaN" in heard(client, refused)[-1]["sentence"]
    job = client.post("/api/jobs/fit", json=question | {"missing": "fill"}).json()["job"]
    assert heard(client, job)[-1]["kind"] == "done"
    panel = client.post("/api/data/study", json={"data": data}).json()
    made: dict = {}
    exec(panel["python"], made)
    assert not made["table"].isna().any().any()
    assert made["found"].score == pytest.approx(panel["numbers"]["left-out R²"], rel=1e-9)
    assert made["found"].boosting_score == pytest.approx(panel["numbers"]["boosting R²"], rel=1e-9)
    np.testing.assert_allclose(made["predictions"], panel["table"]["prediction"], rtol=1e-9)


def test_noise_is_never_called_trusted(small):
    rng = np.random.default_rng(3)
    for _ in range(3):
        shuffled = dict(zip(small.bag.unique(), rng.permutation(small.bag.unique()), strict=True))
        labels = small.groupby("bag").label.first()
        noise = small.assign(label=small.bag.map(shuffled).map(labels))
        found = study(
            Bags.from_frame(noise, "bag", label="label", features=FEATURES), loss="squared"
        )
        assert found.score < 0.3 and found.facts["doubts"], found.facts


def test_scores_that_are_printed_are_doubts_of_their_own():
    class Sure:
        class diagnostics_:
            doubts: ClassVar[list[str]] = []

    assert _doubts(Sure, 0.8, 0.5, 0.0) == []
    assert "no better than a constant" in _doubts(Sure, -0.33, -0.5, 0.0)[0]
    assert "mean-pool ridge" in _doubts(Sure, 0.4, 0.5, 0.0)[0]


@pytest.mark.parametrize("model", ["network", pytest.param("auto", marks=pytest.mark.slow)])
def test_other_models_are_studied_too(small, model):
    few = small[small.bag.isin(small.bag.unique()[:40])]
    bags = Bags.from_frame(few, "bag", label="label", features=FEATURES)
    found = study(bags, model=model)
    assert found.instances.weight.groupby(found.instances.bag).sum().to_numpy() == pytest.approx(1)
    assert found.features.shape == (len(few), 6) and np.isfinite(found.score)


def test_boosting_is_that_of_scikit_learn_on_statistics_of_the_bags(small):
    bags = Bags.from_frame(small, "bag", label="label", features=FEATURES)
    table = small.groupby("bag", sort=False)[FEATURES]
    parts = [table.mean(), table.std(ddof=0), table.min(), table.max()]
    np.testing.assert_allclose(statistics(bags), np.hstack(parts), atol=1e-7)


def test_classes_are_fitted_and_counted(small):
    table = small.assign(label=np.where(small.label > small.label.median(), "high", "low"))
    found = study(Bags.from_frame(table, "bag", label="label"), classes=True, loss="likelihood")
    assert found.score > max(found.mean_pool_score, found.constant_score) and found.covered is None
    assert set(found.bags.left_out_prediction) == {"high", "low"}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"bag": "nowhere"}, "no column 'nowhere'"),
        ({"label": "x1"}, "more than one value in column 'x1'"),
        ({"features": ["instance"]}, "must be numeric"),
        ({"features": ["x1", "hole"]}, "NaN"),
        ({"classes": True}, "between 2 and 20 classes"),
        ({"bag": "label", "label": "bag"}, "hold numbers"),
    ],
)
def test_wrong_columns_and_numbers_are_refused_in_a_sentence(small, change, sentence):
    if "hole" in change.get("features", ()):
        small = small.assign(hole=np.where(np.arange(len(small)) == 5, np.nan, small.x1))
    columns = {
        name: change.get(name, COLUMNS.get(name, []))
        for name in ("bag", "label", "name", "features")
    }
    request = {
        "what": "fit",
        "name": "t.csv",
        "columns": columns,
        "missing": "refuse",
        "model": "linear",
        "loss": "auto",
        "coverage": 0.9,
        "classes": "classes" in change,
    }
    with pytest.raises(ValueError, match=sentence):
        answer(request, small.to_csv(index=False).encode(), lambda event: None)


def test_a_fit_that_cannot_be_ends_in_a_sentence(client, fitted):
    job = client.post("/api/jobs/fit", json={"data": fitted, **COLUMNS, "label": "x1"}).json()[
        "job"
    ]
    last = heard(client, job)[-1]
    assert last["kind"] == "failed" and "more than one value in column 'x1'" in last["sentence"]


def test_a_worker_is_killed_when_its_job_is_cancelled():
    workers = Workers()
    job = Job(60.0, Office())
    job.cancel()
    began = time.monotonic()
    with pytest.raises(Stopped):
        workers.work(
            job, {"what": "describe", "name": "t.csv"}, example_csv("numbers"), lambda event: None
        )
    workers.close()
    assert time.monotonic() - began < 5 and workers._spare is None


@pytest.mark.slow
def test_a_worker_that_somebody_kills_is_replaced_and_asked_again(monkeypatch, small):
    started = []

    class Remembered(process.Helper):
        def __init__(self):
            super().__init__()
            started.append(self)

    monkeypatch.setattr(process, "Helper", Remembered)
    monkeypatch.setattr(Workers, "prepare", lambda self: None)
    monkeypatch.setattr(jobs, "UNHEARD", float("inf"))  # nobody listens here
    columns = {**COLUMNS, "features": []}
    request = {"what": "fit", "name": "t.csv", "columns": columns, "loss": "likelihood"}
    request |= {"missing": "refuse", "model": "linear"}
    found = Workers().work(
        Job(60.0, Office()),
        {**request, "coverage": 0.9, "classes": False},
        small.to_csv(index=False).encode(),
        lambda event: started[0].kill(),
    )
    assert len(started) == 2 and len(found["bags"]["bag"]) == 60
    with pytest.raises(ValueError, match="more time or memory"):
        Workers().work(
            Job(60.0, Office()),
            {**request, "coverage": 0.9, "classes": False},
            small.to_csv(index=False).encode(),
            lambda event: started[-1].kill(),
        )


def test_a_fit_that_computes_too_long_says_that_it_may_get_more_time(client, fitted):
    question = {"data": fitted, **COLUMNS, "seconds": 0.05}
    last = heard(client, client.post("/api/jobs/fit", json=question).json()["job"])[-1]
    assert last["kind"] == "failed" and last["out_of_time"] is True
    assert "give it more time" in last["sentence"]


def test_tables_are_forgotten_when_told_when_old_and_when_there_are_too_many(client, monkeypatch):
    data = client.post(
        "/api/data", params={"name": "t.csv"}, content=example_csv("numbers")
    ).json()["data"]
    assert client.post("/api/data/forget", json={"data": data}).json() == {"forgotten": True}
    for path in ("/api/data/study", "/api/data/bag"):
        assert client.post(path, json={"data": data}).status_code == 404
    tables = Tables()
    first = tables.add("a", b"1")
    for _ in range(sessions.MOST_TABLES):
        tables.add("b", b"2")
    assert tables.get(first.token) is None and len(tables) == sessions.MOST_TABLES
    monkeypatch.setattr(sessions, "KEPT", -1.0)
    assert tables.get("any") is None and len(tables) == 0


def test_examples_can_be_downloaded(client):
    answer = client.get("/api/data/example/numbers.csv")
    assert (
        answer.content == example_csv("numbers")
        and "attachment" in answer.headers["content-disposition"]
    )
    assert client.get("/api/data/example/..%2fsecret.csv").status_code == 404
