"""The paper's runs at full length: end points equal to those on vectors."""

import numpy as np
import pytest

from soloc.dynamics.full_dimension import Pair, vectors_path
from soloc.dynamics.population_path import population_path
from soloc.dynamics.schedules import InverseDecay
from soloc.dynamics.starts import from_vectors
from soloc.predictors.pointwise import Erf
from soloc.risk.overlaps import NAMES
from soloc.tasks.single_location import SingleLocation, Truth

PAPER = [
    pytest.param(True, 0.1, 4e-3, 20_000, id="manifold"),
    pytest.param(False, 0.9, 1e-3, 120_000, id="lam .9"),
    pytest.param(False, 0.1, 4e-3, 20_000, id="lam .1"),
    pytest.param(False, InverseDecay(1.0, 1e-4), 4e-3, 120_000, id="schedule"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("on_manifold", "lam", "step_size", "steps"), PAPER)
def test_end_points_equal_those_on_vectors_to_1e_9(on_manifold, lam, step_size, steps):
    """The schedule's first steps are too long: two roundings part by 1e-2 and meet again."""
    rng = np.random.default_rng(0)
    truth = Truth(*np.linalg.qr(rng.normal(size=(400, 2)))[0].T)
    k, v = rng.normal(size=(2, 4, 400))
    if on_manifold:
        k = k - (k @ truth.v)[:, None] * truth.v
        k = k / np.linalg.norm(k, axis=1, keepdims=True)
        for i in range(4):
            basis = np.linalg.qr(np.stack([truth.k, k[i]], axis=1))[0]
            v[i] = v[i] - basis @ (basis.T @ v[i])
    k, v = (
        k / np.linalg.norm(k, axis=1, keepdims=True),
        v / np.linalg.norm(v, axis=1, keepdims=True),
    )
    options = {"steps": steps, "step_size": step_size, "lam": lam, "every": steps}
    task = SingleLocation(d=400)
    short = population_path(task, Erf(1.0), from_vectors(k, v, truth), **options)
    long = vectors_path(task, truth, Erf(1.0), Pair(k, v), **options)
    for name in NAMES:
        np.testing.assert_allclose(
            short.columns[name][-1], long.columns[name][-1], atol=1e-9, err_msg=name
        )
