"""Laws of the attention weights, component-wise and normalised."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import erf, expit

from soloc import weights
from soloc.predictors.catalogue import WEIGHTS

POINTWISE = {
    weights.Erf(0.8): lambda x: erf(x),
    weights.Linear(0.8): lambda x: x,
    weights.OnePlusLinear(0.8): lambda x: 1 + x,
    weights.Tanh(0.8): np.tanh,
    weights.Sigmoid(0.8, shift=1.5): lambda x: expit(x - 1.5),
    weights.OnePlusErf(0.8, shift=0.5): lambda x: 1 + erf(x - 0.5),
    weights.ReLU(0.8): lambda x: np.maximum(x, 0),
    weights.Softplus(0.8): lambda x: np.log1p(np.exp(x)),
    weights.Exponential(0.8): np.exp,
}
KERNELS = {
    weights.Softmax(0.8): np.exp,
    weights.NormalisedSoftplus(0.8): lambda x: np.log1p(np.exp(x)),
    weights.NormalisedSigmoid(0.8): expit,
    weights.NormalisedReLU(0.8): lambda x: np.maximum(x, 0),
}
ALL_SCORES = [
    *KERNELS,
    weights.CosineReweighted(0.8),
    weights.Sparsemax(0.8),
    weights.Entmax15(0.8),
    weights.HardMax(0.8),
]
assert {type(weight) for weight in (*POINTWISE, *ALL_SCORES)} == {
    entry.kind for entry in WEIGHTS.values()
}, "every weight of the catalogue has its formula here"
SCORES = np.random.default_rng(0).normal(size=(40, 6))
SCORES[:, 0] = np.abs(SCORES[:, 0])  # one positive score, so that no kernel vanishes everywhere
PRESENT = np.arange(6) < np.random.default_rng(1).integers(1, 7, size=(40, 1))


def named(weights):
    return pytest.mark.parametrize(
        "weight", list(weights), ids=lambda weight: type(weight).__name__
    )


def double(weight, *arguments):
    with jax.enable_x64(True):
        return np.asarray(weight(*map(jnp.asarray, arguments)))


@named(POINTWISE)
def test_component_wise_weights_are_their_formulas(weight):
    true = POINTWISE[weight](0.8 * SCORES)
    assert double(weight, SCORES) == pytest.approx(true, abs=1e-14)
    assert double(weight.complement, 0.8 * SCORES) == pytest.approx(1 - true, abs=1e-14)


@named(POINTWISE)
def test_absent_tokens_weigh_nothing_and_the_length_divides(weight):
    plain = double(weight, SCORES)
    masked = double(weight, SCORES, PRESENT)
    assert masked == pytest.approx(np.where(PRESENT, plain, 0.0))
    per_length = type(weight)(**{**vars(weight), "per_length": True})
    assert double(per_length, SCORES) == pytest.approx(plain / 6)
    assert double(per_length, SCORES, PRESENT) == pytest.approx(
        masked / PRESENT.sum(-1, keepdims=True)
    )


@pytest.mark.parametrize(
    "weight", [weights.Erf(1.0), weights.Tanh(1.0), weights.Sigmoid(1.0)], ids=str
)
def test_a_saturated_weight_knows_how_far_it_is_from_one(weight):
    assert 0 < double(weight.complement, np.array([20.0]))[0] < 1e-8


@named(KERNELS)
def test_normalised_kernels_are_their_formulas(weight):
    kernel = KERNELS[weight](0.8 * SCORES)
    assert double(weight, SCORES) == pytest.approx(
        kernel / kernel.sum(-1, keepdims=True), abs=1e-14
    )


@named(ALL_SCORES)
def test_weights_that_see_all_scores_sum_to_one_over_the_present_tokens(weight):
    weights = double(weight, SCORES, PRESENT)
    assert np.all(weights >= 0) and weights.sum(-1) == pytest.approx(np.ones(40))
    assert not weights[~PRESENT].any()


@named(ALL_SCORES)
def test_absent_tokens_do_not_change_the_others(weight):
    short = double(weight, SCORES[:, :3])
    padded = double(weight, SCORES, np.broadcast_to(np.arange(6) < 3, SCORES.shape))
    assert padded[:, :3] == pytest.approx(short, abs=1e-14)


@named(ALL_SCORES)
def test_huge_scores_give_finite_weights(weight):
    weights = double(weight, 1e6 * SCORES)
    assert np.all(np.isfinite(weights)) and weights.sum(-1) == pytest.approx(np.ones(40))


def test_a_kernel_that_vanishes_everywhere_answers_zero():
    for weight in (weights.NormalisedReLU(1.0), weights.CosineReweighted(1.0)):
        assert not double(weight, -np.abs(SCORES)).any()


def test_cosine_reweighting_depends_on_the_position():
    found = double(weights.CosineReweighted(1.0), np.ones(4))
    cosines = np.cos(0.5 * np.pi * np.arange(4) / 4)
    assert found == pytest.approx(cosines / cosines.sum())


def test_hard_maximum_is_the_limit_of_softmax_and_of_sparsemax():
    hard = double(weights.HardMax(), SCORES)
    for weight in (weights.Softmax(1e5), weights.Sparsemax(1e5), weights.Entmax15(1e5)):
        assert double(weight, SCORES) == pytest.approx(hard, abs=1e-9)


@named([*POINTWISE, *ALL_SCORES])
def test_an_inverse_temperature_that_is_no_number_is_refused(weight):
    with pytest.raises(ValueError, match="`lam` must be a finite number, got nan"):
        type(weight)(np.nan)
    with pytest.raises(TypeError, match="`lam` must be a finite number, got 'hot'"):
        type(weight)("hot")


@pytest.mark.parametrize("entry", WEIGHTS.values(), ids=lambda entry: entry.name)
def test_jax_takes_a_weight_apart_and_gives_it_back(entry):
    weight = entry.at(1, 7)
    leaves, structure = jax.tree.flatten(weight)
    assert leaves[0] == 1.0 and isinstance(leaves[0], float)
    assert jax.tree.unflatten(structure, leaves) == weight
    assert type(jax.jit(lambda weight: weight)(weight)) is entry.kind
    with jax.enable_x64(True):
        slope = jax.grad(lambda weight: jnp.sum(weight(SCORES) ** 2))(weight)
    assert type(slope) is entry.kind and np.isfinite(slope.lam)
