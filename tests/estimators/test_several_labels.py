"""Several labels at once: one instance decides all columns, each by a value of its own."""

import numpy as np
import pytest
from sklearn.metrics import r2_score
from sklearn.multioutput import MultiOutputRegressor

from soloc.datasets import make_single_location
from soloc.estimators import (
    SingleLocationAutoRegressor,
    SingleLocationClassifier,
    SingleLocationNetworkRegressor,
    SingleLocationRegressor,
    load,
)
from soloc.estimators.coefficients import Coefficients, bag_means
from soloc.estimators.instances import Instances, centre_and_scale
from soloc.estimators.objectives.data import Data
from soloc.estimators.objectives.likelihood import Likelihood
from soloc.estimators.objectives.squared import SquaredLoss

N = 300
DATA = make_single_location(2 * N, width=6, lengths=(2, 6), signal=4.0, random_state=1)
RNG = np.random.default_rng(2)
CHOSEN = DATA.bags.values[DATA.bags.offsets[:-1] + DATA.locations]
Y = np.column_stack(
    [DATA.labels, 10 + 3 * CHOSEN @ RNG.standard_normal(6) + RNG.standard_normal(2 * N)]
)
BAGS, NEW = DATA.bags[:N], DATA.bags[N:]
MODELS = [
    SingleLocationRegressor(),
    SingleLocationRegressor(loss="squared", alpha=1.0, context=True),
    SingleLocationNetworkRegressor(decay=1.0, members=3, max_epochs=25),
    SingleLocationAutoRegressor(candidates=["mean-pool", "linear"]),
]


@pytest.fixture(scope="module", params=range(len(MODELS)), ids=["linear", "squared", "net", "auto"])
def fitted(request):
    return MODELS[request.param].fit(BAGS, Y[:N])


def test_all_columns_are_predicted_and_one_instance_is_named(fitted):
    predicted = fitted.predict(NEW)
    assert predicted.shape == (N, 2)
    assert r2_score(Y[N:], predicted, multioutput="raw_values").min() > 0.6
    assert np.mean(fitted.locate(NEW) == DATA.locations[N:]) > 0.9
    assert fitted.score(NEW, Y[N:]) == pytest.approx(r2_score(Y[N:], predicted))


def test_intervals_hold_each_column(fitted):
    ends = fitted.predict_interval(NEW, 0.9)
    assert ends.shape == (N, 2, 2)
    held = (ends[..., 0] <= Y[N:]) & (Y[N:] <= ends[..., 1])
    # 3 standard errors of 300 new bags and of the 180 that three members leave out
    assert np.abs(held.mean(axis=0) - 0.9).max() < 3 * np.sqrt(0.09 / 300 + 0.09 / 180)


def test_contributions_to_each_column_add_up_to_its_prediction(fitted):
    predicted = fitted.predict(NEW[4])[0]
    for column in (0, 1):
        told = fitted.explain(NEW, 4, output=column)
        assert told.table["contribution"].sum() + told.offset == pytest.approx(
            predicted[column], rel=1e-5
        )
    with pytest.raises(ValueError, match="`output` must be None or an integer from 0 to 1"):
        fitted.explain(NEW, 4, output=2)


def test_a_file_keeps_all_columns(fitted, tmp_path):
    fitted.save(tmp_path / "model.soloc")
    back = load(tmp_path / "model.soloc")
    np.testing.assert_array_equal(back.predict(NEW), fitted.predict(NEW))
    np.testing.assert_array_equal(back.predict_interval(NEW), fitted.predict_interval(NEW))


def test_importance_is_the_loss_of_the_score_over_all_columns(fitted):
    told = fitted.importance(NEW[:50], Y[N : N + 50], n_repeats=2)
    assert len(told) == 6 and told["importance"].max() > 0.1
    rng, values = np.random.default_rng(np.random.RandomState(0).randint(2**31)), NEW[:50].values
    lost = []
    for _ in range(2):
        shuffled = values.copy()
        shuffled[:, 0] = rng.permutation(shuffled[:, 0])
        predicted = fitted.predict(NEW[:50].with_values(shuffled))
        lost.append(fitted.score(NEW[:50], Y[N : N + 50]) - r2_score(Y[N : N + 50], predicted))
    assert told["importance"][0] == pytest.approx(np.mean(lost))


@pytest.mark.filterwarnings("ignore::soloc.estimators.PointingWarning")
def test_columns_that_are_weak_alone_point_together():
    noise = RNG.standard_normal((100, 6))
    weak = Y[:100, :1] / Y[:, 0].std() + 2 * noise
    model = SingleLocationRegressor(alpha=5.0, loss="likelihood")
    together = model.fit(DATA.bags[:100], weak).locate(NEW) == DATA.locations[N:]
    alone = model.fit(DATA.bags[:100], weak[:, 0]).locate(NEW) == DATA.locations[N:]
    gain = together.astype(float) - alone
    assert gain.mean() > 4 * gain.std() / np.sqrt(N)


def test_one_model_for_each_column_is_made_by_scikit_learn():
    kind = SingleLocationRegressor(alpha=1.0, loss="likelihood")
    each = MultiOutputRegressor(kind).fit(list(BAGS), Y[:N])
    own = kind.fit(BAGS, Y[:N, 1]).predict(NEW)
    np.testing.assert_allclose(each.predict(list(NEW))[:, 1], own, rtol=1e-9)


def test_residuals_name_the_column():
    model = SingleLocationRegressor(alpha=1.0, loss="squared").fit(BAGS, Y[:N])
    for table in (model.residuals_, model.residuals(NEW, Y[N:])):
        assert list(table["column"].unique()) == [0, 1] and len(table) == 2 * N
        assert table["pit"].between(0, 1).all()
    table = model.residuals(NEW, Y[N:])
    np.testing.assert_allclose(table.loc[table["column"] == 1, "label"], Y[N:, 1])


@pytest.mark.parametrize("context", [False, True])
@pytest.mark.parametrize("kind", [SquaredLoss, Likelihood])
def test_slopes_are_differences_of_the_objective(kind, context):
    instances = Instances(BAGS, *centre_and_scale(BAGS, True))
    y = (Y[:N] - Y[:N].mean(axis=0)) / Y[:N].std(axis=0)
    weights = RNG.uniform(0.5, 2.0, N)
    means = bag_means(instances) if context else None
    objective = kind(Data(instances, y, means, True, weights, 2.0))
    shape = (6, 2)
    found = Coefficients(
        RNG.standard_normal(6),
        RNG.standard_normal(shape),
        RNG.standard_normal(shape) if context else None,
        RNG.standard_normal(2),
        0.7,
    )
    point = objective.point(found)
    back = objective.coefficients(point)
    np.testing.assert_allclose(back.key, found.key)
    gradient = objective(point)[1]
    for position in range(len(point)):
        step = np.zeros(len(point))
        step[position] = 1e-5
        difference = (objective(point + step)[0] - objective(point - step)[0]) / 2e-5
        assert gradient[position] == pytest.approx(difference, rel=1e-5, abs=1e-7)


def test_two_equal_columns_have_the_optimum_of_one():
    # squares of two equal columns are twice those of one: the same optimum at half the penalty of
    # the key, since values are penalised once for each column
    y = np.column_stack([DATA.labels[:N]] * 2)
    exact = {"loss": "squared", "tol": 1e-13, "max_iter": 2000}
    both = SingleLocationRegressor(alpha=2.0, **exact).fit(BAGS, y)
    np.testing.assert_allclose(both.value_[:, 0], both.value_[:, 1], rtol=1e-9)
    instances = Instances(BAGS, *centre_and_scale(BAGS, True))
    standard = (y[:, 0] - y[:, 0].mean()) / y[:, 0].std()
    data = Data(instances, standard, None, True, np.ones(N), 2.0, key_share=0.15)
    slope = SquaredLoss(data)(both.coefficients_.key)[1]
    assert np.abs(slope).max() < 1e-6


def test_classifiers_refuse_several_columns():
    with pytest.raises(ValueError, match="`y` must be one-dimensional"):
        SingleLocationClassifier().fit(BAGS, Y[:N] > 0)
