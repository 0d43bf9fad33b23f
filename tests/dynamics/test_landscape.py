"""Critical points: the solution, the swapped minimum and the limits of the paper's runs come out by
themselves.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import binomtest

from soloc.dynamics.critical_points import describe_point
from soloc.dynamics.exact import exact_trainee
from soloc.dynamics.landscape import find_points, landscape, limits, shares, swap_lam, wilson
from soloc.dynamics.starts import uniform_on_sphere
from soloc.predictors.pointwise import Erf
from soloc.risk.closed_form import erf_excess
from soloc.risk.overlaps import NAMES, Overlaps
from soloc.risk.signal_numbers import SignalNumbers
from soloc.tasks.single_location import SingleLocation

TASK = SingleLocation(d=400)


def test_at_lam_one_tenth_the_minima_are_the_solution_and_the_swapped_one():
    table = landscape(TASK, Erf(0.1))
    minima = table[table.kind == "minimum"]
    assert sorted(minima.name) == ["solution", "solution", "swapped", "swapped"]
    np.testing.assert_allclose(minima.risk, [0.113498, 0.113498, 0.115512, 0.115512], atol=1e-6)
    swapped = minima[minima.name == "swapped"]
    np.testing.assert_allclose(
        np.sqrt(swapped.theta**2 + swapped.eta**2 + swapped.rho**2), 1.1818, atol=1e-3
    )
    assert set(table.kind) == {"minimum", "saddle", "maximum"}
    assert (table[table.kind == "maximum"].descending == 2 * 399).all()
    assert len(table) >= 24


def test_at_lam_nine_tenths_the_runs_of_the_paper_head_for_kappa_302():
    lowest = find_points(TASK, Erf(0.9))[0]
    assert lowest.kind == "minimum"
    np.testing.assert_allclose(
        np.abs(lowest.overlaps), [0.3017, 0.9471, 0.3210, 0.9534, 0.8061], atol=1e-4
    )
    start = uniform_on_sphere(400, 1, jax.random.key(2))
    end = limits(TASK, Erf(0.9), start)
    np.testing.assert_allclose(
        np.abs([float(getattr(end, name)[0]) for name in NAMES]), np.abs(lowest.overlaps), atol=1e-4
    )


def test_below_lam_0907_the_swapped_minimum_wins():
    crossing = swap_lam(TASK, Erf(0.1))
    assert crossing == pytest.approx(0.0907218, abs=1e-6)
    with pytest.raises(ValueError, match="`between` must enclose the crossing"):
        swap_lam(TASK, Erf(0.1), between=(0.2, 0.5))


def test_spectra_are_those_of_the_hessian_in_full_dimension():
    task = SingleLocation(d=7, L=4)
    trained = exact_trainee(task, Erf(0.4), Overlaps(1.0, 1.0))
    setting = SignalNumbers(task.m, task.gamma, float(task.L))

    def risk(x):
        k, v = x[:7] / jnp.linalg.norm(x[:7]), x[7:] / jnp.linalg.norm(x[7:])
        return erf_excess(setting, 0.4, Overlaps(k[0], v[1], v[0], k[1], k @ v))

    slope, bend = jax.jit(jax.grad(risk)), jax.jit(jax.hessian(risk))
    for point in find_points(task, Erf(0.4), starts=60)[::5]:
        kappa, nu, theta, eta, rho = point.overlaps
        k3 = np.sqrt(max(1 - kappa**2 - eta**2, 0.0))
        v3 = (rho - kappa * theta - eta * nu) / k3 if k3 > 1e-6 else 0.0
        v4 = np.sqrt(max(1 - theta**2 - nu**2 - v3**2, 0.0))
        x = np.concatenate([[kappa, eta, k3, 0, 0, 0, 0], [theta, nu, v3, v4, 0, 0, 0]])
        with jax.enable_x64(True):
            gradient, hessian = np.asarray(slope(x)), np.asarray(bend(x))
        assert np.abs(gradient).max() < 1e-6
        tangent = np.zeros((14, 12))
        tangent[:7, :6], tangent[7:, 6:] = (
            np.linalg.svd(x[None, :7])[2][1:].T,
            np.linalg.svd(x[None, 7:])[2][1:].T,
        )
        full = np.linalg.eigvalsh(tangent.T @ hessian @ tangent)
        four = np.concatenate([x[[0, 1, 2, 3]], x[[7, 8, 9, 10]]])
        described = describe_point(trained, four, 7.0)
        ours = np.concatenate(
            [
                described.spectrum,
                np.repeat(described.outside, 3),
                np.zeros(6 - len(described.spectrum)),
            ]
        )
        np.testing.assert_allclose(np.sort(ours), full, atol=1e-5 * np.abs(full).max())
        assert point.descending == np.sum(full < -1e-6 * np.abs(full).max())


def test_shares_add_up_and_carry_wilson_intervals():
    table = shares(SingleLocation(d=20, L=3), Erf(0.2), jax.random.key(0), runs=40)
    assert table.runs.sum() == 40 and set(table.kind) == {"minimum"}
    assert ((table.low < table.share) & (table.share < table.high)).all() or len(table) == 1


def test_the_wilson_interval_is_the_one_of_scipy():
    share, low, high = wilson(37, 1000)
    reference = binomtest(37, 1000).proportion_ci(method="wilson")
    np.testing.assert_allclose(
        [share, low, high], [0.037, reference.low, reference.high], rtol=1e-12
    )


def test_a_landscape_needs_single_numbers():
    with pytest.raises(ValueError, match="must hold single numbers"):
        landscape(TASK, Erf(np.asarray([0.1, 0.2])))
