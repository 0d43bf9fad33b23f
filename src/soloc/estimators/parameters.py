"""Parameters at the door: of estimators, and of one call of `fit`."""

from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state


def refuse_parameters(model: Any) -> None:
    """Refuse values that cannot be of the parameters that all estimators of bags share."""
    number = is_real(model.alpha) and 0 <= model.alpha < 1e30
    if not number and not is_word(model.alpha, "auto"):
        raise ValueError(f'`alpha` must be a number from 0 to 1e30 or "auto", got {model.alpha!r}.')
    for name in ("n_starts", "max_iter"):
        value = getattr(model, name)
        if not is_whole(value) or value < 1:
            raise ValueError(f"`{name}` must be an integer of at least 1, got {value!r}.")
    if not is_real(model.tol) or not 0 < model.tol < 1:
        raise ValueError(f"`tol` must be a number between 0 and 1, got {model.tol!r}.")
    for name in ("context", "fit_intercept"):
        if not isinstance(getattr(model, name), (bool, np.bool_)):
            raise ValueError(f"`{name}` must be True or False, got {getattr(model, name)!r}.")


def refuse_class_weight(model: Any) -> None:
    """Refuse what cannot be weights of classes, where a model has them; `fit` knows the classes."""
    given = getattr(model, "class_weight", None)
    if given is not None and not isinstance(given, dict) and not is_word(given, "balanced"):
        raise ValueError(
            '`class_weight` must be None, "balanced" or a dictionary from classes of `y` to'
            f" weights, got {given!r:.60}."
        )


def is_real(value: Any) -> bool:
    """Whether it is a number, and not a truth value."""
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def is_whole(value: Any) -> bool:
    """Whether it is an integer, and not a truth value."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_word(value: Any, word: str) -> bool:
    """Whether it is that word; an array, which compares entry by entry, is none."""
    return isinstance(value, str) and value == word


def generator(random_state: Any) -> np.random.Generator:
    """The generator of `random_state`."""
    seed = isinstance(random_state, Integral) and 0 <= int(random_state) < 2**32
    if seed or random_state is None or isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(check_random_state(random_state).randint(2**31))
    raise ValueError(
        "`random_state` must be an integer from 0 to 2**32 - 1, a RandomState or None, got"
        f" {random_state!r:.60}."
    )


def checked_groups(groups: Any, n: int) -> np.ndarray | None:
    """One group per bag, where there are groups."""
    if groups is None:
        return None
    try:
        groups = np.asarray(groups)
    except ValueError:
        raise ValueError(
            f"`groups` must have one entry per bag, {n}, got lists of different lengths."
        ) from None
    if groups.shape != (n,):
        raise ValueError(f"`groups` must have one entry per bag, {n}, got shape {groups.shape}.")
    missing = np.flatnonzero(pd.isna(groups))
    if len(missing):
        raise ValueError(
            f"`groups` must name a group for every bag, got {groups[missing[0]]!r} for bag"
            f" {missing[0]}; a bag on its own is a group of its own."
        )
    try:
        np.unique(groups)
    except TypeError as error:
        raise TypeError(
            f"`groups` must hold names of one kind, such as strings or integers: {error}."
        ) from None
    return groups


def adopt(model: BaseEstimator, attributes: dict[str, Any]) -> None:
    """Give a model all of its fitted attributes in one assignment, and no others.

    Whoever interrupts a fit finds the old model whole, or the new one.
    """
    kept = {name: value for name, value in vars(model).items() if not name.endswith("_")}
    model.__dict__ = kept | attributes


def plain_parameters(model: BaseEstimator) -> dict[str, Any]:
    """Constructor arguments as JSON can hold them; a RandomState becomes None.

    A dictionary, of JSON one with keys of text alone, becomes a list of pairs: see
    `Fields.parameters`.
    """
    plain: dict[str, Any] = {}
    for name, value in model.get_params().items():
        value = plain_number(value)
        words = isinstance(value, (list, tuple)) and all(isinstance(v, str) for v in value)
        if isinstance(value, dict):
            plain[name] = [[plain_number(key), plain_number(v)] for key, v in value.items()]
        else:
            plain[name] = value if words or isinstance(value, (str, int, float, bool)) else None
    return plain


def plain_number(value: Any) -> Any:
    """A number of NumPy as one of Python; anything else as it is."""
    return value.item() if isinstance(value, np.generic) else value
