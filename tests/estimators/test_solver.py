"""The solver finds minima, in the identity and in a given metric, and says why it stopped."""

import numpy as np
import pytest
from scipy.optimize import rosen, rosen_der

from soloc.estimators.solver import inverse_of, minimise


def test_it_solves_rosenbrock():
    solution = minimise(
        lambda x: (rosen(x), rosen_der(x)), np.full(6, -1.0), max_iter=500, tol=1e-12
    )
    np.testing.assert_allclose(solution.point, 1.0, atol=1e-4)
    assert solution.history.converged


def test_a_quadratic_in_its_own_metric_takes_one_step():
    rng = np.random.default_rng(0)
    root = rng.standard_normal((8, 8))
    hessian = root @ root.T + 0.1 * np.eye(8)
    target = rng.standard_normal(8)

    def quadratic(x):
        return 0.5 * (x - target) @ hessian @ (x - target), hessian @ (x - target)

    solution = minimise(quadratic, np.zeros(8), inverse_of(hessian), max_iter=10, tol=1e-12)
    assert len(solution.history.objective) == 2
    np.testing.assert_allclose(solution.point, target, rtol=1e-6)


def test_it_steps_back_from_infinite_values():
    def barrier(x):
        value = float(x[0] - np.log(x[0])) if x[0] > 0 else np.inf
        return value, 1 - 1 / x

    assert minimise(barrier, np.array([0.1]), max_iter=100, tol=1e-12).point[0] == pytest.approx(
        1.0, abs=1e-4
    )


def test_running_out_of_iterations_is_not_convergence():
    solution = minimise(lambda x: (rosen(x), rosen_der(x)), np.full(6, -1.0), max_iter=2, tol=1e-12)
    assert not solution.history.converged and "`max_iter` = 2" in solution.history.reason


def test_a_singular_matrix_is_inverted_on_its_range():
    inverse = inverse_of(np.diag([1.0, 0.0]))
    assert inverse(np.array([1.0, 0.0]))[0] == pytest.approx(1.0, rel=1e-3)
