"""`diagnose` names the failure that a path shows, and says what to change."""

import numpy as np
import pytest

from soloc.dynamics.diagnose import HEALTHY, MASS, MINIMUM, VALUE, diagnose
from soloc.dynamics.path import Path
from soloc.predictors.normalised import Softmax
from soloc.predictors.pointwise import Erf
from soloc.tasks.single_location import SingleLocation

TASK = SingleLocation(d=400, L=10)


def path(kappa, nu, eta=0.0, lam=0.1, task=TASK, weight=None):
    ramp = np.linspace(0.0, 1.0, 30)[:, None] ** 0.1
    columns = {
        "kappa": kappa * ramp,
        "nu": nu * ramp,
        "eta": eta * ramp,
        "lam": np.full_like(ramp, lam),
    }
    weight = Erf(lam) if weight is None else weight
    return Path(np.arange(30), columns, None, (1,), about={"task": task, "weight": weight})


@pytest.mark.parametrize(
    "made, verdict, word",
    [
        (path(0.98, 1.0), HEALTHY, "nothing"),
        (path(-0.98, -1.0), HEALTHY, "nothing"),
        (path(0.3, 0.96, 0.85, lam=0.9), MASS, "lower lam"),
        (path(0.02, 0.03), MASS, "train longer"),
        (path(0.6, 0.8, lam=0.05), VALUE, "smaller step"),
        (path(0.0, 0.0, 1.0), MINIMUM, "start again"),
    ],
)
def test_each_signature_is_named_with_its_remedy(made, verdict, word):
    (found,) = diagnose(made)
    assert found.verdict == verdict and word in found.advice


def test_softmax_that_points_away_from_the_token_is_not_healthy():
    weight = Softmax(1.0)
    assert diagnose(path(0.9, 1.0, lam=1.0, weight=weight))[0].verdict == HEALTHY
    assert diagnose(path(-0.9, 1.0, lam=1.0, weight=weight))[0].verdict == MASS


def test_a_path_of_unknown_origin_is_refused():
    with pytest.raises(TypeError, match="`path` must come from"):
        diagnose(Path(np.arange(2), {}, None, (1,)))
    many = path(1.0, 1.0, task=SingleLocation(d=400, L=np.array([5.0, 10.0])))
    with pytest.raises(ValueError, match="one task for all"):
        diagnose(many)
