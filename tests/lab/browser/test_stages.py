"""Whatever is on screen belongs to the setting on screen, or is dimmed and says that it does not.

Every view x every control x every stage: the server's answers are held back in the page, a control
is moved, and each panel must be exactly what the typed models say: dimmed when its question carries
the control, untouched when it does not; then refused, shown again, and answered.
"""

import contextlib
import io
import time
from typing import Any

import httpx
import pandas as pd
import pytest

from soloc.lab.uploads.examples import example_csv
from tests.lab.browser.chromium import wait_for

# answers wait for `release`, or are refused, as `held` says; what is asked before is not touched
_GATE = """
window.held = null;
window.hold = () => { window.held = new Promise((done) => { window.release = done; }); };
const ask = window.fetch;
window.fetch = async (path, options) => {
  const question = options?.method === "POST";
  if (question && window.held) await window.held;
  if (question && window.refusing) {
    const body = JSON.stringify({ detail: "No, for this test." });
    return new Response(body, { status: 422 });
  }
  return ask(path, options);
};
"""
_STATE = """
const panel = document.getElementById(`panel-${arguments[0]}`);
const plot = panel.querySelector(".plot");
const previous = panel.querySelector(".previous");
return {
  stage: panel.dataset.stage,
  opacity: Number(getComputedStyle(plot).opacity),
  words: getComputedStyle(previous).visibility === "visible" ? previous.textContent : "",
  problem: panel.querySelector(".problem").textContent,
  exports: [...panel.querySelectorAll(".exports button")].some((button) => !button.disabled),
  numbers: Object.fromEntries([...panel.querySelectorAll("dd")].map((dd) =>
    [dd.dataset.number, dd.dataset.value])),
  plotted: plot.childElementCount > 0,
};
"""
WORDS = "of the previous setting"
#: a cheap setting, per tab, and values to move the controls to; heads take the place of one head
BASES = {
    "training": {"steps": 400, "runs": 2, "d": 50},
    "heads": {"steps": 400, "runs": 2, "d": 50, "heads": 2, "kinds": 2},
    "attentions": {"d": 30, "L": 6},
    "latent": {"longest": 64, "sequences": 50},
    "samples": {"tokens": 20},
    "text": {},
}
OTHERS = dict(
    d=60, L=7, gamma=1.5, eps=0.3, weight="tanh", lam=0.2, theta=0.1, eta=-0.1, rho=0.2,
    where="sphere", runs=3, seed=5, step_size=0.002, steps=300, decay=0.01, batch=2,
    sigma=0.7, temperature=0.3, recall_tau=0.2, recall_d=9, location_d=12, location_eps=0.2,
    longest=256, sequences=60, draw=3, tokens=30, m=1.5, noise=0.4, ratio=3.0,
    sentence="Our garden is horrible.", heads=1, kinds=1, beta=3.0,
)  # fmt: skip
FOLLOWS = {"sequence": "curves"}
TABS = {"heads": "training"}


def panels_of(lab: Any, tab: str) -> list[str]:
    """The names of the panels that a tab shows."""
    return lab.run(
        "return [...document.querySelectorAll(`#tab-panel-${arguments[0]} .panel`)]"
        ".filter((panel) => !panel.hidden).map((panel) => panel.id.slice(6))",
        tab,
    )


class Stage:
    """The page with a gate before its answers, and what the server says of its views."""

    def __init__(self, lab: Any, base: str, query: str = "") -> None:
        tab = TABS.get(base, base)
        self.lab, self.tab = lab, tab
        self.about = httpx.get(lab.address + "api/about", timeout=60).json()
        self.base = {
            control["name"]: control["default"]
            for group in self.about["groups"]
            for control in group["controls"]
        } | BASES.get(base, {})
        given = "&".join(f"{name}={value}" for name, value in BASES.get(base, {}).items())
        lab.open(f"?view={tab}&{given}&{query}")
        lab.run(_GATE)
        self.shown = panels_of(lab, tab)

    @property
    def views(self) -> dict[str, dict]:
        """The visible views of the tab."""
        return {view["name"]: view for view in self.about["views"] if view["name"] in self.shown}

    @property
    def controls(self) -> list[dict]:
        """Each control of the visible views once; last what is only in the address."""
        known = {
            control["name"]: control
            for group in self.about["groups"]
            for control in group["controls"]
            if any(self.carries(view, control["name"]) for view in self.views)
        }
        return sorted(known.values(), key=lambda control: control["place"] == "address")

    def carries(self, view: str, control: str) -> bool:
        """Whether the question of a view, or of the one that it follows, holds the control."""
        own = any(control in part["controls"] for part in self.views[view]["parts"])
        return own or (view in FOLLOWS and self.carries(FOLLOWS[view], control))

    def question(self, view: str, values: dict) -> dict:
        body: dict = {}
        for part in self.views[view]["parts"]:
            chosen = {name: values[name] for name in part["controls"]}
            if part["into"]:
                body[part["into"]] = chosen
            else:
                body |= chosen
        return body

    def move(self, control: dict, value: Any) -> None:
        """Set a control by hand."""
        name = control["name"]
        if control["place"] == "address":
            self.lab.click("#resample" if self.tab == "training" else "#resample-learner")
        elif control["choices"] is not None or isinstance(value, str):
            event = "input" if control["choices"] is None else "change"
            self.lab.run(
                "const box = document.getElementById(arguments[0]); box.value = arguments[1];"
                "box.dispatchEvent(new Event(arguments[2], {bubbles: true}));",
                f"control-{name}",
                str(value),
                event,
            )
        else:
            self.lab.enter(name, repr(value))

    def seen(self, view: str) -> dict:
        return self.lab.run(_STATE, view)

    def complete(self, view: str) -> dict:
        """Wait until a panel is shown and its job, if one fills it, has nothing to add."""
        wait_for(
            self.lab.browser,
            f"const panel = document.getElementById('panel-{view}');"
            " return panel.dataset.stage === 'shown'"
            " && panel.querySelector('.problem').textContent === '';",
            60,
        )
        return self.seen(view)

    def dimmed(self, view: str) -> dict:
        """The panel once it is dimmed, or as it is after a while: that takes a tenth of a second,
        on a busy machine longer.
        """
        script = (
            f"const panel = document.getElementById('panel-{view}');"
            " return Number(getComputedStyle(panel.querySelector('.plot')).opacity) < 1"
            " && getComputedStyle(panel.querySelector('.previous')).visibility === 'visible'"
        )
        with contextlib.suppress(TimeoutError):
            wait_for(self.lab.browser, script, 5)
        return self.seen(view)

    def words(self, view: str, words: str) -> bool:
        """Whether the words over the plot of a panel become these."""
        script = (
            f"const words = document.querySelector('#panel-{view} .previous');"
            " return (getComputedStyle(words).visibility === 'visible' ? words.textContent : '')"
            f" === {words!r}"
        )
        return bool(wait_for(self.lab.browser, script, 5))

    def wait(self, view: str, *stages: str) -> dict:
        condition = " || ".join(f"stage === '{stage}'" for stage in stages)
        wait_for(
            self.lab.browser,
            f"const {{stage}} = document.getElementById('panel-{view}').dataset;"
            f" return {condition};",
            60,
        )
        return self.seen(view)


def ask(address: str, question: dict) -> dict:
    """The answer of the server, which is asked again while it is busy, as the page does."""
    while True:
        answer = httpx.post(address, json=question, timeout=60)
        if answer.status_code not in (429, 503):
            return answer.raise_for_status().json()
        time.sleep(0.2)


def assert_dimmed(seen: dict, where: tuple) -> None:
    assert seen["opacity"] <= 0.3 and WORDS in seen["words"] and not seen["exports"], (where, seen)


def assert_whole(seen: dict, where: tuple) -> None:
    assert seen["stage"] == "shown" and seen["opacity"] == 1 and seen["exports"], (where, seen)
    assert not seen["words"].startswith(WORDS), (where, seen)


def assert_answers(page: Stage, view: str, values: dict, where: tuple) -> None:
    """The numbers on the page are those of the server for the controls as they are."""
    if view in FOLLOWS or page.views[view]["path"] == "/api/paths":
        return  # its job, or the training that it follows, decides; see test_training_views.py
    question = page.question(view, values)
    answer = ask(page.lab.address.rstrip("/") + page.views[view]["path"], question)
    shown = page.seen(view)["numbers"]
    for name, value in answer["numbers"].items():
        if isinstance(value, float):
            assert float(shown[name]) == pytest.approx(value, rel=1e-9), (where, name)


@pytest.mark.parametrize("tab", BASES)
def test_every_control_in_every_stage(lab, tab):
    if tab == "text":
        pytest.importorskip("wordllama")
    page = Stage(lab, tab)
    assert page.views
    for control in page.controls:
        name = control["name"]
        for stage in ("refused", "held"):  # what is answered once is remembered
            before = {view: page.complete(view)["numbers"] for view in page.views}
            lab.run("window.hold(); window.refusing = arguments[0]", stage == "refused")
            page.move(control, OTHERS[name])
            carriers = [view for view in page.views if page.carries(view, name)]
            for view in carriers:
                seen, where = page.dimmed(view), (tab, view, name, stage)
                assert seen["stage"] == "stale", (where, seen)
                assert_dimmed(seen, where)
            for view in page.views.keys() - carriers:  # by now they would be dimmed, too
                seen, where = page.seen(view), (tab, view, name, stage)
                assert_whole(seen, where)
                assert seen["numbers"] == before[view], where
            lab.run("window.release()")
            if stage == "refused":
                for view in carriers:
                    seen = page.wait(view, "refused")
                    assert seen["problem"] == "No, for this test.", (tab, view, name, seen)
                    assert_dimmed(seen, (tab, view, name, "refused"))
                lab.run("window.held = null; window.refusing = false")
            else:
                lab.run("window.held = null")
                for view in page.views:
                    if (view, name) == ("heads", "weight"):
                        assert_dimmed(page.wait(view, "refused"), (view, name))  # erf alone
                    elif page.carries(view, name):
                        assert_whole(page.wait(view, "shown", "refused"), (tab, view, name, "back"))
                        assert_answers(page, view, page.base | {name: OTHERS[name]}, (view, name))
            page.move(control, page.base[name])  # of the address: yet another one
            for view in page.views:
                assert_whole(page.wait(view, "shown"), (tab, view, name, "home"))
    lab.browser.get_log("browser")


def test_before_the_first_answer_nothing_is_shown(lab):
    added = lab.browser.execute_cdp_cmd(
        "Page.addScriptToEvaluateOnNewDocument", {"source": _GATE + "window.hold();"}
    )
    try:
        for tab in sorted({TABS.get(base, base) for base in BASES}):
            lab.browser.get("about:blank")
            lab.browser.get(f"{lab.address}?view={tab}")
            wait_for(
                lab.browser, f"return document.querySelector('#tab-panel-{tab} .panel') !== null"
            )
            time.sleep(0.3)
            for view in panels_of(lab, tab):
                seen = lab.run(_STATE, view)
                assert seen["stage"] == "asking" and not seen["numbers"], (view, seen)
                assert not seen["plotted"] and not seen["exports"], (view, seen)
    finally:
        lab.browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)
        lab.browser.get("about:blank")


def test_old_paths_on_a_new_landscape_are_faint(lab):
    page = Stage(lab, "training", "hide=critical")
    opacities = (
        "return document.getElementById('plot-landscape').data"
        ".filter((trace) => trace.name?.startsWith('run')).map((trace) => trace.opacity ?? 1)"
    )
    assert lab.run(opacities) == [1, 1]
    lab.run("window.hold()")
    page.move({"name": "steps", "choices": None, "place": "group"}, 300)
    wait_for(lab.browser, opacities + "[0] < 1")
    assert page.words("landscape", f"training {WORDS}")
    lab.run("window.release(); window.held = null")
    page.wait("curves", "shown")
    wait_for(lab.browser, opacities + "[0] === 1")
    assert page.words("landscape", "")
    lab.run("window.hold()")
    lab.click('[data-preset="training_sphere_hot"]')
    for view in page.views:
        assert_dimmed(page.dimmed(view), ("preset", view))
    lab.run("window.refusing = true; window.release()")
    page.wait("curves", "refused")
    page.wait("landscape", "refused")
    lab.run("window.refusing = false; window.held = null")
    lab.browser.get_log("browser")


def test_a_move_of_the_story_dims_what_it_changes(lab):
    page = Stage(lab, "story", "step=5")
    assert page.shown == ["landscape", "sequence"]
    lab.run("window.hold()")
    lab.click(".moves button:nth-child(2)")
    assert_dimmed(page.dimmed("sequence"), ("move", "sequence"))
    assert page.words("landscape", f"training {WORDS}")
    lab.run("window.release(); window.held = null")
    lab.settle()
    for view in page.shown:
        assert_whole(page.wait(view, "shown"), ("move", view))


def test_another_tab_does_not_show_what_was_asked_before(lab):
    page = Stage(lab, "attentions")
    lab.click("#tab-training")
    lab.settle()
    lab.enter("L", "8")
    lab.run("window.hold()")
    lab.click("#tab-attentions")
    assert_dimmed(page.dimmed("attentions"), ("attentions",))
    lab.run("window.release()")
    page.wait("attentions", "shown")
    assert_answers(page, "attentions", page.base | {"L": 8}, ("attentions", "L"))


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_lab_is_asked_again_and_the_panel_says_so(lab, status):
    page = Stage(lab, "training", "hide=critical,curves,sequence")
    lab.run(
        "const ask = window.fetch; const status = arguments[0]; window.asked = 0;"
        "window.fetch = async (...it) => {"
        " window.asked += 1; if (window.asked > 2) return ask(...it);"
        """ return new Response('{"detail": "Busy."}',"""
        " {status, headers: {'Retry-After': '0.5'}}); };",
        status,
    )
    page.move({"name": "lam", "choices": None, "place": "group"}, 0.2)
    wait_for(
        lab.browser,
        "return document.querySelector('#panel-landscape .problem').textContent"
        " === 'still computing …'",
    )
    assert_dimmed(page.dimmed("landscape"), ("busy",))
    assert page.wait("landscape", "shown")["problem"] == ""
    assert lab.run("return window.asked") == 3
    assert_answers(page, "landscape", page.base | {"lam": 0.2}, ("busy",))


def test_an_empty_sentence_shows_nothing(lab):
    pytest.importorskip("wordllama")
    page = Stage(lab, "text")
    page.move({"name": "sentence", "choices": None, "place": "panel"}, " ")
    seen = page.seen("sentence")
    assert seen["stage"] == "empty" and not seen["numbers"] and not seen["plotted"], seen


def fitted(lab: Any) -> Stage:
    """The tab of your data with an example fitted."""
    lab.browser.get("about:blank")
    lab.browser.get(lab.address + "?view=data&source=numbers&loss=likelihood&fitted=1")
    for panel in ("data", "bag"):
        wait_for(
            lab.browser,
            f"return document.getElementById('panel-{panel}')?.dataset.stage === 'shown'",
            120,
        )
    page = Stage.__new__(Stage)
    page.lab = lab
    return page


@pytest.mark.parametrize("panel", ["data", pytest.param("bag", marks=pytest.mark.slow)])
def test_what_was_fitted_to_another_choice_is_dimmed_until_the_next_fit(lab, panel):
    page = fitted(lab)
    choices = {
        "control-loss": ("squared", "likelihood"),
        "control-model": ("network", "linear"),
        "control-missing": ("drop", "refuse"),
        "data-kind": ("classes", "auto"),
        "data-bag": ("instance", "bag"),
        "data-label": ("x1", "label"),
        "data-name": ("-", "instance"),
    }
    for control, (other, home) in choices.items():
        lab.choose(control, other)
        assert_dimmed(page.dimmed(panel), (panel, control))
        assert lab.run("return document.getElementById('predictions').disabled"), control
        lab.choose(control, home)
        assert_whole(page.seen(panel), (panel, control, "home"))
    lab.enter("coverage", "0.8")
    assert_dimmed(page.dimmed(panel), (panel, "coverage"))
    lab.enter("coverage", "0.9")
    features = (
        "const box = document.getElementById('data-features');"
        "box.options[0].selected = arguments[0]; box.dispatchEvent(new Event('change'));"
    )
    lab.run(features, False)
    assert_dimmed(page.dimmed(panel), (panel, "features"))
    lab.run(features, True)
    assert_whole(page.seen(panel), (panel, "features", "home"))


@pytest.mark.slow
def test_a_fit_that_runs_out_of_time_can_be_given_more(lab):
    page = fitted(lab)
    lab.run(
        "const ask = window.fetch; window.given = [];"
        "window.fetch = (path, options) => {"
        " if (path !== '/api/jobs/fit') return ask(path, options);"
        " const body = JSON.parse(options.body); window.given.push(body.seconds);"
        " if (window.given.length === 1) body.seconds = 0.05;"
        " return ask(path, {...options, body: JSON.stringify(body)}); };"
    )
    lab.choose("control-loss", "auto")
    lab.click("#data-fit")
    wait_for(lab.browser, "return !document.getElementById('data-more-time').hidden", 60)
    assert "give it more time" in lab.text("#data-note")
    lab.click("#data-more-time")
    page.wait("data", "shown")
    first, second = lab.run("return window.given")
    assert second == 3 * first


def test_another_table_shows_nothing_of_the_one_before(lab, tmp_path):
    from selenium.webdriver.common.by import By

    page = fitted(lab)
    table = pd.read_csv(io.BytesIO(example_csv("classes")))
    table[table.bag.isin(table.bag.unique()[:40])].to_csv(tmp_path / "other.csv", index=False)
    fits = "return document.querySelectorAll('.bags:not(.preview), #predictions').length"
    assert lab.run(fits) == 2
    lab.choose("data-source", "upload")
    lab.browser.find_element(By.ID, "data-file").send_keys(str(tmp_path / "other.csv"))
    for panel in ("data", "bag"):
        seen = page.seen(panel)
        assert seen["stage"] == "empty" and not seen["numbers"] and not seen["plotted"], seen
    assert lab.run(fits) == 0
    assert "R²" not in lab.text("#sentence-data")
    wait_for(lab.browser, "return !document.getElementById('data-fit').disabled", 60)
    assert page.seen("data")["stage"] == "empty"
    lab.click("#data-fit")
    assert "accuracy" in str(page.wait("data", "shown")["numbers"])
