"""Stochastic descent in overlaps has the law of stochastic descent on vectors."""

import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats
from scipy.special import erf

from soloc.dynamics.exact import trainee
from soloc.dynamics.full_dimension import Pair, vectors_path
from soloc.dynamics.population_path import population_path
from soloc.dynamics.records import above_noise
from soloc.dynamics.rules import Momentum, Plain
from soloc.dynamics.schedules import InverseDecay
from soloc.dynamics.sgd_path import sgd_path
from soloc.dynamics.starts import from_vectors, uniform_on_sphere
from soloc.dynamics.stochastic import _cholesky
from soloc.predictors.catalogue import WEIGHTS
from soloc.predictors.normalised import CosineReweighted, Softmax
from soloc.predictors.pointwise import Erf, Sigmoid
from soloc.risk.overlaps import NAMES, Overlaps
from soloc.tasks.lengths import LengthLaw
from soloc.tasks.single_location import SingleLocation, Truth

TASK = SingleLocation(d=6, L=3, eps=0.3)
START = uniform_on_sphere(6, 4, jax.random.key(0))
LAWS = [
    pytest.param(6, Erf(0.5), {}, id="plain"),
    pytest.param(4, Erf(0.5), {}, id="four dimensions"),
    pytest.param(
        5,
        Erf(0.5),
        {"momentum": 0.7, "free_norms": True},
        id="momentum and free norms in five dimensions",
    ),
    pytest.param(9, Softmax(0.5), {"momentum": 0.7}, id="softmax with momentum"),
]
MORE_LAWS = [
    *LAWS,
    pytest.param(5, Erf(0.5), {}, id="five dimensions"),
    pytest.param(4, Erf(0.5), {"momentum": 0.7}, id="momentum in four dimensions"),
    pytest.param(6, Erf(0.5), {"momentum": 0.7}, id="momentum in six dimensions"),
    pytest.param(30, Erf(0.5), {"free_norms": True}, id="free norms"),
    pytest.param(
        30,
        Sigmoid(0.5, shift=0.4, per_length=True),
        {"momentum": 0.5},
        id="sigmoid divided by the length",
    ),
    pytest.param(
        7,
        Softmax(0.8),
        {"lengths": LengthLaw((2, 3, 5), (0.3, 0.3, 0.4))},
        id="softmax with random lengths",
    ),
    pytest.param(7, Erf(0.5), {"lengths": LengthLaw((1, 4), (0.5, 0.5))}, id="random lengths"),
]


def p_values(d, weight, options, runs, steps=40, batch_size=2, step_size=0.05):
    """Kolmogorov-Smirnov p-values of every overlap, of both ways of training."""
    lengths = options.get("lengths")
    task = SingleLocation(d=d, L=3 if lengths is None else None, eps=0.3, lengths=lengths)
    momentum, free = options.get("momentum", 0.0), options.get("free_norms", False)
    rng = np.random.default_rng(d)
    truth = Truth(*np.linalg.qr(rng.normal(size=(d, 2)))[0].T)
    k, v = (np.repeat(x / np.linalg.norm(x), runs, axis=0) for x in rng.normal(size=(2, 1, d)))
    shared = {"steps": steps, "step_size": step_size, "batch_size": batch_size, "every": steps}
    short = sgd_path(
        task,
        weight,
        from_vectors(k, v, truth),
        jax.random.key(1),
        momentum=momentum,
        free_norms=free,
        **shared,
    )
    rule = Momentum(momentum) if momentum else Plain()
    long = vectors_path(
        task, truth, weight, Pair(k, v), rule=rule, free_norms=free, key=jax.random.key(2), **shared
    )
    names = [*NAMES, *(["norm_k", "norm_v"] if free else [])]
    assert np.std(short.kappa[-1]) > 0.05, "the test needs runs that spread"
    return {
        name: stats.ks_2samp(short.columns[name][-1], long.columns[name][-1]).pvalue
        for name in names
    }


@pytest.mark.parametrize(("d", "weight", "options"), LAWS[:3])
def test_overlaps_have_the_law_of_descent_on_vectors(d, weight, options):
    found = p_values(d, weight, options, runs=600, steps=25)
    assert min(found.values()) > 1e-3, found


@pytest.mark.slow
@pytest.mark.parametrize(("d", "weight", "options"), MORE_LAWS)
def test_no_difference_of_law_shows_in_thousands_of_runs(d, weight, options):
    # the recorded risk of a softmax run is an integral for every run and length
    runs = 1500 if isinstance(weight, Softmax) else 6000
    found = p_values(d, weight, options, runs=runs, steps=60)
    assert min(found.values()) > 1e-3, found


@pytest.mark.slow
def test_the_law_agrees_at_the_dimension_and_length_of_the_paper():
    task = SingleLocation(d=80, eps=0.1)
    rng = np.random.default_rng(0)
    truth = Truth(*np.linalg.qr(rng.normal(size=(80, 2)))[0].T)
    k, v = rng.normal(size=(2, 3000, 80))
    k, v = (
        k / np.linalg.norm(k, axis=1, keepdims=True),
        v / np.linalg.norm(v, axis=1, keepdims=True),
    )
    shared = {
        "steps": 60,
        "step_size": 3e-2,
        "lam": InverseDecay(2.0, 5e-2),
        "batch_size": 5,
        "every": 60,
    }
    short = sgd_path(task, Erf(2.0), from_vectors(k, v, truth), jax.random.key(1), **shared)
    long = vectors_path(task, truth, Erf(2.0), Pair(k, v), key=jax.random.key(2), **shared)
    for name in NAMES:
        assert stats.ks_2samp(short.columns[name][-1], long.columns[name][-1]).pvalue > 1e-3, name


def test_the_mean_first_step_is_the_population_step():
    task = SingleLocation(d=50, L=4, eps=0.2)
    runs, alpha = 40_000, 1e-3
    start = uniform_on_sphere(50, 1, jax.random.key(4))
    many = Overlaps(*(np.repeat(getattr(start, name), runs) for name in NAMES))
    noisy = sgd_path(
        task, Erf(0.4), many, jax.random.key(5), batch_size=2, steps=1, step_size=alpha
    )
    exact = population_path(task, Erf(0.4), start, steps=1, step_size=alpha)
    for name in NAMES:
        moves = noisy.columns[name][1] - noisy.columns[name][0]
        z = (moves.mean() - (exact.columns[name][1] - exact.columns[name][0])[0]) / (
            moves.std() / np.sqrt(runs)
        )
        # normalising a noisy step adds a bias of order alpha^2, far below the noise of the mean
        assert abs(z) < 4.5, (name, z)


def test_a_path_is_a_function_of_its_key_whatever_is_recorded():
    options = {"batch_size": 2, "steps": 300, "step_size": 0.01}
    one = sgd_path(TASK, Erf(0.5), START, jax.random.key(3), every=1, **options)
    two = sgd_path(TASK, Erf(0.5), START, jax.random.key(3), every=300, **options)
    other = sgd_path(TASK, Erf(0.5), START, jax.random.key(4), every=300, **options)
    np.testing.assert_array_equal(one.kappa[-1], two.kappa[-1])
    assert np.all(one.kappa[-1] != other.kappa[-1])
    assert len(np.unique(one.kappa[-1])) == 4, "runs have samples of their own"


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"momentum": 0.5, "free_norms": True}], ids=str)
@pytest.mark.parametrize("name", WEIGHTS)
def test_every_weight_takes_steps_whatever_the_compiler_makes_of_them(name, options):
    """Those that are arithmetic in one function of machine code, the others in many."""
    weight = WEIGHTS[name].at(0.5, 4)
    if not weight.position_free:
        pytest.skip("has no dynamics in overlaps")
    for lengths in (None, LengthLaw((2, 5), (0.5, 0.5))):
        task = SingleLocation(d=6, L=None if lengths else 4, eps=0.1, lengths=lengths)
        path = sgd_path(task, weight, START, jax.random.key(1), batch_size=2, steps=20,
                        step_size=1e-3, **options)  # fmt: skip
        assert np.isfinite(path.kappa).all() and np.all(path.nu[-1] != path.nu[0])
        # what the hard maximum chooses does not change with a small change of the key
        assert np.all((path.kappa[-1] != path.kappa[0]) == (name != "hard-max"))


def test_a_run_beside_many_others_has_the_numbers_of_its_place():
    """Runs are filled up to whole vectors: those that fill up change nobody's numbers."""
    options = {"batch_size": 2, "steps": 50, "step_size": 0.01}
    five, sixteen = (
        sgd_path(TASK, Erf(0.5), Overlaps(*(np.full(n, 0.1) for _ in NAMES)), jax.random.key(3),
                 **options)
        for n in (5, 16)
    )  # fmt: skip
    np.testing.assert_array_equal(five.kappa, sixteen.kappa[:, :5])


def test_a_batch_of_everything_costs_the_same_at_d_1e12():
    task = SingleLocation(d=10**12, L=5, signal=5.0)
    path = sgd_path(
        task,
        Erf(0.3),
        uniform_on_sphere(10**12, 3, jax.random.key(0)),
        jax.random.key(1),
        batch_size=3,
        steps=20,
        step_size=1e-9,
    )
    gram = np.stack([path.columns[name][-1] for name in NAMES])
    assert np.isfinite(gram).all() and np.abs(gram).max() <= 1.0


def test_the_truth_at_lam_2_21_has_the_excess_that_theory_gives():
    task = SingleLocation(d=80, eps=0.1)
    path = sgd_path(
        task,
        Erf(2 / 21),
        Overlaps(1.0, 1.0),
        jax.random.key(0),
        batch_size=5,
        steps=1,
        step_size=0.0,
    )
    np.testing.assert_allclose(path.risk[:, 0] - 0.01, 0.1821, atol=5e-5)


def test_the_risk_of_free_norms_is_that_of_the_scaled_predictor():
    task = SingleLocation(d=8, L=3, gamma=0.9)
    five, norm_k, norm_v = np.asarray([0.5, 0.4, 0.2, -0.3, 0.1]), 1.7, 0.6
    state = np.concatenate([five, [norm_k, norm_v]])[None, :, None]
    exact = above_noise(trainee(task, Erf(0.5)), np.asarray([[0.5]]), state)[0, 0]
    kappa, nu, theta, eta, rho = five
    rng = np.random.default_rng(0)
    n, m = 1_000_000, np.sqrt(4.0)
    a, b, c = (
        0.9
        * np.linalg.cholesky([[1, rho, eta], [rho, 1, nu], [eta, nu, 1]])
        @ rng.normal(size=(3, n))
    )
    a, b = a + m * kappa, b + m * theta
    x = rng.normal(size=(2, 2, n))
    a0, b0 = x[0], rho * x[0] + np.sqrt(1 - rho**2) * x[1]
    guess = norm_v * (erf(0.5 * norm_k * a) * b + np.sum(erf(0.5 * norm_k * a0) * b0, axis=0))
    errors = (guess - c) ** 2
    assert abs(errors.mean() - exact) < 4.5 * errors.std() / np.sqrt(n)


def test_with_free_norms_a_small_step_moves_them():
    path = sgd_path(
        TASK,
        Erf(0.5),
        START,
        jax.random.key(3),
        batch_size=4,
        steps=200,
        step_size=0.01,
        free_norms=True,
    )
    assert {"norm_k", "norm_v"} <= set(path.columns)
    np.testing.assert_allclose(path.norm_k[0], 1.0, atol=1e-15)
    assert np.all(np.abs(path.norm_k[-1] - 1.0) > 1e-3)


def test_divergence_with_free_norms_is_reported_at_its_step():
    with pytest.raises(ValueError, match=r"diverged at step \d+: its numbers are no longer finite"):
        sgd_path(
            TASK,
            Erf(0.5),
            START,
            jax.random.key(3),
            batch_size=2,
            steps=500,
            step_size=30.0,
            free_norms=True,
        )


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"batch_size": 0}, "`batch_size` must be an integer >= 1"),
        ({"momentum": 1.0}, r"`momentum` must be a number in \[0, 1\), got 1.0"),
        ({"momentum": -0.1}, "`momentum` must be a number"),
        ({"task": SingleLocation(d=6, L=np.asarray([2, 3]))}, "`task` must have one length L"),
        ({"weight": CosineReweighted(1.0)}, "`weight` must not depend on the position"),
        ({"steps": -1}, "`steps` must be an integer >= 1"),
    ],
)
def test_bad_input_gets_a_sentence(options, sentence):
    given = {
        "task": TASK,
        "weight": Erf(0.1),
        "steps": 5,
        "step_size": 1e-3,
        "batch_size": 2,
    } | options
    with pytest.raises((ValueError, TypeError), match=sentence):
        sgd_path(given.pop("task"), given.pop("weight"), START, jax.random.key(0), **given)


def test_a_square_that_vanished_does_not_blow_up_what_stands_beside_it():
    """Squares of 1e-20 are zero in single precision, products with larger numbers are not."""
    gram = {(0, 0): 1e-60, (1, 0): 1e-20, (1, 1): 4.0}
    with jax.enable_x64(True):
        _, (beside, pivot) = _cholesky({at: jnp.asarray(x) for at, x in gram.items()}, 2)
    np.testing.assert_allclose([beside, pivot], [2.0, 0.0], atol=1e-12)


WIDE = """
import jax, numpy as np
from soloc.dynamics.sgd_path import sgd_path
from soloc.dynamics.starts import uniform_on_sphere
from soloc.predictors.normalised import Softmax
from soloc.tasks.single_location import SingleLocation
for L, batch, runs, beta in ((256, 1, 16, 0.0), (1, 4, 300, 0.9), (5, 200, 1, 0.0)):
    start = uniform_on_sphere(50, runs, jax.random.key(1))
    path = sgd_path(SingleLocation(d=50, L=L), Softmax(1.0), start, jax.random.key(2),
                    batch_size=batch, steps=20, step_size=0.01, momentum=beta, every=20)
    assert np.isfinite(path.columns["kappa"]).all()
"""


def test_long_sequences_large_batches_and_many_runs_compile_on_several_cores():
    """Of loops over 4096 numbers XLA makes parallel ones, which no single function can hold."""
    several = {k: x for k, x in os.environ.items() if k not in ("XLA_FLAGS", "NPROC")}
    done = subprocess.run([sys.executable, "-c", WIDE], env=several, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-500:]
