"""Several heads on several kinds: the Gram risk against theory, one head and plain simulation."""

import math
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.linalg import hadamard
from scipy.special import erf

from soloc import Erf, Overlaps, SingleLocation, Softmax, excess_risk, monte_carlo_risk
from soloc.predictors.heads import Heads
from soloc.risk.gram import Gram
from soloc.risk.pairs import find
from soloc.risk.several_locations import several_excess
from soloc.risk.signal_numbers import SignalNumbers
from soloc.tasks.several_locations import SeveralLocations


def heads(*lam):
    return Heads(tuple(map(Erf, lam)))


def gram_of(*rows):
    W = np.concatenate([np.atleast_2d(row) for row in rows])
    return Gram(W @ W.T)


def truth_of(H):
    return gram_of(np.eye(2 * H), np.eye(2 * H))


def code_of(H):
    """k_h = sum_g O_hg k*_g and v_h = sum_g O_hg v*_g, O = Hadamard / sqrt(H)."""
    O, zero = hadamard(H) / math.sqrt(H), np.zeros((H, H))
    return gram_of(np.hstack([O, zero]), np.hstack([zero, O]), np.eye(2 * H))


def example():
    """Section 2.6 of the theory: two heads and two kinds in R^6."""
    keys = np.array([[0.6, 0.1, 0.2, -0.1, 0.3, 0.5], [-0.2, 0.7, 0.1, 0.3, 0.4, -0.3]])
    values = np.array([[0.1, 0.2, 0.8, 0.1, -0.2, 0.3], [0.3, -0.1, 0.2, 0.6, 0.5, 0.1]])
    rows = [part / np.linalg.norm(part, axis=1, keepdims=True) for part in (keys, values)]
    return Gram.of(*rows, np.eye(6)[:2], np.eye(6)[2:4])


EXAMPLE = SeveralLocations(d=6, L=6, signal=2.0, gamma=0.7)


def test_the_check_value_of_the_theory():
    found = excess_risk(EXAMPLE, heads(0.8, 0.5), example())
    assert float(found) == pytest.approx(6.50429015645599, abs=1e-12)


@pytest.mark.parametrize(
    "H, value", [(1, 0.113498082965), (2, 0.208332353698), (3, 0.284502812199)]
)
def test_the_truth_pair_by_pair(H, value):
    task = SeveralLocations(d=400, L=10, kinds=H)
    assert float(excess_risk(task, heads(*[0.1] * H), truth_of(H))) == pytest.approx(
        value, abs=1e-12
    )


@pytest.mark.parametrize(
    "H, L, truth, code",
    [
        (2, 10, 0.126374, 0.095616),
        (4, 10, 0.219612, 0.140237),
        (8, 10, 0.287139, 0.149407),
        (2, 100, 0.526159, 0.511664),
        (8, 100, 2.063528, 1.953286),
    ],
)
def test_the_sum_and_difference_code_beats_the_truth(H, L, truth, code):
    task = SeveralLocations(d=400, L=L, kinds=H)
    for state, value in ((truth_of(H), truth), (code_of(H), code)):
        lam = np.geomspace(0.005, 0.2, 100)
        for _ in range(3):  # closer around the best
            found = excess_risk(task, Heads((Erf(1.0),) * H, lam=lam), state)
            best = int(np.argmin(found))
            lam = np.linspace(lam[best - 1], lam[best + 1], 100)
        assert np.min(found) == pytest.approx(value, abs=5.1e-7)  # all digits given


def test_one_head_is_the_single_location():
    rng = np.random.default_rng(0)
    for _ in range(30):
        W = rng.normal(size=(2, 7))
        W /= np.linalg.norm(W, axis=1, keepdims=True)
        gram = Gram.of(W[:1], W[1:], np.eye(7)[:1], np.eye(7)[1:2])
        m, gamma, lam = rng.uniform(0.1, [5.0, 2.0, 2.0])
        L, G = int(rng.integers(3, 40)), gram.matrix
        o = Overlaps(G[0, 2], G[1, 3], G[1, 2], G[0, 3], G[0, 1])
        one = SeveralLocations(d=7, L=L, kinds=1, signal=m, gamma=gamma)
        single = SingleLocation(d=7, L=L, signal=m, gamma=gamma)
        wanted = excess_risk(single, Erf(lam), o)
        assert excess_risk(one, heads(lam), gram) == pytest.approx(float(wanted), rel=1e-12)
        three = SeveralLocations(d=7, L=L, kinds=1, per_kind=3, signal=m, gamma=gamma)
        wanted = several_excess(SignalNumbers.of(single), lam, o, 3.0)
        assert excess_risk(three, heads(lam), gram) == pytest.approx(float(wanted), rel=1e-12)


def test_near_the_truth_of_one_head_no_digit_is_lost():
    one = SeveralLocations(d=8, L=1, kinds=1, signal=14.0, gamma=0.5)
    single = SingleLocation(d=8, L=1, signal=14.0, gamma=0.5)
    found = excess_risk(one, heads(0.9), truth_of(1))
    assert 0.0 < found < 1e-79
    wanted = excess_risk(single, Erf(0.9), Overlaps(1.0, 1.0))
    assert found == pytest.approx(float(wanted), rel=1e-10, abs=0.0)


def random_pair(rng, d=12):
    """A task, heads and Gram matrix of random sizes and norms."""
    H, kinds = (int(n) for n in rng.integers(1, 5, size=2))
    per_kind = tuple(int(n) for n in rng.integers(1, 3, size=kinds))
    task = SeveralLocations(
        d=d,
        L=sum(per_kind) + int(rng.integers(0, 5)),
        kinds=kinds,
        per_kind=per_kind,
        signal=rng.uniform(0.5, 3.0),
        gamma=rng.uniform(0.3, 1.5),
        importance=tuple(rng.uniform(0.3, 1.5, size=kinds)),
    )
    W = rng.normal(size=(2 * H, d))
    W /= np.linalg.norm(W, axis=1, keepdims=True) / rng.uniform(0.5, 1.5)
    stars = np.linalg.qr(rng.normal(size=(d, 2 * kinds)))[0].T
    gram = Gram.of(W[:H], W[H:], stars[:kinds], stars[kinds:])
    return task, heads(*rng.uniform(0.1, 2.0, size=H)), gram


def plainly(task, heads, gram, rng, n):
    """Squared errors of n sequences in R^12: vectors with these inner products, drawn tokens."""
    size, vectors = np.linalg.eigh(gram.matrix)
    W = vectors * np.sqrt(np.maximum(size, 0.0))  # any vectors with the Gram matrix will do
    H, kinds, rows = len(heads), task.kinds, gram.matrix.shape[0]
    W = np.hstack([W, np.zeros((rows, 2))])  # and directions that nobody looks at
    X = rng.normal(size=(n, task.L, W.shape[1]))
    answers, place = np.zeros(n), 0
    for g, count in enumerate(task.per_kind):
        for _ in range(count):
            X[:, place] = task.m * W[2 * H + g] + task.gamma * X[:, place]
            answers += task.importance[g] * X[:, place] @ W[2 * H + kinds + g]
            place += 1
    guess = sum(
        np.sum(erf(weight.lam * X @ W[h]) * (X @ W[H + h]), axis=1)
        for h, weight in enumerate(heads.heads)
    )
    return (guess - answers) ** 2


def test_fifty_random_settings_agree_with_full_dimension():
    rng, n, z = np.random.default_rng(7), 20_000, []
    for _ in range(50):
        pair = random_pair(rng)
        squares = plainly(*pair, rng, n)
        exact = float(excess_risk(*pair))
        z.append((squares.mean() - exact) / (squares.std() / math.sqrt(n)))
    assert np.abs(z).max() < 4.5
    assert 0.6 < np.std(z) < 1.5  # errors that are errors


def test_a_random_setting_agrees_with_the_package_s_own_simulation():
    pair = random_pair(np.random.default_rng(8))
    drawn = monte_carlo_risk(*pair, jax.random.key(0), 10_000)
    assert abs(float(excess_risk(*pair)) - drawn.value) < 4.5 * drawn.error


def test_slopes_are_differences_and_those_that_training_follows():
    rng = np.random.default_rng(1)
    for _ in range(2):
        task, some, gram = random_pair(rng)
        way = rng.normal(size=gram.matrix.shape)
        way = (way + way.T) / np.abs(way).max()

        def along(h, pair=(task, some), gram=gram, way=way):
            return excess_risk(*pair, jax.tree.map(lambda g: g + h * way, gram))

        coarse, fine, finer = ((along(h) - along(-h)) / (2 * h) for h in (2e-3, 1e-3, 5e-4))
        # twice extrapolated: an error of order h^6
        difference = (64 * finer - 20 * fine + coarse) / 45
        risk = find(task, some)
        with jax.enable_x64(True):
            state = jax.tree.map(jnp.asarray, gram)
            slopes = np.asarray(jax.grad(partial(excess_risk, task, some))(state).matrix)
            numbers = jax.tree.map(jnp.asarray, risk.numbers(task))
            both = jax.jit(risk.slopes(task, some).watched.both)
            closed, value = both(state, numbers, some, some.lam)
        assert float(np.sum(slopes * way)) == pytest.approx(difference, rel=1e-8)
        wanted, students = slopes + slopes.T, 2 * len(some)
        np.testing.assert_allclose(
            closed.matrix[:students], wanted[:students], atol=1e-12 * np.abs(wanted).max()
        )
        assert not np.asarray(closed.matrix)[students:].any()
        assert float(value) == pytest.approx(float(excess_risk(task, some, gram)), rel=1e-12)


def test_gram_matrices_and_heads_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="`matrix` must be square"):
        Gram(np.eye(5))
    with pytest.raises(ValueError, match="`matrix` must hold the inner products"):
        Gram(np.diag([1.0, 1.0, 1.0, -1.0]))
    with pytest.raises(TypeError, match="`weights` must be a tuple"):
        Heads(())
    with pytest.raises(ValueError, match="`state` must be a Gram matrix of 8 rows"):
        excess_risk(EXAMPLE, heads(0.8, 0.5), truth_of(3))
    with pytest.raises(TypeError, match="monte_carlo_risk"):
        excess_risk(EXAMPLE, Heads((Softmax(1.0), Softmax(1.0))), example())


def test_softmax_heads_are_answered_by_simulation():
    two = Heads((Softmax(2.0), Softmax(2.0)))
    task = SeveralLocations(d=8, L=6, signal=3.0, gamma=0.7)
    at_truth = monte_carlo_risk(task, two, truth_of(2), jax.random.key(0), 5000)
    assert at_truth.value + 6 * at_truth.error < float(task.null_risk())
