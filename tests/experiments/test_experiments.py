"""Claims hold at the quick settings, findings are two sentences, figures draw."""

import pytest

from soloc.experiments.registry import EXPERIMENTS
from soloc.figures.export import figure_bytes
from soloc.report.drawings import draw

OURS = [experiment for experiment in EXPERIMENTS.values() if experiment.chapter != "latent"]
CHEAP = ("training_manifold", "temperature")


def check(experiment):
    if experiment.lacking():
        pytest.skip(experiment.lacking())
    table = experiment.run(experiment.quick)
    claims = experiment.certificates(table)
    failed = [
        f"{claim.claim}: {claim.measured} (expected {claim.expected})"
        for claim in claims
        if not claim.passed
    ]
    assert claims and not failed
    assert len(experiment.findings(table)) > 80
    figure = draw(experiment.drawn_by, table)
    assert figure_bytes(figure, "svg", experiment.name).startswith(b"<?xml")


@pytest.mark.parametrize("experiment", [e for e in OURS if e.name in CHEAP], ids=lambda e: e.name)
def test_a_cheap_experiment_holds_its_claims_at_the_quick_settings(experiment):
    check(experiment)


@pytest.mark.slow
@pytest.mark.parametrize(
    "experiment", [e for e in OURS if e.name not in CHEAP], ids=lambda e: e.name
)
def test_an_experiment_holds_its_claims_at_the_quick_settings(experiment):
    check(experiment)
