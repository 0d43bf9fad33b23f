"""The first page: five steps, each a state of the same lab, for a mouse, a keyboard or a phone."""

import jax
import pytest
from selenium.webdriver.common.keys import Keys

from soloc import Erf, Overlaps, SingleLocation, population_path
from soloc.dynamics.schedules import InverseDecay
from soloc.dynamics.starts import uniform_on_sphere
from soloc.lab.story import STEPS
from soloc.risk.one_sequence import one_sequence
from tests.lab.browser.chromium import prefer, resize, wait_for

TRAINING = [step.number for step in STEPS[1:]]


def step_of(lab) -> int:
    script = "return document.querySelector('[aria-current=step]').dataset.step"
    return int(wait_for(lab.browser, script))


def visible(lab, selector: str) -> bool:
    return lab.run(
        "return document.querySelector(arguments[0])?.checkVisibility("
        "{visibilityProperty: true}) ?? false",
        selector,
    )


def test_the_page_opens_with_a_sentence_and_a_guess_is_compared_with_the_model(lab):
    pytest.importorskip("wordllama")
    from soloc.text import explain_sentence, fit_rated_sentences

    lab.open()
    assert step_of(lab) == 1 and lab.query() == ""
    assert lab.text(".word.decisive") == "wonderful"  # the first sentence shows what attention is
    sentence = "The soup in this hotel was awful."
    lab.click(".samples button")
    wait_for(lab.browser, "return document.querySelector('.word').textContent === 'The'", 180)
    lab.settle()
    assert lab.text("#control-sentence") == "" and not visible(lab, ".word.decisive")
    assert not visible(lab, "#panel-sentence .numbers")  # nothing is told before the guess
    found = explain_sentence(fit_rated_sentences(), sentence)
    words = found.table.word.tolist()
    assert (
        lab.run("return [...document.querySelectorAll('.word')].map((it) => it.textContent)")
        == words
    )
    lab.click('[data-word="4"]')
    assert lab.text(".word.decisive") == found.decisive and visible(lab, ".numbers")
    share = round(100 * float(found.table.weight.max()))
    assert lab.text(".game") == (
        f"You said “hotel” (0 %), but the model gives “awful” {share} % of its attention."
    )
    state = lab.query()
    assert "guess=4" in state
    lab.open("?" + state)
    assert lab.text(".word.guessed") == "hotel"


def test_every_step_is_a_state_of_the_lab(lab):
    lab.open("?step=2")
    task, key = SingleLocation(), jax.random.key(0)
    truth = one_sequence(task, Erf(0.1), Overlaps(1.0, 1.0), key)
    assert lab.number("sequence", "attention says") == pytest.approx(truth.prediction, rel=1e-9)
    lab.after("sequence", lambda: lab.click("#story-next"))
    assert step_of(lab) == 3
    untrained = lab.number("sequence", "its attention")
    assert abs(untrained) < 0.2 < truth.weights[truth.location]
    lab.click("#story-next")
    lab.settle()
    assert step_of(lab) == 4 and visible(lab, "#plot-landscape")
    assert lab.number("sequence", "its attention") == untrained
    lab.slide("time", 1000)
    lab.settle()
    assert lab.number("sequence", "its attention") > 0.9
    assert "risk 0.114" in lab.text("#time-step")


def test_it_breaks_and_is_repaired_by_the_numbers_of_the_library(lab):
    lab.open("?step=5")
    start = uniform_on_sphere(400, 1, jax.random.key(0))

    def risk(decay: float) -> float:
        schedule = InverseDecay(0.9, decay)
        path = population_path(
            SingleLocation(), Erf(0.9), start, steps=20_000, step_size=4e-3, lam=schedule
        )
        return float(path.risk[-1, 0])

    assert f"risk {risk(0.0):.3g}" in lab.text("#time-step")
    lab.click(".moves button:nth-child(2)")
    wait_for(lab.browser, "return document.getElementById('time').value === '1000'", 30)
    lab.settle()
    repaired = float(lab.text("#time-step").split("risk ")[1])
    assert repaired == pytest.approx(risk(1e-3), rel=5e-3) and repaired < 0.15


def fill_history(lab) -> None:
    """Chromium keeps 50 entries, and of those that are too many it first forgets the pages that
    pushed others without anybody having touched them: a script's clicks would not do here.
    """
    for number in range(50):
        lab.browser.get(f"{lab.address}static/icon.svg?{number}")


def test_steps_are_links_that_back_and_forward_follow(lab):
    fill_history(lab)
    lab.open("?step=2")
    lab.press('[data-step="4"]')
    assert "step=4" in lab.query() and step_of(lab) == 4
    lab.press("#tab-training")
    assert "view=training" in lab.query()
    at = (
        "return document.getElementById('story-title').checkVisibility()"
        " && document.querySelector('[aria-current=step]').dataset.step === '{}'"
    )
    for step in (4, 2):
        lab.browser.back()
        wait_for(lab.browser, at.format(step))
    lab.browser.forward()
    wait_for(lab.browser, at.format(4))
    lab.settle()


def test_back_and_forward_move_between_settings(lab):
    lab.open("?view=training&hide=curves,critical,sequence&lam=0.2")
    lab.press("h1")  # see `fill_history`
    first = lab.number("landscape", "lowest risk")
    lab.after("landscape", lambda: lab.enter("lam", "0.4"))
    assert "lam=0.4" in lab.query() and lab.number("landscape", "lowest risk") != first
    lab.after("landscape", lab.browser.back)
    assert lab.number("landscape", "lowest risk") == first
    assert lab.run("return document.getElementById('control-lam-exact').value") == "0.2"


def test_a_teacher_links_to_a_step_and_hides_what_leads_away(lab):
    lab.open("?step=3&hide=steps,tabs")
    assert step_of(lab) == 3
    for selector in (".steps", ".turns", "#tabs", "#controls"):
        assert not visible(lab, selector), selector
    lab.open("?view=training&hide=controls,critical,sequence,curves")
    assert not visible(lab, "#controls") and visible(lab, "#plot-landscape")
    assert not visible(lab, "#status.shown")  # all of these are names


def test_nothing_promises_controls_that_are_hidden(lab):
    lab.open("?step=2")
    assert lab.text("#story-open") == "Open this in the lab, with all controls"
    lab.open("?step=2&hide=gamma")
    assert visible(lab, "#story-open") and "all controls" not in lab.text("#story-open")
    lab.open("?step=5&hide=tabs,curves")
    assert not visible(lab, "#story-open") and not visible(lab, "#story-next")


@pytest.mark.parametrize("name, meant", [("gama", "gamma"), ("landscpe", "landscape"), ("xyz", "")])
def test_a_name_that_hides_nothing_is_told(lab, name, meant):
    lab.open(f"?step=2&hide=lam,{name}")
    said = lab.text("#status.shown")
    assert f"“{name}”" in said and (
        f"did you mean “{meant}”" in said if meant else "mean" not in said
    )


def test_a_keyboard_goes_through_the_story(lab):
    lab.open("?step=2")
    lab.run("document.getElementById('story-next').focus()")
    lab.browser.switch_to.active_element.send_keys(Keys.ENTER)
    lab.settle()
    assert step_of(lab) == 3
    lab.browser.switch_to.active_element.send_keys(Keys.ENTER)
    lab.settle()
    assert step_of(lab) == 4
    lab.run("document.getElementById('play').focus()")
    lab.browser.switch_to.active_element.send_keys(Keys.SPACE)
    wait_for(lab.browser, "return document.getElementById('play').ariaLabel.startsWith('Pause')")


def test_without_word_vectors_the_story_begins_with_vectors(monkeypatch):
    from soloc.lab import story

    monkeypatch.setattr(story, "missing", lambda extra: ["wordllama"])
    assert [step["number"] for step in story.steps()] == TRAINING


@pytest.mark.parametrize("step", TRAINING)
def test_a_phone_shows_every_step(lab, step):
    resize(lab.browser, 390, 844)
    prefer(lab.browser, "dark" if step % 2 else "light")
    lab.open(f"?step={step}")
    assert lab.run("return document.documentElement.scrollWidth") <= 390
    first = "return document.querySelector('.story-panels .plot').getBoundingClientRect().top"
    assert lab.run(first) < 500  # the picture begins on the first screen
    prefer(lab.browser, "light")


def test_while_it_plays_the_sequence_is_never_dimmed_for_long(lab):
    lab.open("?step=4")
    first = lab.number("sequence", "its attention")
    lab.run(
        "window.seen = []; const look = () => window.seen.push("
        "document.querySelector('#panel-sequence [data-number=\"its attention\"]').dataset.value);"
        "window.watch = setInterval(look, 100); document.getElementById('play').click()"
    )
    wait_for(lab.browser, "return document.getElementById('time').value === '1000'", 30)
    lab.run("clearInterval(window.watch)")
    seen = {float(value) for value in lab.run("return window.seen")}
    lab.settle()
    last = lab.number("sequence", "its attention")
    assert len(seen - {first, last}) > 3 and last > 0.85 > 0.2 > abs(first)


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("?step=9", "step= in the address is “9”, but the story has steps"),
        ("?step=two", "step= in the address is “two”"),
        (
            "?view=trainnig",
            "view= in the address names “trainnig”, which no tab is called; did you",
        ),
        ("?view=training&lamm=3&hide=curves,critical", "names “lamm”, which no control is called"),
        ("?step=2&hide=stepz", "hide= in the address names “stepz”"),
    ],
)
def test_what_the_address_asks_for_in_vain_is_told(lab, query, told):
    lab.open(query)
    assert told in lab.text("#status")


@pytest.mark.parametrize("query", ["?step=2", "?step=5&hide=steps,tabs", "?lam=0.9&where=sphere"])
def test_an_address_that_is_right_is_followed_without_a_word(lab, query):
    lab.open(query)
    assert lab.text("#status") == ""
