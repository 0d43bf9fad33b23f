"""A new objective, defined here alone and registered by one line, does all that a loss does."""

import numpy as np
import pytest

from soloc.datasets import make_single_location
from soloc.estimators import SingleLocationRegressor, load
from soloc.estimators.coefficients import Coefficients
from soloc.estimators.objectives.catalogue import NUMBERS, register
from soloc.estimators.objectives.objective import NumberObjective

DATA = make_single_location(300, width=6, lengths=(2, 5), signal=4.0, random_state=0)


class PseudoHuber(NumberObjective):
    """sqrt(1 + residual^2) of the pooled prediction: robust to wild labels."""

    def point(self, coefficients):
        return np.concatenate([coefficients.key, coefficients.value, [coefficients.intercept]])

    def coefficients(self, point):
        residual = self.residual(Coefficients(*np.split(point[:-1], 2), None, point[-1]))
        noise = float(np.sqrt(np.mean(residual**2)))
        return Coefficients(*np.split(point[:-1], 2), None, float(point[-1]), noise)

    def residual(self, coefficients):
        return self.y - self.predict(self.data.read(coefficients), self.instances)

    def __call__(self, point):
        found = Coefficients(*np.split(point[:-1], 2), None, point[-1])
        reading = self.data.read(found)
        pooled = self.predict(reading, self.instances)
        root = np.sqrt(1 + (self.y - pooled) ** 2)
        slope = self.weights * (pooled - self.y) / root  # in the prediction of each bag
        share = self.instances.spread(slope) * reading.attention
        for_key = share * (reading.values + point[-1] - self.instances.spread(pooled))
        moved = self.instances.adjoint(np.column_stack([for_key, share]))
        gradient = np.concatenate([moved[:, 0], moved[:, 1], [slope.sum()]])
        gradient[:-1] += self.alpha * point[:-1]
        value = self.weights @ root + 0.5 * self.alpha * point[:-1] @ point[:-1]
        return value / self.total, gradient / self.total


@pytest.fixture(autouse=True)
def registered():
    register("pseudo_huber", PseudoHuber)
    yield
    del NUMBERS["pseudo_huber"]


def test_a_registered_objective_fits_predicts_points_and_is_saved(tmp_path):
    labels = DATA.labels.copy()
    labels[::20] += 5.0  # wild ones, of which the squared loss makes much
    model = SingleLocationRegressor(loss="pseudo_huber").fit(DATA.bags, labels)
    squared = SingleLocationRegressor(loss="squared").fit(DATA.bags, labels)
    assert model.loss_ == "pseudo_huber" and set(model.selection_["loss"]) == {"pseudo_huber"}
    assert (model.coefficients_.key != squared.coefficients_.key).any()
    fitted, other = (
        np.median(np.abs(m.predict(DATA.bags) - DATA.labels)) for m in (model, squared)
    )
    assert fitted < other
    ends = model.predict_interval(DATA.bags, 0.5)
    assert 0.3 < np.mean((ends[:, 0] <= labels) & (labels <= ends[:, 1])) < 0.7
    model.save(tmp_path / "model.soloc")
    again = load(tmp_path / "model.soloc")
    np.testing.assert_array_equal(again.predict(DATA.bags), model.predict(DATA.bags))
    np.testing.assert_array_equal(
        again.predict_interval(DATA.bags), model.predict_interval(DATA.bags)
    )
    np.testing.assert_array_equal(again.attend(DATA.bags[3])[0], model.attend(DATA.bags[3])[0])


def test_names_that_are_taken_or_unknown_are_refused(tmp_path):
    with pytest.raises(ValueError, match="`name` must be new among squared, likelihood"):
        register("squared", PseudoHuber)
    with pytest.raises(ValueError, match="Did you mean pseudo_huber"):
        SingleLocationRegressor(loss="pseudo-huber").fit(DATA.bags, DATA.labels)
