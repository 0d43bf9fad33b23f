"""Everybody can use the lab: axe-core finds nothing on any tab, plots say what they show."""

from pathlib import Path

import pytest

from tests.lab.browser.chromium import prefer, wait_for

axe = pytest.importorskip("axe_core_python", reason="this test needs axe-core-python")
_AXE = (Path(axe.__file__).parent / "axe.min.js").read_text()
_RUN = "axe.run(document, {resultTypes: ['violations']}).then(arguments[arguments.length - 1])"
TABS = ["story", "training", "attentions", "latent", "samples", "data", "text"]


def violations(lab) -> list[str]:
    lab.run(_AXE)
    found = lab.browser.execute_async_script(_RUN)["violations"]
    return [
        f"{rule['id']}: {node['html'][:200]} {node.get('failureSummary', '')}"
        for rule in found
        for node in rule["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "tab", [pytest.param(tab, marks=pytest.mark.slow) if tab == "data" else tab for tab in TABS]
)
def test_axe_finds_nothing(lab, tab, scheme):
    if tab in ("text", "story"):
        pytest.importorskip("wordllama")
    prefer(lab.browser, scheme)
    try:
        lab.browser.get(lab.address + f"?view={tab}&source=numbers&fitted=1&loss=likelihood")
        wait_for(
            lab.browser,
            f"const panels = [...document.querySelectorAll('#tab-panel-{tab} .panel')]"
            ".filter((panel) => !panel.hidden);"
            "return panels.length && panels.every((panel) => panel.dataset.stage === 'shown')",
            120,
        )
        assert violations(lab) == []
    finally:
        prefer(lab.browser, "light")


def test_a_plot_says_what_it_shows(lab):
    lab.open("?hide=critical&steps=300")
    for panel in ("landscape", "curves", "sequence"):
        label = lab.run(f"return document.getElementById('plot-{panel}').ariaLabel")
        sentence = lab.text(f"#sentence-{panel}")
        assert len(sentence) > 40 and sentence in label


def test_training_does_not_move_by_itself_for_whoever_asked_for_rest(lab):
    lab.browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]},
    )
    try:
        lab.open("?hide=critical,sequence&steps=300&t=0.2")
        at_once = "document.getElementById('play').click(); return document.getElementById('time')"
        assert lab.run(at_once + ".value") == "1000"
        moving = "return document.getElementById('play').ariaLabel"
        assert lab.run(moving) == "Play the training"
        duration = "return getComputedStyle(document.getElementById('status')).transitionDuration"
        assert lab.run(duration) == "0s"
    finally:
        prefer(lab.browser, "light")
