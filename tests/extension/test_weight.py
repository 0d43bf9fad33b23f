"""A weight is one class and one registration line: defined here alone, it works everywhere."""

import json
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
import pytest
from fastapi.testclient import TestClient
from tests.oracles import pointwise_plain as oracle

import soloc
from soloc import Overlaps, SingleLocation, excess_risk, population_path
from soloc.cli import main
from soloc.lab.controls import Controls, offered
from soloc.lab.server.app import create_app
from soloc.maths.engine import engine_of
from soloc.predictors.catalogue import WEIGHTS, Entry, register
from soloc.predictors.pointwise import Pointwise
from soloc.risk.best_weight import exact_at_best, kinds

TASK, O = SingleLocation(20, 6, 0.8), Overlaps(0.7, 0.6, 0.1, -0.2, 0.15)


@dataclass(frozen=True)
class Arctan(Pointwise):
    """(2/pi) arctan(strength lam a)."""

    strength: Any = 1.5

    def value(self, x):
        return 2.0 / np.pi * engine_of(x).xp.arctan(self.strength * x)


@pytest.fixture(autouse=True)
def registered():
    register(Entry("arctan", Arctan, "arctan", exact=True))
    yield
    del WEIGHTS["arctan"]
    exact_at_best.cache_clear()


def sigma(x):
    return 2.0 / np.pi * np.arctan(1.5 * x)


def test_its_risk_is_exact():
    lam = 0.7
    signal, background = (
        oracle.integrated(sigma, lam * TASK.m * O.kappa, lam * 0.8, 0.0),
        oracle.integrated(sigma, 0.0, lam, 0.0),
    )
    rest = {name: getattr(O, name) for name in ("nu", "theta", "eta", "rho")}
    expected = oracle.excess_from_moments(signal, background, TASK.m, 0.8, 6, **rest)
    assert excess_risk(TASK, Arctan(lam), O) == pytest.approx(expected, rel=1e-9)


def test_it_has_slopes_in_all_its_numbers():
    slope = jax.grad(lambda weight: excess_risk(TASK, weight, O))(Arctan(0.7, strength=2.0))
    h = 1e-5
    for name in ("lam", "strength"):
        up, down = (
            excess_risk(TASK, Arctan(**{"lam": 0.7, "strength": 2.0} | {name: at}), O)
            for at in ({"lam": 0.7, "strength": 2.0}[name] + sign * h for sign in (1, -1))
        )
        assert float(getattr(slope, name)) == pytest.approx((up - down) / (2 * h), rel=1e-4)


def test_it_trains():
    path = population_path(TASK, Arctan(0.3), O, steps=60, step_size=1e-2)
    assert path.risk[-1, 0] < path.risk[0, 0]


def test_the_command_line_knows_it(capsys):
    assert main(["risk", "--attention", "arctan", "--lam", ".7", "--d", "20", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["excess"]
    expected = excess_risk(SingleLocation(20, 10), Arctan(0.7), Overlaps(1.0, 1.0))
    assert found == pytest.approx(float(expected), rel=1e-12)


def test_the_lab_offers_it():
    assert "arctan" in offered() and isinstance(Controls(weight="arctan").attention(), Arctan)
    with TestClient(create_app(), base_url="http://127.0.0.1") as client:
        assert "arctan" in client.get("/openapi.json").text


def test_which_attention_compares_it():
    assert "arctan" in kinds().at_once
    best = exact_at_best("arctan", 20, 6, 0.8)
    beside = [excess_risk(TASK, Arctan(best.lam * step), Overlaps(1.0, 1.0)) for step in (0.9, 1.1)]
    assert best.excess <= min(beside) and isinstance(best.attention, Arctan)


def test_its_name_is_taken_while_it_is_there():
    with pytest.raises(ValueError, match="`name` and `label` must be new in the catalogue"):
        register(Entry("arctan", Arctan, "another", exact=True))
    assert soloc.weights.Arctan is Arctan
