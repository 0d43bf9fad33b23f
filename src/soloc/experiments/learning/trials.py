"""One data set of finite dimension, what learners make of it, and their exact risks there."""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from soloc.learning.message_passing import amp
from soloc.maths.randomness import derived_key, generator
from soloc.predictors.normalised import Softmax
from soloc.risk.localisation import attention_mass
from soloc.risk.overlaps import Overlaps
from soloc.risk.population import population_risk
from soloc.tasks.single_location import SingleLocation

_TEST_BAGS = 4000
_SMALL = 0.3  # norm of random starts
_AGREE = 0.01  # relative difference of objectives that still counts as one minimum


class Data(NamedTuple):
    """Sequences with their answers, and the truth that made them."""

    tokens: np.ndarray
    answers: np.ndarray
    key: np.ndarray
    value: np.ndarray
    place: np.ndarray


class Outcome(NamedTuple):
    """What one learner reached on one data set."""

    risk: float
    mass: float  #: of its attention on the decisive token
    cos_k: float
    cos_v: float
    agrees: bool = True  #: two starts ended at one objective


def draw(task: SingleLocation, ratio: float, seed: int, *labels: Any) -> Data:
    """A data set of n = ratio d sequences at gamma = 1."""
    rng = generator(derived_key(seed, "learning", ratio, *labels))
    d, L = int(task.d), int(task.L)
    key, value = np.linalg.qr(rng.standard_normal((d, 2)))[0].T
    return _sequences(task, key, value, round(ratio * d), rng, L)


def _sequences(
    task: SingleLocation,
    key: np.ndarray,
    value: np.ndarray,
    n: int,
    rng: np.random.Generator,
    L: int,
) -> Data:
    tokens = rng.standard_normal((n, L, key.size))
    rows, place = np.arange(n), rng.integers(L, size=n)
    tokens[rows, place] += task.m * key
    answers = tokens[rows, place] @ value + task.eps * rng.standard_normal(n)
    return Data(tokens, answers, key, value, place)


def by_amp(task: SingleLocation, data: Data) -> Outcome:
    """AMP, which estimates signal and noise by itself."""
    found = amp(data.tokens, data.answers)
    return outcome(task, Softmax(1.0), found.signal * found.key, found.value, data)


def by_regressor(task: SingleLocation, data: Data) -> Outcome:
    """`SingleLocationRegressor` as it comes; its risk on new bags, with their sampling error."""
    from soloc.estimators.regressor import SingleLocationRegressor  # here: the lab does not need it

    model = SingleLocationRegressor(random_state=0).fit(data.tokens, data.answers)
    rng = np.random.default_rng([len(data.answers), data.tokens.shape[2]])
    test = _sequences(task, data.key, data.value, _TEST_BAGS, rng, data.tokens.shape[1])
    risk = np.mean((model.predict(test.tokens) - test.answers) ** 2)
    weights = model.attend(test.tokens)
    mass = float(np.mean(np.take_along_axis(weights, test.place[:, None], axis=1)))
    cosines = _cosine(model.key_, data.key), _cosine(model.value_, data.value)
    return Outcome(float(risk), mass, *cosines)


def by_descent(
    task: SingleLocation, weight: Any, data: Data, ridge: float, starts: tuple[str, ...]
) -> list[Outcome]:
    """L-BFGS on the empirical risk with ridge from some starts; each is compared with the truth."""
    rng = np.random.default_rng([7, len(data.answers)])
    d = data.key.size
    begins = {
        "random": _SMALL * np.stack([_unit(rng.standard_normal(d)) for _ in range(2)]),
        "moments": np.stack(moments(data)),
    }
    _, least = _descend(weight, data, ridge, np.stack([task.m * data.key, data.value]))
    found = []
    for start in starts:
        (key, value), reached = _descend(weight, data, ridge, begins[start])
        agrees = abs(reached - least) < _AGREE * max(abs(least), 1e-12)
        found.append(outcome(task, weight, key, value, data)._replace(agrees=bool(agrees)))
    return found


def moments(data: Data) -> tuple[np.ndarray, np.ndarray]:
    """k^ ~ sum X_l and v^ ~ sum Y X_l, of unit norm."""
    total = data.tokens.sum(axis=1)
    return _unit(total.sum(axis=0)), _unit(data.answers @ total)


def outcome(
    task: SingleLocation, weight: Any, key: np.ndarray, value: np.ndarray, data: Data
) -> Outcome:
    """The exact risk of weight(X k)' X v, whose norms are free.

    The risk is 1 + eps^2 - 2 |v| E[T c] + |v|^2 E[T^2]; v and -v tell the two means apart.
    """
    size_k, size_v = np.linalg.norm(key), np.linalg.norm(value)
    k, v = key / max(size_k, 1e-12), value / max(size_v, 1e-12)
    kappa, eta = k @ data.key, k @ data.value
    scaled = type(weight)(float(size_k))

    def risk(side: float) -> float:
        overlaps = Overlaps(
            float(kappa),
            float(side * (v @ data.value)),
            float(side * (v @ data.key)),
            float(eta),
            float(side * (k @ v)),
        )
        return float(population_risk(task, scaled, overlaps))

    null = 1.0 + float(task.eps) ** 2
    there, back = risk(1.0), risk(-1.0)
    product, square = 0.25 * (back - there), 0.5 * (back + there) - null
    mass = np.nan
    if isinstance(weight, Softmax):
        mass = float(attention_mass(task, scaled, np.array([kappa]))[0])
    return Outcome(
        float(null - 2.0 * size_v * product + size_v**2 * square),
        mass,
        abs(float(kappa)),  # odd weights do not tell (k, v) from (-k, -v)
        abs(float(v @ data.value)),
    )


def _descend(weight: Any, data: Data, ridge: float, start: np.ndarray) -> tuple[np.ndarray, float]:
    """Key and value at the minimum, and its objective over d; L-BFGS from one start."""
    from scipy.optimize import minimize  # here: importing it takes long

    tokens = data.tokens.reshape(-1, data.key.size)
    kind: Any = type(weight)
    pull = _pull(kind)

    def value_and_slope(flat: np.ndarray) -> tuple[float, np.ndarray]:
        pair = flat.reshape(2, -1)
        scores, values = (pair @ tokens.T).reshape(2, *data.tokens.shape[:2])
        loss, slopes = pull(scores, values, data.answers)
        slope = np.asarray(slopes).reshape(2, -1) @ tokens / data.key.size + ridge * pair
        return float(loss) / data.key.size + 0.5 * ridge * float(flat @ flat), slope.ravel()

    with jax.enable_x64(True):
        found = minimize(
            value_and_slope, start.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 500}
        )
    return found.x.reshape(2, -1), float(found.fun)


@cache
def _pull(kind: Any) -> Callable[..., Any]:
    """The loss, and its slopes in all scores and values; the large products are left to BLAS."""
    weight = kind(1.0)

    def loss(scores: jax.Array, values: jax.Array, answers: jax.Array) -> jax.Array:
        return 0.5 * jnp.sum((answers - jnp.sum(weight(scores) * values, axis=-1)) ** 2)

    return jax.jit(jax.value_and_grad(loss, argnums=(0, 1)))


def _unit(vector: np.ndarray) -> np.ndarray:
    return vector / max(float(np.linalg.norm(vector)), 1e-300)


def _cosine(found: np.ndarray, truth: np.ndarray) -> float:
    return float(_unit(np.ravel(found)) @ truth)
