"""Latent: exact curves against simulation, the panel for every setting, and its Python lines."""

import json

import numpy as np
import pytest

from soloc.experiments.latent.exact_curves import exact_curves
from soloc.experiments.latent.tasks import Config, run
from soloc.lab.views.latent import LatentAsk, latent_panel

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
