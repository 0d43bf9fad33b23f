"""A lab view defined here and registered in one line is in the routes, the schema and the page."""

import socket
import threading
import time
from typing import Annotated, ClassVar

import pytest

pytest.importorskip("fastapi", reason="the lab needs the extra [lab]")
pytest.importorskip("httpx", reason="FastAPI's test client needs httpx")
import uvicorn
from fastapi.testclient import TestClient
from pydantic import Field
from tests.chromium import CHROMIUM
from tests.lab.browser.chromium import DRIVER, open_browser, wait_for

from soloc import Overlaps, SingleLocation
from soloc.lab.body import Body, Group, Knob
from soloc.lab.controls import TaskControls
from soloc.lab.panel import Panel, drawn
from soloc.lab.server.app import create_app
from soloc.lab.view import VIEWS, Tab, View, register
from soloc.risk.baselines import null_risk


class NothingAsk(Body):
    """A task, and how much of the answer is guessed."""

    group: ClassVar[Group] = Group("guess", "The guess")
    setting: TaskControls = TaskControls()
    share: Annotated[float, Knob("share s")] = Field(
        default=0.5, ge=0, le=1, description="of the null predictor's error"
    )


def nothing_panel(ask: NothingAsk) -> Panel:
    """The null risk, times a share."""
    value = ask.share * float(null_risk(ask.setting.task()))
    return Panel(
        figure={"data": [{"type": "bar", "x": ["null"], "y": drawn([value])}], "layout": {}},
        table={"value": [value]},
        python=f"{ask.setting.task_line()}\n{ask.share} * float(null_risk(task))",
        sentence=f"Who guesses nothing pays {value:.6g}.",
        numbers={"price": value},
    )


VIEW = View(
    name="nothing",
    tab=Tab("guessing", "Guessing"),
    title="Guessing nothing",
    summary="What it costs to guess nothing",
    draw=nothing_panel,
)


@pytest.fixture
def registered():
    register(VIEW)
    yield
    del VIEWS["nothing"]


@pytest.fixture
def client(registered):
    with TestClient(create_app(), base_url="http://127.0.0.1") as client:
        yield client


def expected(share: float, gamma: float) -> float:
    return share * float(null_risk(SingleLocation(d=400, L=10, gamma=gamma)))


def test_it_answers_with_a_panel_and_refuses_in_a_sentence(client):
    ask = {"setting": {"gamma": 2.0}, "share": 0.25}
    panel = client.post("/api/nothing", json=ask).json()
    assert panel["numbers"]["price"] == pytest.approx(expected(0.25, 2.0), rel=1e-12)
    names = {"SingleLocation": SingleLocation, "null_risk": null_risk, "Overlaps": Overlaps}
    *before, last = panel["python"].splitlines()
    exec("\n".join(before), names)
    assert eval(last, names) == panel["numbers"]["price"]
    table = client.post("/api/nothing", json=ask, headers={"Accept": "text/csv"}).text
    assert float(table.splitlines()[1]) == panel["numbers"]["price"]
    refusal = client.post("/api/nothing", json={"share": 2})
    assert refusal.status_code == 422 and "`share`" in refusal.json()["detail"]


def test_it_is_in_the_schema(client):
    schema = client.get("/openapi.json").json()
    assert schema["paths"]["/api/nothing"]["post"]["summary"] == VIEW.summary
    share = schema["components"]["schemas"]["NothingAsk"]["properties"]["share"]
    assert (share["minimum"], share["maximum"], share["default"]) == (0, 1, 0.5)


def test_it_is_among_the_tabs_with_its_controls(client):
    about = client.get("/api/about").json()
    assert about["tabs"][-1] == {"name": "guessing", "title": "Guessing"}
    view = about["views"][-1]
    assert (view["path"], view["script"]) == ("/api/nothing", False)
    group = next(group for group in about["groups"] if group["name"] == "guess")
    assert group["controls"][0]["label"] == "share s" and group["controls"][0]["high"] == 1
    asked = {part["into"]: part["controls"] for part in view["parts"]}
    assert asked["setting"] == ["d", "L", "gamma", "eps"]


def test_a_name_that_is_taken_and_a_control_that_means_two_things_are_refused(registered):
    with pytest.raises(ValueError, match="`name` must be new"):
        register(VIEW)

    class Other(Body):
        share: Annotated[float, Knob("another")] = Field(default=1.0, ge=0, le=9)

    def draw(ask: Other) -> Panel:
        raise NotImplementedError

    with pytest.raises(ValueError, match="`share` of the view other must be the same control"):
        register(View(name="other", tab=VIEW.tab, title="", summary="", draw=draw))


@pytest.fixture
def address(registered):
    """The lab of this very process, on a free port."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(create_app(), log_level="warning"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    until = time.monotonic() + 20
    while not server.started:
        assert time.monotonic() < until
        time.sleep(0.01)
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
    server.should_exit = True
    thread.join(20)
    listener.close()


@pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="Chromium is missing")
def test_the_page_shows_it_without_a_script_of_its_own(address, tmp_path):
    browser = open_browser(tmp_path)
    try:
        browser.get(address + "?view=nothing_known&gamma=2")
        browser.get(address + "?view=guessing&gamma=2")
        price = "document.querySelector('#panel-nothing [data-number=price]')?.dataset.value"
        shown = wait_for(browser, f"return {price}")
        assert float(shown) == pytest.approx(expected(0.5, 2.0), rel=1e-9)
        browser.execute_script(
            "const box = document.getElementById('control-share-exact'); box.value = '0.25';"
            "box.dispatchEvent(new Event('change', {bubbles: true}));"
        )
        wait_for(browser, f"return {price} !== '{shown}'")
        shown = browser.execute_script(f"return {price}")
        assert float(shown) == pytest.approx(expected(0.25, 2.0), rel=1e-9)
        text = browser.execute_script("return document.body.innerText")
        assert "Who guesses nothing pays" in text and "share s" in text
        assert "weight function" not in text  # its question does not carry it
        assert browser.get_log("browser") == []
    finally:
        browser.quit()
