"""Landscape, curves, controls and one sequence in a real browser, against the library's own
numbers.
"""

import io
import xml.etree.ElementTree as ET

import jax
import numpy as np
import pandas as pd
import pytest
from selenium.webdriver.common.keys import Keys

from soloc import Erf, Overlaps, SingleLocation, Softmax, Tanh, population_path, population_risk
from soloc.dynamics.starts import uniform_on_manifold, uniform_on_sphere
from soloc.risk.one_sequence import one_sequence
from soloc.risk.overlaps import NAMES
from tests.lab.browser.chromium import prefer, resize, wait_for

TRUTH = Overlaps(1.0, 1.0)


def library_path(start: Overlaps, *, lam: float = 0.1, steps: int, every: int):
    """The library's own paths, eight runs at once so that all tests share one compilation; the
    first ones are those of `start`.
    """
    eight = Overlaps(*(np.resize(getattr(start, name), 8) for name in NAMES))
    return population_path(
        SingleLocation(), Erf(lam), eight, steps=steps, step_size=4e-3, every=every
    )


def test_a_slider_moves_the_landscape_to_the_librarys_risk(lab):
    lab.open("?view=training")
    at_truth = lambda lam: float(population_risk(SingleLocation(), Erf(lam), TRUTH))  # noqa: E731
    assert lab.number("landscape", "lowest risk") == pytest.approx(at_truth(0.1), rel=1e-9)
    lab.after("landscape", lambda: lab.slide("control-lam", 150))
    lam = float(lab.run("return document.getElementById('control-lam-exact').value"))
    assert lam != 0.1 and lab.number("landscape", "lowest risk") == pytest.approx(
        at_truth(lam), rel=1e-9
    )


def test_d_goes_up_to_a_billion_and_the_weight_can_be_chosen(lab):
    lab.open("?hide=curves,critical,sequence")
    lab.after("landscape", lambda: lab.enter("d", "1e9"))
    lab.after("landscape", lambda: lab.choose("control-weight", "tanh"))
    lab.after("landscape", lambda: lab.enter("lam", "0.001"))
    expected = float(population_risk(SingleLocation(d=10**9), Tanh(0.001), TRUTH))
    assert lab.number("landscape", "lowest risk") == pytest.approx(expected, rel=1e-9)
    assert "d=1000000000" in lab.query() and "weight=tanh" in lab.query()


def test_the_slice_off_the_manifold_is_a_control(lab):
    lab.open("?hide=curves,critical,sequence&eta=0.5")
    shown = pd.read_csv(io.BytesIO(lab.save("landscape", "csv"))).dropna()
    expected = population_risk(
        SingleLocation(), Erf(0.1), Overlaps(shown.kappa.to_numpy(), shown.nu.to_numpy(), eta=0.5)
    )
    np.testing.assert_allclose(shown.risk, np.asarray(expected), rtol=1e-11)


def test_curves_show_the_paths_of_the_library_and_survive_a_reload(lab):
    lab.open("?steps=2000&runs=3&where=sphere&seed=4&lam=0.2")
    start = uniform_on_sphere(400, 3, jax.random.key(4))
    path = library_path(start, lam=0.2, steps=2000, every=16)
    assert lab.number("curves", "median risk") == pytest.approx(
        float(np.median(path.risk[-1, :3])), rel=1e-8
    )
    lab.after("curves", lambda: lab.enter("steps", "1000"))
    state = lab.query()
    assert "steps=1000" in state and "seed=4" in state
    risk = lab.number("curves", "median risk")
    lab.open("?" + state)
    assert lab.number("curves", "median risk") == risk


def test_the_excess_is_over_the_exact_bayes_risk(lab):
    lab.open("?hide=critical,sequence&steps=100")
    # as in the README
    assert lab.number("curves", "Bayes risk") == pytest.approx(1.916496493e-40, rel=1e-9)
    assert lab.number("curves", "median excess over Bayes") == lab.number("curves", "median risk")


def test_a_preset_is_an_experiment_of_the_paper(lab):
    lab.open("?view=training")
    lab.after("curves", lambda: lab.click('[data-preset="training_sphere_cool"]'))
    start = uniform_on_sphere(400, 4, jax.random.key(0))
    path = library_path(start, steps=20_000, every=166)
    assert lab.number("curves", "median |ν|") == pytest.approx(
        float(np.median(np.abs(path.nu[-1, :4]))), rel=1e-6, abs=1e-9
    )
    assert (
        lab.run("return document.querySelector('[data-preset=training_sphere_cool]').ariaPressed")
        == "true"
    )


def test_a_click_on_the_landscape_starts_a_descent_there(lab):
    lab.open("?hide=critical&steps=500")
    place = lab.run(
        "const p = document.getElementById('plot-landscape'), b = p.getBoundingClientRect(), l ="
        " p._fullLayout;return [b.left + l.xaxis._offset + l.xaxis.d2p(-0.4), b.top +"
        " l.yaxis._offset + l.yaxis.d2p(0.3)]"
    )

    def click() -> None:
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            lab.browser.execute_cdp_cmd(
                "Input.dispatchMouseEvent",
                {"type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1},
            )

    lab.after("curves", click)
    starts = lab.query().split("starts=")[1].split("&")[0]
    kappa, nu = map(float, starts.split(","))
    assert abs(kappa + 0.4) < 0.02 and abs(nu - 0.3) < 0.02
    path = library_path(Overlaps(kappa, nu), steps=500, every=4)
    assert lab.number("curves", "median risk") == pytest.approx(float(path.risk[-1, 0]), rel=1e-8)


def test_time_moves_the_paths_and_the_sequence_follows(lab):
    lab.open("?hide=critical&steps=20000&runs=2")
    lab.after("sequence", lambda: lab.slide("time", 250))
    start = uniform_on_manifold(400, 2, jax.random.key(0))
    path = library_path(start, steps=20_000, every=8).thinned(120)
    at = round(0.25 * (len(path.steps) - 1))
    assert lab.text("#time-step").replace("\u202f", "").startswith(f"step {path.steps[at]},")
    overlaps = Overlaps(float(path.kappa[at, 0]), float(path.nu[at, 0]))
    seen = one_sequence(SingleLocation(), Erf(0.1), overlaps, jax.random.key(0))
    assert lab.number("sequence", "attention says") == pytest.approx(seen.prediction, rel=1e-6)
    # seen with the sign that the key ends with
    weight = np.sign(path.kappa[-1, 0]) * seen.weights[seen.location]
    assert lab.number("sequence", "its attention") == pytest.approx(weight, rel=1e-6)
    assert lab.number("sequence", "Bayes says") == pytest.approx(seen.bayes, rel=1e-9)
    lab.after("sequence", lambda: lab.click("#resample"))
    seen = one_sequence(SingleLocation(), Erf(0.1), overlaps, jax.random.key(1))
    assert lab.number("sequence", "answer") == pytest.approx(seen.answer, rel=1e-9)
    assert "t=0.25" in lab.query() and "draw=1" in lab.query()


def test_hovering_a_curve_moves_time(lab):
    lab.open("?hide=critical,sequence&steps=1200&runs=1")
    place = lab.run(
        "const p = document.getElementById('plot-curves'), b = p.getBoundingClientRect(), l ="
        " p._fullLayout, t = p.data[0];return [b.left + l.xaxis._offset + l.xaxis.d2p(t.x[40]),"
        " b.top + l.yaxis._offset + l.yaxis.d2p(t.y[40])]"
    )
    for away in (40, 0):  # a pointer that comes from elsewhere
        lab.browser.execute_cdp_cmd(
            "Input.dispatchMouseEvent", {"type": "mouseMoved", "x": place[0], "y": place[1] + away}
        )
    moment = lab.run("return document.getElementById('plot-curves').data[0].x[40]")
    wait_for(
        lab.browser,
        "return document.getElementById('time-step').textContent.replaceAll('\u202f', '')"
        f".startsWith('step {moment},')",
        10,
    )


def test_critical_points_fill_in(lab):
    lab.open("?hide=curves,sequence")
    script = (
        "return document.getElementById('plot-landscape').data.filter((t) => t.name ==="
        " 'minimum').map((t) => t.x.length)[0]"
    )
    # the solution and the swapped minimum, with both signs
    assert wait_for(lab.browser, script, 60) == 4


def test_stochastic_descent_runs_as_a_job_that_can_be_cancelled(lab):
    lab.open("?hide=critical,sequence&steps=600&runs=2")
    lab.after("curves", lambda: lab.enter("batch", "2"))
    assert "sgd_path" in lab.text("#panel-curves .code")
    lab.enter("steps", "200000")
    wait_for(
        lab.browser,
        "return document.querySelector('#panel-curves .job progress').hasAttribute('value')",
        30,
    )
    lab.click("#panel-curves .cancel")
    assert "cancelled" in lab.text("#panel-curves .problem")


def test_softmax_is_seen_at_the_truth_until_it_is_trained_on_samples(lab):
    lab.open("?hide=critical&weight=softmax&lam=5&steps=300&runs=1")
    seen = one_sequence(SingleLocation(), Softmax(5.0), Overlaps(1.0, 1.0), jax.random.key(0))
    assert lab.number("sequence", "attention says") == pytest.approx(seen.prediction, rel=1e-9)
    assert "k = k*" in lab.text("#sentence-sequence") and "trained on samples" in lab.text(
        "#panel-curves .problem"
    )
    risk = float(population_risk(SingleLocation(), Softmax(5.0), Overlaps(1.0, 1.0)))
    assert lab.number("landscape", "lowest risk") == pytest.approx(risk, rel=1e-9)
    lab.after("curves", lambda: lab.click("#train-on-samples"))
    assert "batch=4" in lab.query() and "sgd_path" in lab.text("#panel-curves .code")
    assert lab.run("return document.getElementById('train-on-samples').hidden")
    wait_for(
        lab.browser,
        "return document.getElementById('sentence-sequence').textContent.includes('moment of"
        " training')",
        20,
    )


def test_every_panel_exports_svg_png_csv_and_python(lab):
    lab.open("?hide=critical&steps=500")
    for panel in ("landscape", "curves", "sequence"):
        assert ET.fromstring(lab.save(panel, "svg")).tag.endswith("svg")
        assert lab.save(panel, "png").startswith(b"\x89PNG")
        assert len(pd.read_csv(io.BytesIO(lab.save(panel, "csv")))) >= 10
        lab.click(f'#panel-{panel} [data-export="python"]')
        assert "from soloc import" in lab.text(f"#panel-{panel} .code")


def test_a_teacher_hides_controls_and_panels(lab):
    lab.open("?hide=gamma,training,sequence,presets,critical")
    hidden = lab.run(
        "return ['[data-field=gamma]', '[data-group=training]', '#panel-sequence',"
        " '[data-group=presets]', '[data-field=lam]'].map((s) =>"
        " document.querySelector(s).offsetParent === null)"
    )
    assert hidden == [True, True, True, True, False]


def test_a_wrong_number_is_not_taken_and_a_refusal_is_a_sentence(lab):
    lab.open("?hide=critical,sequence&where=sphere")
    lab.enter("d", "3")
    assert (
        lab.run("return document.getElementById('control-d-exact').getAttribute('aria-invalid')")
        == "true"
    )
    lab.after("curves", lambda: lab.enter("step_size", "1"))
    assert "diverged" in lab.text("#panel-curves .problem")
    lab.browser.get_log("browser")  # the browser itself notes the refused request


def test_everything_is_reached_by_keyboard_and_named_for_screen_readers(lab):
    lab.open("?hide=critical")
    nameless = lab.run(
        "return [...document.querySelectorAll('button, input, select, [role=img],"
        " section')].filter((e) => !(e.labels?.length || e.ariaLabel ||"
        " e.getAttribute('aria-labelledby') || e.textContent.trim())).map((e) => e.outerHTML)"
    )
    assert nameless == []
    lab.run("document.getElementById('control-gamma').focus()")
    lab.after("landscape", lambda: lab.browser.switch_to.active_element.send_keys(Keys.ARROW_RIGHT))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_overflows_a_phone(lab, scheme):
    prefer(lab.browser, scheme)
    resize(lab.browser, 390, 844)
    lab.browser.get(lab.address + "?hide=critical&steps=500")
    lab.settle()
    assert lab.run("return document.documentElement.scrollWidth") <= 390
    prefer(lab.browser, "light")


def test_several_heads_take_the_place_of_one_and_their_matrices_move_with_time(lab):
    lab.open("?steps=400&runs=2")
    shown = "return !document.getElementById(arguments[0]).checkVisibility()"
    assert lab.run(shown, "panel-heads") and not lab.run(shown, "panel-landscape")
    lab.click('[data-preset="heads_share"]')
    lab.enter("steps", "400")
    matrices = (
        "return document.getElementById('plot-heads').data?.filter((it) => it.type === 'heatmap')"
        ".map((it) => it.z) ?? []"
    )
    wait_for(lab.browser, matrices.replace("?? []", "") + ".length === 2", 90)
    for one_head in ("panel-landscape", "panel-curves", "panel-sequence", "control-theta"):
        assert lab.run(shown, one_head)
    keys, values = lab.run(matrices)
    assert np.shape(keys) == np.shape(values) == (2, 2)
    lab.run(
        "const time = document.getElementById('heads-time'); time.value = 0;"
        "time.dispatchEvent(new Event('input'))"
    )
    wait_for(lab.browser, matrices + f"[0][0][0] !== {keys[0][0]!r}")
    first = lab.run(matrices)[0]
    assert np.abs(first).max() < np.abs(keys).max()
    lab.run(
        "const run = document.getElementById('heads-run'); run.value = '1';"
        "run.dispatchEvent(new Event('change'))"
    )
    wait_for(lab.browser, matrices + f"[0][0][0] !== {first[0][0]!r}")
    lab.enter("kinds", "1")
    lab.enter("heads", "1")
    wait_for(lab.browser, "return !document.getElementById('panel-landscape').hidden")
    lab.settle()
    assert lab.run(shown, "panel-heads")
