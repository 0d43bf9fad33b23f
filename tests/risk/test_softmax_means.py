"""One-token means of softmax, and the moments built on them, against dense sums and an exact
identity.
"""

import numpy as np
import pytest

from soloc import Overlaps, SingleLocation, Softmax, excess_risk
from soloc.dynamics.exact import exact_trainee
from soloc.predictors.normalised import NormalisedSoftplus
from soloc.risk.kernels import kernel_laws
from soloc.risk.laplace import weight_moments
from soloc.risk.softmax import gaussian_means, softmax_laws


def by_dense_sum(u, s, i):
    """log E[exp(i x - e^x)], and the means of alpha and alpha^2 under it, x = u + s alpha, on
    40,000 equal steps.
    """
    alpha = np.linspace(-40.0, 40.0, 40_001)
    x = u + s * alpha
    log_value = i * x - np.exp(np.minimum(x, 50.0)) - 0.5 * alpha**2
    top = log_value.max()
    mass = np.exp(log_value - top)
    log_mean = top + np.log(mass.sum() * (alpha[1] - alpha[0]) / np.sqrt(2.0 * np.pi))
    return log_mean, (mass * alpha).sum() / mass.sum(), (mass * alpha**2).sum() / mass.sum()


def log_rise_by_dense_sum(u, s):
    """log E[1 - exp(-e^x)], the same way."""
    alpha = np.linspace(-40.0, 40.0, 40_001)
    x = u + s * alpha
    mass = -np.expm1(-np.exp(np.minimum(x, 50.0))) * np.exp(-0.5 * alpha**2)
    return np.log(mass.sum() * (alpha[1] - alpha[0]) / np.sqrt(2.0 * np.pi))


@pytest.mark.parametrize("s", [1e-3, 0.3, 0.999, 1.0, 1.09, 2.5, 7.0, 40.0])
def test_one_token_means_equal_dense_sums_wherever_the_integrand_lives(s):
    u = np.concatenate(
        [np.linspace(-12.0 - 9.0 * s, 3.0 + 5.0 * s, 19), [-12.5, -40.0 - 2.0 * s * s]]
    )
    u = u[np.abs(u) < 28.0 * s + 12.0] if s > 1.0 else u
    with np.errstate(all="ignore"):
        means, rise = gaussian_means(u, np.float64(s), 8)
    for i in range(3):
        expected = np.array([by_dense_sum(one, s, i) for one in u]).T
        assert means.log[i] == pytest.approx(expected[0], rel=1e-11, abs=1e-11)
        assert means.first[i] == pytest.approx(expected[1], rel=1e-10, abs=1e-10)
        assert means.second[i] == pytest.approx(expected[2], rel=1e-10, abs=1e-10)
    assert rise == pytest.approx([log_rise_by_dense_sum(one, s) for one in u], rel=1e-11, abs=1e-11)


SETTINGS = [
    (1.7, 0.7, 1.1, -0.5, 4), (1297.0, 2.8, 15.2, -0.5, 2240), (175.0, 1.3, 15.3, -0.84, 1.3e6),
    (1.7e4, 0.14, 37.6, -0.94, 5e6),
    (7.0, 1.0, 7.0, 1.0, 1e9), (2e4, 0.05, 1e-4, 0.3, 2), (900.0, 1.1, 3.8, -0.18, 11_000),
]  # fmt: skip


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
@pytest.mark.parametrize(
    "laws_of",
    [softmax_laws, lambda *numbers: kernel_laws(NormalisedSoftplus(1.0).log_kernel, *numbers)],
)
def test_weights_sum_to_one_also_when_the_key_points_away(laws_of, setting):
    """E[(s + e)^2] = 1, though s may be below the smallest double."""
    m, gamma, lam, kappa, L = map(np.float64, setting)
    with np.errstate(all="ignore"):
        moments = weight_moments(laws_of, (m, gamma, lam, kappa), L)
        hit, miss = np.exp(moments.log_hit), np.exp(moments.log_miss)
        total = hit * (moments.ss[0] + 2.0 * moments.se[0]) + miss * moments.ee[0]
    assert total == pytest.approx(1.0, rel=1e-10)


@pytest.mark.parametrize("kind", [Softmax, NormalisedSoftplus])
def test_a_batch_that_shares_moments_equals_one_call_for_each(kind):
    lam = np.array([[-0.7], [0.7]])
    o = {
        "kappa": np.array([-0.5, 0.5, 0.5, 0.5]),
        "nu": np.array([0.3, 0.3, -0.8, 0.3]),
        "rho": np.array([0.1, 0.1, 0.1, -0.2]),
    }
    together = np.asarray(
        excess_risk(SingleLocation(30, 6, 0.8), kind(lam), Overlaps(eta=0.2, **o))
    )
    for (row, column), value in np.ndenumerate(together):
        alone = Overlaps(eta=0.2, **{name: float(values[column]) for name, values in o.items()})
        assert value == pytest.approx(
            float(excess_risk(SingleLocation(30, 6, 0.8), kind(float(lam[row, 0])), alone)),
            rel=1e-13,
        )


def test_a_map_of_softmax_risks_is_made_of_its_points():
    task, weight = SingleLocation(40, 10, 0.8), Softmax(1.5)
    ends = np.zeros((5, 2, 3))
    ends[0], ends[1] = np.array([-1.0, 0.2, 1.0]), np.array([[-1.0], [1.0]])
    risks = exact_trainee(task, weight, Overlaps(1.0, 1.0)).excess(1.5, ends)
    expected = excess_risk(task, weight, Overlaps(ends[0], ends[1]))
    assert risks == pytest.approx(np.asarray(expected), rel=1e-14)
