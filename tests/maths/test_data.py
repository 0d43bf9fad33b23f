"""Frozen dataclasses that JAX takes apart: numbers are leaves, the rest is structure."""

from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from soloc import Overlaps, SingleLocation
from soloc.maths.data import STATIC, Data
from soloc.tasks.lengths import LengthLaw


@dataclass(frozen=True)
class Thing(Data):
    number: Any
    shape: Any = 0
    name: str = field(default="plain", metadata=STATIC)

    def __post_init__(self) -> None:
        if isinstance(self.number, float) and self.number < 0:
            raise ValueError("negative")


def test_numbers_are_leaves_and_the_rest_is_structure():
    leaves, structure = jax.tree.flatten(Thing(2.0, np.array([1, 2]), "odd"))
    assert leaves[0] == 2.0 and leaves[1].dtype == float
    assert structure == jax.tree.structure(Thing(5.0, 3, "odd"))
    assert structure != jax.tree.structure(Thing(2.0, 3, "even"))


def test_whole_numbers_can_be_differentiated_and_the_type_comes_back():
    slope = jax.grad(lambda thing: thing.number**2 * thing.shape)(Thing(3, 2, "odd"))
    assert slope == Thing(12.0, 9.0, "odd")


def test_what_is_put_together_again_is_not_checked():
    assert jax.tree.map(lambda x: -x, Thing(1.0)).number == -1.0
    with pytest.raises(ValueError, match="negative"):
        Thing(-1.0)


def test_leaves_have_the_names_of_their_fields():
    paths = jax.tree_util.tree_flatten_with_path(Thing(1.0))[0]
    assert [jax.tree_util.keystr(path) for path, _ in paths] == [".number", ".shape"]


def test_a_subclass_is_taken_apart_as_well():
    @dataclass(frozen=True)
    class More(Thing):
        extra: Any = 1.0

    doubled = jax.vmap(lambda thing: jax.tree.map(lambda x: 2 * x, thing))(
        More(jnp.ones(3), jnp.ones(3), "odd", jnp.ones(3))
    )
    assert type(doubled) is More and doubled.extra.tolist() == [2.0] * 3 and doubled.name == "odd"


def test_a_task_and_overlaps_come_back_as_what_they_are():
    task = SingleLocation(8, lengths=LengthLaw((1, 3), (0.5, 0.5)), eps=0.1)
    again = jax.jit(lambda task: task)(task)
    assert again.lengths == task.lengths and float(again.eps) == pytest.approx(0.1)
    assert type(jax.grad(lambda o: o.kappa * o.nu)(Overlaps(1, 1))) is Overlaps
