"""The map of the five overlaps: slopes against differentiation and 50-digit arithmetic, the step
against vectors.
"""

import jax
import jax.numpy as jnp
import mpmath as mp
import numpy as np
import pytest

from soloc.dynamics.overlap_map import flow_velocity, projected_step
from soloc.risk.closed_form import erf_excess
from soloc.risk.closed_slopes import erf_slopes, erf_table
from soloc.risk.overlaps import NAMES, Overlaps
from soloc.risk.signal_numbers import SignalNumbers
from tests.oracles.erf_mpmath import erf_excess as exact_excess

TASKS = [(np.sqrt(200.0), np.sqrt(0.5), 10.0), (2.0, 1.3, 3.0), (1e3, 0.2, 1.0)]


def random_overlaps(n, seed=0, d=6):
    rng = np.random.default_rng(seed)
    k, v = rng.normal(size=(2, n, d))
    k, v = (
        k / np.linalg.norm(k, axis=1, keepdims=True),
        v / np.linalg.norm(v, axis=1, keepdims=True),
    )
    return Overlaps.unchecked(k[:, 0], v[:, 1], v[:, 0], k[:, 1], np.sum(k * v, axis=1)), k, v


def slopes_at(lam, m, gamma, L, o):
    table = erf_table(jnp.full((1, 1), lam), gamma, L)
    return erf_slopes(o, m, gamma**2, jax.tree.map(lambda x: x[0], table))


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("lam", [1e-3, 0.1, 0.9, 5.0])
def test_erf_slopes_are_the_gradient_of_the_closed_risk(task, lam):
    m, gamma, L = task
    o, _, _ = random_overlaps(200)

    def risk(o):
        return jnp.sum(erf_excess(SignalNumbers(m, gamma, L), lam, Overlaps(*o)))

    with jax.enable_x64(True):
        by_hand, automatic = (
            slopes_at(lam, m, gamma, L, o),
            jax.grad(risk)(Overlaps.unchecked(*map(jnp.asarray, o))),
        )
        scale = max(float(jnp.abs(slope).max()) for slope in automatic)
        for name, mine, theirs in zip(NAMES, by_hand, automatic, strict=True):
            np.testing.assert_allclose(
                mine, theirs, atol=2e-14 * max(scale, 1.0), rtol=1e-11, err_msg=name
            )


@pytest.mark.slow
def test_erf_slopes_agree_with_differences_of_the_50_digit_risk():
    m, gamma, L, lam = 3.0, 0.8, 4, 0.4
    o, _, _ = random_overlaps(1, seed=3)
    five = [float(x[0]) for x in o]
    with jax.enable_x64(True):
        slopes = [float(slope[0]) for slope in slopes_at(lam, m, gamma, float(L), o)]
    h = mp.mpf(10) ** -8
    for i in range(5):
        with mp.workdps(50):
            up, down = list(map(mp.mpf, five)), list(map(mp.mpf, five))
            up[i] += h
            down[i] -= h
            difference = (
                exact_excess(m, gamma, L, lam, *up) - exact_excess(m, gamma, L, lam, *down)
            ) / (2 * h)
        assert abs(float(difference) - slopes[i]) < 1e-12


def step_on_vectors(k, v, slopes, alpha):
    """The same step on vectors in R^6 whose first axes are k* and v*."""
    K, N, T, E, R = (np.asarray(slope)[:, None] for slope in slopes)
    k_star, v_star = np.eye(6)[0], np.eye(6)[1]
    gk, gv = K * k_star + E * v_star + R * v, N * v_star + T * k_star + R * k
    tangent = lambda g, x: g - np.sum(g * x, axis=1, keepdims=True) * x  # noqa: E731
    return -tangent(gk, k), -tangent(gv, v)


def overlaps_of(k, v):
    return np.stack([k[:, 0], v[:, 1], v[:, 0], k[:, 1], np.sum(k * v, axis=1)])


@pytest.mark.parametrize("alpha", [1e-3, 0.3])
def test_a_step_of_the_map_is_the_step_on_vectors(alpha):
    o, k, v = random_overlaps(50)
    slopes = Overlaps.unchecked(*np.random.default_rng(1).normal(size=(5, 50)))
    with jax.enable_x64(True):
        mapped = np.stack(
            list(projected_step(Overlaps.unchecked(*map(jnp.asarray, o)), slopes, alpha))
        )
    move_k, move_v = step_on_vectors(k, v, slopes, alpha)
    k, v = k + alpha * move_k, v + alpha * move_v
    k, v = (
        k / np.linalg.norm(k, axis=1, keepdims=True),
        v / np.linalg.norm(v, axis=1, keepdims=True),
    )
    np.testing.assert_allclose(mapped, overlaps_of(k, v), atol=1e-14)


def test_the_velocity_of_the_flow_is_the_limit_of_small_steps():
    o, k, v = random_overlaps(50)
    slopes = Overlaps.unchecked(*np.random.default_rng(1).normal(size=(5, 50)))
    with jax.enable_x64(True):
        velocity = np.stack(list(flow_velocity(Overlaps.unchecked(*map(jnp.asarray, o)), slopes)))
    move_k, move_v = step_on_vectors(k, v, slopes, 1.0)
    k_rate = np.stack(
        [
            move_k[:, 0],
            move_v[:, 1],
            move_v[:, 0],
            move_k[:, 1],
            np.sum(move_k * v + k * move_v, axis=1),
        ]
    )
    np.testing.assert_allclose(velocity, k_rate, atol=1e-14)


def test_the_truth_and_the_manifold_stay_where_they_are():
    lam, (m, gamma, L) = 0.1, TASKS[0]
    o = Overlaps.unchecked(
        *(jnp.asarray(x) for x in ([1.0, 0.3], [1.0, -0.2], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]))
    )
    with jax.enable_x64(True):
        o = Overlaps.unchecked(*(x.astype(float) for x in o))
        after = projected_step(o, slopes_at(lam, m, gamma, L, o), 4e-3)
    after = np.stack(list(after))
    np.testing.assert_allclose(after[:2, 0], 1.0, atol=1e-15)
    assert np.all(after[2:] == 0.0)


def test_rounding_never_takes_an_overlap_beyond_one():
    """Near its end a run gathers rounding; who asks for an overlap of it must get a cosine."""
    up = np.nextafter(1.0, 2.0)
    for sign in (1.0, -1.0):
        o = Overlaps.unchecked(*(np.asarray(sign * x) for x in (up, up, 0.0, 0.0, 0.0)))
        flat = Overlaps.unchecked(*np.zeros(5))
        with jax.enable_x64(True):
            after = projected_step(o, flat, 1e-3)
        assert float(after.kappa) == sign
        assert float(after.nu) == sign
