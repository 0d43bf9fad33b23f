"""A key determines the numbers; a cell of an experiment determines its key."""

import jax
import numpy as np
import pytest

from soloc.maths.randomness import derived_key, generator


def test_old_and_new_keys_give_the_same_numbers():
    assert (
        generator(jax.random.key(3)).random()
        == generator(jax.random.key_data(jax.random.key(3))).random()
    )


def test_a_cell_keeps_its_key_whatever_else_runs():
    data = [np.asarray(jax.random.key_data(derived_key(0, "a", L))).tolist() for L in (8, 64, 8)]
    assert data[0] == data[2] != data[1]
    assert derived_key(0, "a", 8) != derived_key(1, "a", 8)
    assert derived_key(0, "a", np.int64(8)) == derived_key(0, "a", 8)


@pytest.mark.parametrize("wrong", [3, np.zeros(2), "seed"])
def test_a_seed_is_not_a_key(wrong):
    with pytest.raises(TypeError, match=r"make one with jax\.random\.key"):
        generator(wrong)
