"""A fit gives the same model whatever number of threads BLAS would take."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import ThreadpoolController, threadpool_limits

from soloc.datasets import make_single_location
from soloc.estimators import (
    SingleLocationAutoRegressor,
    SingleLocationRegressor,
)
from soloc.estimators.one_thread import on_one_thread

MODELS = [
    SingleLocationRegressor,
    pytest.param(SingleLocationAutoRegressor, marks=pytest.mark.slow),
]


@on_one_thread
def threads_inside() -> set[int]:
    return {pool["num_threads"] for pool in ThreadpoolController().select(user_api="blas").info()}


def test_what_is_decorated_sees_one_thread_and_gives_the_others_back():
    with threadpool_limits(2, user_api="blas"):
        assert threads_inside() == {1}
        pools = ThreadpoolController().select(user_api="blas").info()
        assert {pool["num_threads"] for pool in pools} == {2}


@pytest.mark.parametrize("model", MODELS)
def test_two_threads_change_no_bit_of_a_fit(model):
    data = make_single_location(n_bags=150, width=64)
    with threadpool_limits(1, user_api="blas"):
        alone = model().fit(data.bags, data.labels)
    with threadpool_limits(2, user_api="blas"):
        together = model().fit(data.bags, data.labels)
    with threadpool_limits(1, user_api="blas"):
        assert np.array_equal(alone.predict(data.bags), together.predict(data.bags))


def test_a_fit_that_does_not_converge_warns_where_it_was_asked_for():
    data = make_single_location(n_bags=60, width=5)
    model = SingleLocationRegressor(loss="squared", alpha=1.0, max_iter=1, n_starts=1)
    with pytest.warns(ConvergenceWarning) as said:
        model.fit(data.bags, data.labels)
    assert {warning.filename for warning in said} == {__file__}
