"""Every latent experiment: plain config, pure run along its axes, claims that hold, a figure."""

import json
from dataclasses import asdict, replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from soloc.experiments import certificates
from soloc.experiments.experiment import cells
from soloc.experiments.latent import batches, supervised, tasks
from soloc.experiments.registry import chapter
from soloc.report.drawings import draw

LATENT = chapter("latent")
SMALL = {
    "latent_tasks": {"lengths": (4, 16), "sequences": 60},
    "latent_representation": {"lengths": (4, 16, 50_000), "sequences": 20},
    "latent_inference": {"lengths": (128, 256), "sequences": 20},
    "latent_degrees": {"lengths": (256, 1024), "sequences": 5},
    "latent_supervised": {"lengths": (8, 64), "sequences": 2048, "samples": (512, 1024)},
    "latent_pretraining": {"conditions": (1, 10), "runs": 3},
    "latent_order": {"lengths": (8, 32), "sequences": 100},
}
every_experiment = pytest.mark.parametrize("experiment", LATENT, ids=lambda e: e.name)


@cache
def quick_table(name):
    experiment = next(e for e in LATENT if e.name == name)
    return experiment.run(experiment.quick)


@every_experiment
def test_its_configs_are_plain_values(experiment):
    for config in (experiment.config, experiment.quick):
        assert json.loads(json.dumps(asdict(config)))["seed"] == 0


@every_experiment
def test_its_table_is_that_of_its_cells_in_order(experiment):
    config = replace(experiment.quick, **SMALL[experiment.name])
    assert len(cells(config, experiment.axes)) > 1
    parts = [experiment.run(cell) for cell in cells(config, experiment.axes)]
    pd.testing.assert_frame_equal(experiment.run(config), pd.concat(parts, ignore_index=True))


@every_experiment
def test_another_seed_gives_other_numbers(experiment):
    config = replace(experiment.quick, **SMALL[experiment.name])
    config = cells(config, experiment.axes)[0]
    assert not experiment.run(config).equals(experiment.run(replace(config, seed=1)))


@every_experiment
def test_its_claims_hold_at_quick_settings(experiment):
    failed = [c for c in experiment.certificates(quick_table(experiment.name)) if not c.passed]
    assert not failed


@every_experiment
def test_its_findings_are_two_sentences(experiment):
    said = experiment.findings(quick_table(experiment.name))
    assert said.endswith(".")
    assert said.count(". ") == 1


@every_experiment
def test_its_figure_is_drawn_from_the_table_alone(experiment, tmp_path):
    drawing = draw(experiment.drawn_by, quick_table(experiment.name))
    assert isinstance(drawing, Figure)
    drawing.savefig(tmp_path / "figure.png", dpi=40)


def test_the_five_caveats_are_told_with_numbers():
    caveats = {c.caveat for e in LATENT for c in e.certificates(quick_table(e.name)) if c.caveat}
    for words in (
        "4.3% of the output is unexplained",
        "The absolute gap is not constant in L",
        "Learning finds the risk, not the parameter",
        "A free linear head absorbs any invertible Gamma",
        "K acts twice",
    ):
        told = [caveat for caveat in caveats if words in caveat]
        assert len(told) == 1, words
        assert any(character.isdigit() for character in told[0])


def test_the_overview_names_what_unifies_three_tasks():
    overview = tasks.overview(quick_table("latent_tasks")).set_index("task")
    assert overview["exchangeable"].to_dict() == {
        "ExchangeableLatent": "infinite",
        "NoisyRecall": "finite",
        "SingleLocation": "finite",
    }
    assert overview["exactly Bayes"].tolist() == ["CME", "softmax", "softmax"]
    assert [moves.split(":")[0] for moves in overview["Bayes risk"]] == ["falls", "rises", "rises"]


def test_the_control_variate_leaves_the_mean_gap_and_shrinks_its_noise():
    config = supervised.Config(lengths=(8,), sequences=20_480, samples=(512,), untied_length=0)
    row = supervised.run(config).iloc[0]
    law = supervised.Supervised(4, 8, 0.5)
    # of a plain gap: of one empirical risk, at least
    noise = np.sqrt(2) * law.optimal_risk / np.sqrt(512)
    assert row["standard_error"] * np.sqrt(40) < 0.6 * noise
    assert row["gap"] == pytest.approx(2 * row["excess"], rel=0.15)


def test_bands_and_slopes_say_what_they_measure():
    assert certificates.log_slope([1, 10, 100], [5, 0.5, 0.05]) == pytest.approx(-1)
    assert certificates.band("c", "k", 0.5, 0, 1).passed
    assert not certificates.band("c", "k", float("nan"), 0, 1).passed
    assert not certificates.at_most("c", "k", 2.0, 1).passed
    assert list(batches.pieces(5, 10, tokens=20)) == [(0, 2), (1, 2), (2, 1)]
