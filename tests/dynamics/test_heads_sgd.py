"""Stochastic descent of several heads in coordinates has the law of descent on vectors."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from soloc import Erf, Softmax, population_path, sgd_path
from soloc.predictors.heads import Heads
from soloc.risk.gram import Gram
from soloc.risk.population import population_risk
from soloc.tasks.several_locations import SeveralLocations, SeveralTruth


def started(d, heads, kinds, seed=0):
    """Unit keys and values, an orthonormal truth, and their Gram matrix."""
    rng = np.random.default_rng(seed)
    W = rng.normal(size=(2 * heads, d))
    W /= np.linalg.norm(W, axis=1, keepdims=True)
    stars = np.linalg.qr(rng.normal(size=(d, 2 * kinds)))[0].T
    return W, stars, Gram.of(W[:heads], W[heads:], stars[:kinds], stars[kinds:])


def plain(task, heads, W, stars, key, *, steps, step_size, batch_size, runs, free, momentum):
    """SGD on vectors as one would first write it: the Gram matrices of all runs at the end."""
    H = len(heads)

    def loss(W, key):
        drawn = task.sample(SeveralTruth(stars[: task.kinds], stars[task.kinds :]), key, batch_size)
        return jnp.mean((heads.predict(W[:H], W[H:], drawn.tokens) - drawn.answers) ** 2)

    def run(key):
        def step(carry, key):
            W, velocity = carry
            velocity = momentum * velocity + jax.grad(loss)(W, key)
            if free:
                return (W - step_size * velocity, velocity), None
            velocity = velocity - jnp.sum(W * velocity, axis=1, keepdims=True) * W
            W = W - step_size * velocity
            return (W / jnp.linalg.norm(W, axis=1, keepdims=True), velocity), None

        (last, _), _ = jax.lax.scan(step, (W, 0.0 * W), jax.random.split(key, steps))
        rows = jnp.concatenate([last, stars])
        return rows @ rows.T

    with jax.enable_x64(True):
        W, stars = jnp.asarray(W), jnp.asarray(stars)
        keys = jax.random.split(key, runs)
        # a part of the runs at a time: memory
        cut = max(1, runs // 10)
        each = jax.jit(jax.vmap(run))
        return np.concatenate([each(keys[i : i + cut]) for i in range(0, runs, cut)])


def p_values(task, heads, *, runs, steps, step_size=0.02, free=False, momentum=0.0, seed=0):
    """Kolmogorov-Smirnov p-values of ten entries of the Gram matrix, of both ways of training."""
    W, stars, start = started(task.d, len(heads), task.kinds, seed)
    many = Gram(np.repeat(start.matrix[None], runs, axis=0), kinds=task.kinds)
    options = {"steps": steps, "step_size": step_size, "batch_size": 2}
    short = sgd_path(
        task, heads, many, jax.random.key(1), every=steps, free_norms=free, momentum=momentum,
        **options,
    ).final.matrix  # fmt: skip
    long = plain(
        task, heads, W, stars, jax.random.key(2), runs=runs, free=free, momentum=momentum, **options
    )
    size, H = start.matrix.shape[0], len(heads)
    pairs = [(i, j) for i in range(2 * H) for j in range(i + (not free), size)]
    chosen = np.random.default_rng(5).permutation(len(pairs))[:10]
    assert np.median([short[:, i, j].std() for i, j in pairs]) > 0.02, "runs must spread"
    return {
        pairs[at]: stats.ks_2samp(short[(..., *pairs[at])], long[(..., *pairs[at])]).pvalue
        for at in chosen
    }


TASK = SeveralLocations(d=40, L=4, eps=0.3)
HEADS = Heads((Erf(0.5), Erf(0.3)))


def test_two_heads_have_the_law_of_descent_on_vectors():
    found = p_values(TASK, HEADS, runs=300, steps=20)
    assert len(found) == 10 and min(found.values()) > 1e-3, found


@pytest.mark.slow
def test_no_difference_of_law_shows_in_thousands_of_runs():
    found = p_values(TASK, HEADS, runs=3000, steps=60)
    assert len(found) == 10 and min(found.values()) > 1e-3, found


@pytest.mark.slow
@pytest.mark.parametrize(
    "task, heads, options",
    [
        pytest.param(SeveralLocations(d=7, L=4), HEADS, {}, id="seven dimensions"),
        pytest.param(
            SeveralLocations(d=9, L=5, per_kind=(2, 1), importance=(1.0, 0.5)),
            HEADS,
            {"free": True},
            id="free norms",
        ),
        pytest.param(SeveralLocations(d=12, L=3, kinds=1), HEADS, {"momentum": 0.6}, id="momentum"),
        pytest.param(SeveralLocations(d=9, L=4, kinds=3), Heads((Erf(0.4),)), {}, id="fewer heads"),
    ],
)
def test_the_law_holds_in_few_dimensions_and_with_all_options(task, heads, options):
    found = p_values(task, heads, runs=2500, steps=30, **options)
    assert min(found.values()) > 1e-3, found


@pytest.mark.slow
def test_one_head_has_the_path_of_the_single_location():
    """The same numbers are drawn: the same run, to rounding."""
    from soloc import Overlaps, SingleLocation

    _, _, start = started(30, 1, 1, seed=3)
    G = start.matrix
    o = Overlaps(G[0, 2], G[1, 3], G[1, 2], G[0, 3], G[0, 1])
    options = {"batch_size": 3, "steps": 100, "step_size": 0.01}
    key = jax.random.key(4)
    one = sgd_path(SeveralLocations(d=30, L=5, kinds=1, eps=0.2), Heads((Erf(0.4),)), start, key,
                   **options)  # fmt: skip
    single = sgd_path(SingleLocation(d=30, L=5, eps=0.2), Erf(0.4), o, key, **options)
    np.testing.assert_allclose(one.kappa_11, single.kappa, atol=1e-12)
    np.testing.assert_allclose(one.risk, single.risk, atol=1e-12)


@pytest.mark.slow
def test_the_mean_first_step_is_the_population_step():
    _, _, start = started(40, 2, 2)
    runs, alpha = 5_000, 1e-3
    many = Gram(np.repeat(start.matrix[None], runs, axis=0), kinds=2)
    noisy = sgd_path(TASK, HEADS, many, jax.random.key(5), batch_size=2, steps=1, step_size=alpha)
    exact = population_path(TASK, HEADS, start, steps=1, step_size=alpha)
    moves = noisy.final.matrix - start.matrix
    wanted = exact.final.matrix - start.matrix
    i, j = np.triu_indices(4, 1)
    z = (moves.mean(axis=0) - wanted)[i, j] / (moves.std(axis=0)[i, j] / np.sqrt(runs))
    assert np.abs(z).max() < 4.5  # a noisy step's normalisation adds far less than the noise


def test_a_start_at_the_truth_and_a_dimension_of_1e12_are_served():
    at_truth = Gram(np.block([[np.eye(4), np.eye(4)], [np.eye(4), np.eye(4)]]))
    task = SeveralLocations(d=10**12, L=5, signal=5.0)
    path = sgd_path(
        task, HEADS, at_truth, jax.random.key(1), batch_size=3, steps=20, step_size=1e-9
    )
    assert path.risk[0, 0] == pytest.approx(float(population_risk(task, HEADS, at_truth)))
    assert np.isfinite(path.final.matrix).all() and path.kappa_11[-1, 0] < 1.0


def test_what_has_no_exact_risk_is_refused_before_the_first_step():
    _, _, start = started(40, 2, 2)
    with pytest.raises(TypeError, match="must all be Erf"):
        two = Heads((Softmax(1.0), Softmax(1.0)))
        sgd_path(TASK, two, start, jax.random.key(0), batch_size=2, steps=5, step_size=0.1)
    with pytest.raises(TypeError, match="`state` must be `Gram`"):
        from soloc import Overlaps

        sgd_path(TASK, HEADS, Overlaps(0.5, 0.5), jax.random.key(0), batch_size=2, steps=5,
                 step_size=0.1)  # fmt: skip
