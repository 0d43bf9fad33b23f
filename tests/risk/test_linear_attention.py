"""Optima, floors and excesses of learned linear attention against drawn data."""

import jax
import numpy as np
import pytest

from soloc.maths.harmonics import Coordinates, Harmonics
from soloc.risk.linear_attention import Masked, Supervised
from soloc.tasks.exchangeable_latent import ExchangeableLatent
from soloc.tasks.key_laws import GaussianKeys, SphereKeys

RNG = np.random.default_rng(0)


def z_score(draws, expected=0.0):
    return float((np.mean(draws) - expected) / (np.std(draws, ddof=1) / np.sqrt(len(draws))))


def supervised_batch(L, n):
    task = ExchangeableLatent(Harmonics(4, (1.0, 0.0)), SphereKeys(4), noisy_answer=True, L=L)
    return task.sample((), jax.random.key(L), n)


@pytest.mark.parametrize("L", [2, 8, 30])
def test_supervised_optimum_risk_and_excess_are_those_of_drawn_data(L):
    law, batch = Supervised(4, L, 0.5), supervised_batch(L, 20_000)
    moment = (batch.values * batch.keys).mean(1)
    y = batch.answers[:, 0]
    best = law.optimum * np.einsum("nd,nd->n", moment, batch.query)
    assert abs(z_score((y - best) ** 2, law.optimal_risk)) < 4
    other = law.optimum * np.eye(4) + RNG.standard_normal((4, 4))
    learned = np.einsum("nd,de,ne->n", moment, other, batch.query)
    assert abs(z_score((y - learned) ** 2 - (y - best) ** 2, law.tied_excess(other))) < 4


def test_untied_excess_is_that_of_drawn_data_and_of_tied_weights_when_they_agree():
    L = 5
    law, batch = Supervised(4, L, 0.5), supervised_batch(L, 30_000)
    gammas = law.optimum / L * np.eye(4) + 0.3 * RNG.standard_normal((L, 4, 4))
    y = batch.answers[:, 0]
    best = (
        law.optimum / L * np.einsum("nl,nld,nd->n", batch.values[..., 0], batch.keys, batch.query)
    )
    learned = np.einsum("nl,nld,lde,ne->n", batch.values[..., 0], batch.keys, gammas, batch.query)
    assert abs(z_score((y - learned) ** 2 - (y - best) ** 2, law.untied_excess(gammas))) < 4
    tied = RNG.standard_normal((4, 4))
    assert law.untied_excess(np.tile(tied / L, (L, 1, 1))) == pytest.approx(law.tied_excess(tied))


@pytest.mark.parametrize("L", [3, 20])
def test_masked_optimum_floor_excess_and_readout_are_those_of_drawn_data(L):
    variances = np.array([1.0, 0.5, 0.1])
    law = Masked(variances, L, 0.5)
    task = ExchangeableLatent(
        Coordinates(), GaussianKeys(tuple(variances)), dv=2, noisy_answer=True, L=L
    )
    batch = task.sample((), jax.random.key(L), 30_000)
    moment = batch.values.transpose(0, 2, 1) @ batch.keys / L

    def squares(gamma, query, target):
        return np.mean((target - np.einsum("nvd,de,ne->nv", moment, gamma, query)) ** 2, -1)

    best, other = np.diag(law.optimum), np.diag(law.optimum) + 0.5 * RNG.standard_normal((3, 3))
    masked = [squares(gamma, batch.query, batch.answers) for gamma in (best, other)]
    form = law.excess_form(other)
    assert abs(z_score(masked[0], law.optimal_risk)) < 4
    assert abs(z_score(masked[1] - masked[0], variances @ np.diag(form))) < 4
    direction = np.array([0.0, 0.6, 0.8])
    query = np.broadcast_to(direction, batch.query.shape)
    asked = batch.latent @ direction
    down = [squares(gamma, query, asked) for gamma in (best, other)]
    assert abs(z_score(down[0], direction**2 @ law.floor)) < 4
    assert abs(z_score(down[1] - down[0], direction @ form @ direction)) < 4
    head = RNG.standard_normal((2, 3))
    read = (asked[:, 0] - np.einsum("nvd,de,ve->n", moment, other, head)) ** 2
    assert abs(z_score(read, law.readout_error(other, direction, head))) < 4
