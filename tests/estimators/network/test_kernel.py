"""The context of few bags: a kernel regression, its share, and its file."""

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge

from soloc.datasets import make_single_location
from soloc.estimators import (
    Bags,
    SingleLocationNetworkClassifier,
    SingleLocationNetworkRegressor,
    load,
)
from soloc.estimators.network.kernel import fit_kernel

QUICK = {"decay": 1.5, "members": 5, "max_epochs": 12}


def spread_decides(n, seed):
    """The deviation of the bag's first feature decides: no instance does, nor does the mean."""
    rng = np.random.default_rng(seed)
    size = rng.uniform(0.3, 2.0, n)
    x = rng.standard_normal((n, 12, 4))
    x[:, :, 0] *= size[:, None]
    return Bags(x.reshape(-1, 4), np.arange(n + 1) * 12), size + 0.1 * rng.standard_normal(n)


@pytest.mark.parametrize("outputs", [1, 3])
def test_it_is_the_kernel_ridge_of_scikit_learn(outputs):
    rng = np.random.default_rng(outputs)
    x, y = rng.standard_normal((60, 5)) * [1, 2, 3, 4, 5] + 7, rng.standard_normal((60, outputs))
    weights = rng.uniform(0.5, 2.0, 60)
    share = weights / weights.sum()
    units = np.sqrt(share @ (x - share @ x) ** 2)
    z = (x - share @ x) / units
    model = KernelRidge(alpha=0.3, kernel="rbf", gamma=1 / 5)
    model.fit(z, y - share @ y, sample_weight=weights)
    found = fit_kernel(x, y, weights, 0.3).said(x[:10] + 0.1, False)
    expected = model.predict((x[:10] + 0.1 - share @ x) / units).reshape(10, -1) + share @ y
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-10)


def test_a_weight_of_two_is_the_same_bag_twice():
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((30, 4)), rng.standard_normal((30, 1))
    twice = np.concatenate([np.arange(30), np.arange(10)])
    weights = np.where(np.arange(30) < 10, 2.0, 1.0)
    one, other = fit_kernel(x, y, weights, 0.1), fit_kernel(x[twice], y[twice], np.ones(40), 0.1)
    new = rng.standard_normal((20, 4))
    np.testing.assert_allclose(one.said(new, False), other.said(new, False), rtol=1e-9)


def test_a_statistic_that_never_changes_says_nothing():
    rng = np.random.default_rng(1)
    x, y = rng.standard_normal((30, 3)), rng.standard_normal((30, 1))
    x[:, 1] = 5.0
    kernel, new = fit_kernel(x, y, np.ones(30), 0.1), rng.standard_normal((9, 3))
    moved = new + np.array([0.0, 100.0, 0.0])
    np.testing.assert_array_equal(kernel.said(new, False), kernel.said(moved, False))


def test_it_is_mixed_in_where_the_bag_as_a_whole_decides_and_kept_in_files(tmp_path):
    bags, y = spread_decides(600, 0)
    for kind, labels in (
        (SingleLocationNetworkRegressor, y),
        (SingleLocationNetworkClassifier, y > 1.1),
    ):
        model = kind(**QUICK).fit(bags[:200], labels[:200])
        plain = kind(**QUICK, context=False).fit(bags[:200], labels[:200])
        assert model.kernel_ is not None and model.share_ > 0.3 and plain.kernel_ is None
        assert model.score(bags[200:], labels[200:]) > plain.score(bags[200:], labels[200:])
        assert model.diagnostics_.doubts
        model.save(tmp_path / "model.soloc")
        again = load(tmp_path / "model.soloc")
        np.testing.assert_array_equal(again.predict(bags), model.predict(bags))


def test_one_instance_that_decides_is_left_to_the_network():
    data = make_single_location(250, width=8, lengths=(2, 6), signal=6.0, random_state=1)
    model = SingleLocationNetworkRegressor(**QUICK).fit(data.bags, data.labels)
    assert model.share_ < 0.3 and not model.diagnostics_.doubts
