"""Latent: exact curves against simulation, the panel for every setting, and its Python lines."""

import json

import numpy as np
import pytest

from soloc.experiments.latent.exact_curves import exact_curves
from soloc.experiments.latent.tasks import Config, run
from soloc.lab.figures.latent_pictures import PICTURES
from soloc.lab.views.latent import TITLES, LatentAsk, latent_panel

SMALL = {"longest": 64, "sequences": 50}


def test_exact_curves_are_the_means_of_simulations():
    config = Config(
        lengths=(4, 16), sequences=1500, tokens=64_000, recall_tau=0.3, latent_sigma=0.7
    )
    curves = exact_curves(config, config.lengths)
    found = run(config).merge(curves[curves.kind == "exact"], on=["task", "mechanism", "L"])
    assert len(found) == 2 * 8
    z = (found.risk - found.error) / found.standard_error
    assert z.abs().max() < 4.5, found.assign(z=z)


def test_limits_hold_for_many_tokens():
    config = Config(lengths=(2048,), sequences=400, tokens=10**6)
    curves = exact_curves(config, config.lengths, integrals=False)
    found = run(config).merge(curves[curves.kind == "limit"], on=["task", "mechanism", "L"])
    assert len(found) == 2 and ((found.risk - found.error) / found.standard_error).abs().max() < 4


@pytest.mark.parametrize(
    "extreme",
    [
        {"sigma": 0.05},
        {"sigma": 2},
        {"temperature": 0.02},
        {"temperature": 5},
        {"recall_tau": 0.005},
        {"recall_d": 64},
    ],
)
def test_every_setting_has_a_panel_without_nan(extreme):
    panel = latent_panel(LatentAsk(**SMALL, **extreme))
    json.dumps(panel.model_dump(), allow_nan=False)
    assert None not in panel.table["error"]


def test_the_job_adds_points_and_its_python_lines_give_them(client):
    job = client.post("/api/jobs/latent", json={**SMALL, "location_d": 8, "seed": 3}).json()["job"]
    with client.stream("GET", f"/api/jobs/{job}/events") as stream:
        said = [json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: ")]
    panel = said[-1]["panel"]
    assert said[-1]["kind"] == "done" and panel["pending"] is None
    made: dict = {}
    exec(panel["python"], made)
    errors, kinds = np.array(panel["table"]["error"]), np.array(panel["table"]["kind"])
    np.testing.assert_allclose(errors[kinds == "simulated"], made["points"].risk, rtol=1e-12)
    np.testing.assert_allclose(errors[kinds != "simulated"], made["curves"].error, rtol=1e-12)


@pytest.mark.parametrize("columns", [1, 3])
def test_every_line_has_its_name_at_its_end_and_no_name_covers_another(columns):
    data, layout = latent_panel(LatentAsk(**SMALL, columns=columns)).figure.values()
    curves = exact_curves(LatentAsk(**SMALL).config(), [64], integrals=False)
    for number, task in enumerate(TITLES):
        axis = "y" if number == 0 else f"y{number + 1}"
        names = [note for note in layout["annotations"] if note["yref"] == axis]
        errors = curves[curves.task == task].set_index("mechanism").error
        assert {note["text"].split("</span> ")[1] for note in names} == set(errors.index)
        heights = sorted(note["y"] for note in names)
        assert heights[0] == pytest.approx(np.log10(errors.min()))
        shown = np.log10(np.concatenate([it["y"] for it in data if it["yaxis"] == axis]))
        assert min(np.diff(heights)) > 0.08 * np.ptp(shown)


def test_every_task_has_a_picture_and_its_words():
    figure = latent_panel(LatentAsk(**SMALL)).figure
    said = [note["text"] for note in figure["layout"]["annotations"]]
    for number, task in enumerate(TITLES):
        assert PICTURES[task].words in said
        axis = f"x{len(TITLES) + number + 1}"
        assert [trace for trace in figure["data"] if trace["xaxis"] == axis]
        assert not figure["layout"][axis.replace("x", "xaxis")]["visible"]
