"""500 malformed inputs: each is refused with a sentence that names the argument, or fitted; never
NaN, never a crash."""

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from soloc.estimators import (
    Bags,
    PointingWarning,
    SingleLocationAutoClassifier,
    SingleLocationAutoRegressor,
    SingleLocationClassifier,
    SingleLocationNetworkClassifier,
    SingleLocationNetworkRegressor,
    SingleLocationRegressor,
)

NAMED = (
    "`X`",
    "`y`",
    "`loss`",
    "`alpha`",
    "`context`",
    "`fit_intercept`",
    "`n_starts`",
    "`random_state`",
)
NAMED += ("`max_iter`", "`tol`", "`groups`", "`offsets`", "`values`", '"auto"', "`coverage`")
NAMED += ("`decay`", "`units`", "`members`", "`max_epochs`", "`n_jobs`", "`verbose`")
NAMED += ("`candidates`", "`random_state`")

strange_numbers = st.sampled_from(
    [0.0, -1.0, np.nan, np.inf, -np.inf, 1e308, -1e308, 1e-308, 1e200, 1e30]
)
strange_things = st.sampled_from(
    [
        None,
        "text",
        b"bytes",
        [],
        {},
        3,
        np.nan,
        object,
        [[]],
        [None],
        ["a", "b"],
        np.array([]),
        {"a": 1},
        True,
    ]
)


def good_bags(rng, n):
    return [rng.standard_normal((int(rng.integers(1, 5)), 3)) for _ in range(n)]


@st.composite
def malformed_x(draw, rng, n):
    """Bags with one or more things wrong with them, or only unusual."""
    bags = good_bags(rng, n)
    position = draw(st.integers(0, n - 1))
    kind = draw(st.integers(0, 15))
    if kind == 0:
        bags[position][0, draw(st.integers(0, 2))] = draw(strange_numbers)
    elif kind == 1:
        bags[position] = np.ones((draw(st.integers(0, 3)), draw(st.integers(0, 5))))
    elif kind == 2:
        bags[position] = draw(strange_things)
    elif kind == 3:
        return draw(strange_things)
    elif kind == 4:
        return np.full((n, 2, 3), draw(strange_numbers))
    elif kind == 5:
        return rng.standard_normal(
            draw(st.sampled_from([(), (n,), (n, 3), (n, 0), (0, 3), (n, 2, 0), (n, 1, 2, 3)]))
        )
    elif kind == 6:
        bags = [bag * draw(st.sampled_from([1e-300, 1e-30, 1e30, 1e150])) for bag in bags]
    elif kind == 7:
        bags = [np.round(bag) * 0 + 1 for bag in bags]  # nothing varies
    elif kind == 8:
        return np.array([["a", "b", "c"]] * n)
    elif kind == 9:
        return np.concatenate(bags).astype(complex)
    elif kind == 10:
        bags = [bag.astype(np.float32) + 1e4 for bag in bags]
    elif kind == 11:
        bags = bags[: draw(st.integers(0, n))]
    elif kind == 12:
        bags = [bag.astype(object) for bag in bags]
        bags[position][0, 0] = draw(strange_things)
    elif kind == 13:
        bags = [
            np.hstack([bag, np.ones((len(bag), 1)), bag[:, :1]]) for bag in bags
        ]  # constant and duplicate
    elif kind == 14:
        return {i: bag for i, bag in enumerate(bags)}
    return bags


@st.composite
def malformed_y(draw, rng, n):
    """Labels with one or more things wrong with them, or only unusual."""
    y = rng.standard_normal(n)
    kind = draw(st.integers(0, 9))
    if kind == 0:
        y[draw(st.integers(0, n - 1))] = draw(strange_numbers)
    elif kind == 1:
        return draw(strange_things)
    elif kind == 2:
        return y[: draw(st.integers(0, n))]
    elif kind == 3:
        return np.zeros(n)
    elif kind == 4:
        return rng.standard_normal((n, 2))
    elif kind == 5:
        return ["label"] * n
    elif kind == 6:
        return y * draw(st.sampled_from([1e-300, 1e300, 1e20]))
    elif kind == 7:
        return [None] * n
    return y


parameters = st.fixed_dictionaries(
    {},
    optional={
        "loss": st.sampled_from(["likelihood", "squared", "auto", "no", None, 3]),
        "alpha": st.sampled_from(
            [0, 1.0, -1.0, np.nan, np.inf, "auto", "no", None, [1.0], 1e300, 1e-300]
        ),
        "context": st.sampled_from([True, False, "yes", None]),
        "fit_intercept": st.sampled_from([True, False, 2, None]),
        "n_starts": st.sampled_from([1, 2, 0, -1, 1.5, "two", None]),
        "random_state": st.sampled_from([0, None, "seed", -1, 1.5]),
        "max_iter": st.sampled_from([1, 2, 50, 0, -1, None, "many"]),
        "tol": st.sampled_from([1e-3, 0, -1, np.nan, "small", None, 2]),
    },
)


@settings(
    max_examples=500, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck)
)
@given(st.data())
def test_malformed_input_is_refused_by_name_or_fitted(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 10)))
    n = data.draw(st.sampled_from([1, 2, 3, 8, 20]))
    kind = data.draw(st.sampled_from([SingleLocationRegressor, SingleLocationClassifier]))
    x = data.draw(malformed_x(rng, n))
    y = data.draw(malformed_y(rng, n))
    if kind is SingleLocationClassifier and isinstance(y, np.ndarray) and data.draw(st.booleans()):
        y = y > 0
    model = kind(**data.draw(parameters))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", (ConvergenceWarning))
        warnings.simplefilter("ignore", PointingWarning)
        try:
            model.fit(x, y)
        except (ValueError, TypeError) as refusal:
            sentence = str(refusal)
            assert any(name in sentence for name in NAMED) or "bag " in sentence, sentence
            return
        if kind is SingleLocationClassifier:
            assert np.isfinite(model.predict_proba(x)).all()
        else:
            assert np.isfinite(model.predict(x)).all()
            assert np.isfinite(model.predict_interval(x, 0.5)).all()
        for weights in model.attend(x):
            assert np.sum(weights) == pytest.approx(1.0, rel=1e-5)


network_parameters = st.fixed_dictionaries(
    {"max_epochs": st.sampled_from([1, 2, 0, -1, None, "many"])},
    optional={
        "decay": st.sampled_from([0, 1.0, -1.0, np.nan, np.inf, "auto", "no", None, [1.0], 1e300]),
        "units": st.sampled_from([1, 8, 0, 1.5, None, "many", 10**9]),
        "members": st.sampled_from([1, 2, "auto", 0, None, 1.5, "many"]),
        "context": st.sampled_from([True, False, "yes", None]),
        "random_state": st.sampled_from([0, None, "seed", -1, 1.5]),
        "n_jobs": st.sampled_from([None, 1, 0, "two"]),
        "verbose": st.sampled_from([0, False, None, "yes"]),
    },
)
auto_parameters = st.fixed_dictionaries(
    {"candidates": st.sampled_from([["mean-pool"], ["mean-pool", "linear"], [], ["no"], 3])},
    optional={"random_state": st.sampled_from([0, "seed"]), "n_jobs": st.sampled_from([None, 0])},
)
OTHERS = {
    SingleLocationNetworkRegressor: network_parameters,
    SingleLocationNetworkClassifier: network_parameters,
    SingleLocationAutoRegressor: auto_parameters,
    SingleLocationAutoClassifier: auto_parameters,
}


@pytest.mark.slow
@settings(
    max_examples=500, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck)
)
@given(st.data())
def test_malformed_input_of_networks_is_refused_by_name_or_fitted(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 10)))
    n = data.draw(st.sampled_from([1, 2, 3, 8, 20]))
    kind = data.draw(st.sampled_from(list(OTHERS)))
    x = data.draw(malformed_x(rng, n))
    y = data.draw(malformed_y(rng, n))
    classes = "Classifier" in kind.__name__
    if classes and isinstance(y, np.ndarray) and data.draw(st.booleans()):
        y = y > 0
    model = kind(**data.draw(OTHERS[kind]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", (ConvergenceWarning))
        warnings.simplefilter("ignore", PointingWarning)
        try:
            model.fit(x, y)
        except (ValueError, TypeError) as refusal:
            sentence = str(refusal)
            assert any(name in sentence for name in NAMED) or "bag" in sentence, sentence
            return
        said = model.predict_proba(x) if classes else model.predict_interval(x, 0.5)
        assert np.isfinite(said).all()
        for weights in model.attend(x):
            assert np.sum(weights) == pytest.approx(1.0, rel=1e-5)


def test_strange_offsets_are_refused_by_name():
    rng = np.random.default_rng(0)
    for _ in range(100):
        offsets = rng.integers(-2, 8, size=rng.integers(0, 6))
        try:
            bags = Bags(np.ones((6, 2)), offsets)
        except ValueError as refusal:
            assert "`offsets`" in str(refusal) or "is empty" in str(refusal)
        else:
            assert bags.lengths.sum() == 6 and (bags.lengths > 0).all()
