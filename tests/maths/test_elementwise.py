"""Functions in double precision whose entries are numbers, vectors or matrices."""

from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from soloc.maths.data import Data, core, core_axes
from soloc.maths.elementwise import Elementwise


@dataclass(frozen=True)
class Ellipse(Data):
    """A quadratic form: one matrix an entry."""

    matrix: Any = field(metadata=core(2))
    shift: Any = 0.0


@dataclass(frozen=True)
class Two(Data):
    parts: tuple[Ellipse, ...]
    place: Any = field(metadata=core(1))


def form(two, scale):
    """scale sum_parts x' M x + shift, of NumPy and JAX arrays; cancels in single precision."""
    total = sum(
        ((part.matrix @ two.place[..., None])[..., 0] * two.place).sum(-1) + part.shift
        for part in two.parts
    )
    return (1e6 + scale * total) - 1e6


RNG = np.random.default_rng(0)
MATRICES = RNG.normal(size=(2, 3, 3))
PLACE = RNG.normal(size=(4, 3))
TWO = Two((Ellipse(MATRICES[0]), Ellipse(MATRICES[1], 0.5)), PLACE)


def expected(scale):
    return scale * (np.einsum("ni,ij,nj->n", PLACE, MATRICES.sum(0), PLACE) + 0.5)


def test_the_axes_of_an_entry_are_those_that_its_class_marks():
    assert core_axes(jax.tree.structure((TWO, 1.0))) == (2, 0, 2, 0, 1, 0)


def test_numbers_are_answered_in_double_precision():
    answer = Elementwise(form)(TWO, 2.0)
    assert isinstance(answer, np.ndarray)
    assert answer == pytest.approx(expected(2.0), rel=1e-8)
    assert np.isscalar(Elementwise(form)(Two(TWO.parts, PLACE[0]), 2.0))


@pytest.mark.parametrize("size", [1, 4])
def test_compiled_numbers_are_the_same(size):
    place = RNG.normal(size=(size, 3))
    two = Two(TWO.parts, place)
    compiled = Elementwise(form, compiled=lambda size, *trees: True)
    # 1e6 is added and taken away again: 1e-10 of it is left of a double
    assert compiled(two, 2.0) == pytest.approx(Elementwise(form)(two, 2.0), abs=1e-9)


@pytest.mark.parametrize("x64", [False, True])
def test_slopes_and_bends_of_matrices_cross_the_border(x64):
    program, both = Elementwise(form), MATRICES.sum(0)
    with jax.enable_x64(x64):
        two, scale = jax.tree.map(jnp.asarray, (TWO, 2.0))
        close = 1e-9 if x64 else 1e-5
        value, slope = jax.jit(
            jax.value_and_grad(lambda two, scale: jnp.sum(program(two, scale)), argnums=(0, 1))
        )(two, scale)
        assert float(value) == pytest.approx(expected(2.0).sum(), rel=close)
        assert float(slope[1]) == pytest.approx(expected(1.0).sum(), rel=close)
        assert np.asarray(slope[0].place) == pytest.approx(2 * PLACE @ (both + both.T), rel=close)
        outer = 2 * np.einsum("ni,nj->ij", PLACE, PLACE)
        assert np.asarray(slope[0].parts[1].matrix) == pytest.approx(outer, rel=close, abs=1e-5)
        bend = jax.hessian(lambda x: program(Two(TWO.parts, x), 2.0))(jnp.asarray(PLACE[0]))
        assert np.asarray(bend) == pytest.approx(2 * (both + both.T), rel=close, abs=1e-5)
        third = jax.jacfwd(jax.hessian(lambda s: program(Two(TWO.parts, PLACE[0]), s**2)))(1.0)
        assert float(third) == pytest.approx(0.0, abs=1e-3 if not x64 else 1e-9)
        mapped = jax.vmap(lambda x, s: program(Two(TWO.parts, x), s))(two.place, jnp.full(4, 2.0))
        assert np.asarray(mapped) == pytest.approx(expected(2.0), rel=close)
