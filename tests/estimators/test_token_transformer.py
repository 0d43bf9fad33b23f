"""Richer tokens, and the habits of scikit-learn on bags: pipelines, grids, cross-validation,
clones.
"""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.kernel_approximation import Nystroem
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from soloc.datasets import make_single_location
from soloc.estimators import SingleLocationClassifier, SingleLocationRegressor, TokenTransformer

DATA = make_single_location(300, width=6, lengths=(2, 5), signal=4.0, random_state=0)


def test_the_step_sees_all_instances_and_bags_keep_their_shape_and_names():
    bags = TokenTransformer(StandardScaler()).fit_transform(DATA.bags)
    np.testing.assert_allclose(bags.values.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_array_equal(bags.offsets, DATA.bags.offsets)
    np.testing.assert_allclose(bags.values, StandardScaler().fit_transform(DATA.bags.values))


def test_pipelines_grids_and_clones_work_on_every_kind_of_bags():
    pipeline = make_pipeline(
        TokenTransformer(PCA(4)), SingleLocationRegressor(alpha=1.0, loss="squared")
    )
    grid = GridSearchCV(pipeline, {"tokentransformer__step__n_components": [1, 6]}, cv=3)
    assert grid.fit(DATA.bags, DATA.labels).best_params_ == {
        "tokentransformer__step__n_components": 6
    }
    assert grid.best_score_ > 0.8
    assert clone(pipeline).get_params()["tokentransformer__step__n_components"] == 4
    model = SingleLocationRegressor(alpha=1.0, loss="squared")
    scores = [cross_val_score(model, x, DATA.labels, cv=3) for x in (DATA.bags, list(DATA.bags))]
    np.testing.assert_allclose(scores[0], scores[1])
    groups = np.arange(300) // 3
    assert (
        cross_val_score(model, DATA.bags, DATA.labels, cv=GroupKFold(3), groups=groups).min() > 0.8
    )
    assert (
        cross_val_score(SingleLocationClassifier(alpha=1.0), DATA.bags, DATA.labels > 0, cv=3).min()
        > 0.7
    )


def test_a_kernel_lifts_what_is_not_linear():
    rng = np.random.default_rng(0)
    x = rng.uniform(-2, 2, size=(400, 5, 2))
    where = rng.integers(5, size=400)
    # the decisive instance is the one in the middle: no linear key finds it
    x[np.arange(400), where] *= 0.25
    y = 4 * x[np.arange(400), where, 0]
    far = np.abs(x).max(axis=2) < 0.5
    far[np.arange(400), where] = False
    x[far] += 1.0
    kernel = make_pipeline(
        TokenTransformer(Nystroem(gamma=0.5, n_components=60, random_state=0)),
        SingleLocationRegressor(),
    )
    plain = SingleLocationRegressor().fit(x[:300], y[:300]).score(x[300:], y[300:])
    assert kernel.fit(x[:300], y[:300]).score(x[300:], y[300:]) > max(plain + 0.2, 0.7)


def test_refusals():
    with pytest.raises(TypeError, match="`step` must be a scikit-learn transformer"):
        TokenTransformer(3).fit(DATA.bags)
    with pytest.raises(ValueError, match="X has 2 features, but TokenTransformer is expecting 6"):
        TokenTransformer(PCA(2)).fit(DATA.bags).transform(np.ones((3, 4, 2)))
