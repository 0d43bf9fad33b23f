"""Parameters at the door: of estimators, and of one call of `fit`."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state


def refuse_parameters(model: Any) -> None:
    """Refuse values that cannot be of the parameters that all estimators of bags share."""
    number = is_real(model.alpha) and 0 <= model.alpha < 1e30
    if model.alpha != "auto" and not number:
        raise ValueError(f'`alpha` must be a number from 0 to 1e30 or "auto", got {model.alpha!r}.')
    for name in ("n_starts", "max_iter"):
        value = getattr(model, name)
        if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
            raise ValueError(f"`{name}` must be an integer of at least 1, got {value!r}.")
    if not is_real(model.tol) or not 0 < model.tol < 1:
        raise ValueError(f"`tol` must be a number between 0 and 1, got {model.tol!r}.")
    for name in ("context", "fit_intercept"):
        if not isinstance(getattr(model, name), (bool, np.bool_)):
            raise ValueError(f"`{name}` must be True or False, got {getattr(model, name)!r}.")


def refuse_class_weight(model: Any) -> None:
    """Refuse what cannot be weights of classes, where a model has them; `fit` knows the classes."""
    given = getattr(model, "class_weight", None)
    if given is not None and not isinstance(given, dict) and given != "balanced":
        raise ValueError(
            '`class_weight` must be None, "balanced" or a dictionary from classes of `y` to'
            f" weights, got {given!r:.60}."
        )


def is_real(value: Any) -> bool:
    """Whether it is a number, and not a truth value."""
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def generator(random_state: Any) -> np.random.Generator:
    """The generator of `random_state`."""
    if random_state is None or isinstance(random_state, (Integral, np.random.RandomState)):
        return np.random.default_rng(check_random_state(random_state).randint(2**31))
    raise ValueError(
        f"`random_state` must be an integer, a RandomState or None, got {random_state!r}."
    )


def checked_groups(groups: Any, n: int) -> np.ndarray | None:
    """One group per bag, where there are groups."""
    if groups is None:
        return None
    groups = np.asarray(groups)
    if groups.shape != (n,):
        raise ValueError(f"`groups` must have one entry per bag, {n}, got shape {groups.shape}.")
    return groups


def adopt(model: BaseEstimator, attributes: dict[str, Any]) -> None:
    """Give a model all of its fitted attributes in one assignment, and no others.

    Whoever interrupts a fit finds the old model whole, or the new one.
    """
    kept = {name: value for name, value in vars(model).items() if not name.endswith("_")}
    model.__dict__ = kept | attributes


def plain_parameters(model: BaseEstimator) -> dict[str, Any]:
    """Constructor arguments as JSON can hold them; a RandomState becomes None."""
    plain = {}
    for name, value in model.get_params().items():
        value = value.item() if isinstance(value, np.generic) else value
        words = isinstance(value, (list, tuple)) and all(isinstance(v, str) for v in value)
        plain[name] = value if words or isinstance(value, (str, int, float, bool)) else None
    return plain
