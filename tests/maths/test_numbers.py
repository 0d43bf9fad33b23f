"""What is refused at the door, and in which words."""

import jax
import numpy as np
import pytest

from soloc.maths.numbers import check_count, check_real, check_whole


@pytest.mark.parametrize("value", [np.nan, np.inf, -0.5, np.array([1.0, np.nan]), 10**400])
def test_a_number_out_of_range_is_a_value_error_that_names_the_parameter(value):
    with pytest.raises(ValueError, match="`gamma` must be a number >= 0, got"):
        check_real("gamma", value, "a number >= 0", 0.0)


@pytest.mark.parametrize("value", ["text", None, True, [None], {}, 1j])
def test_what_is_no_number_is_a_type_error_that_names_the_parameter(value):
    with pytest.raises(TypeError, match="`gamma` must be a number >= 0, got"):
        check_real("gamma", value, "a number >= 0", 0.0)


def test_the_bound_itself_is_refused_only_where_the_number_must_be_above_it():
    check_real("x", 0.0, "a number >= 0", 0.0)
    for zero in (0.0, np.zeros(2)):
        with pytest.raises(ValueError, match="`x` must be a positive number"):
            check_real("x", zero, "a positive number", 0.0, above=True)


@pytest.mark.parametrize("value", [3, 4.5, np.array([5, 3]), np.array([4.2])])
def test_whole_numbers_are_whole_and_large_enough(value):
    check_whole("d", 4.0, 4)
    with pytest.raises(ValueError, match="`d` must be a whole number >= 4"):
        check_whole("d", value, 4)


def test_counts_are_integers():
    check_count("n", np.int64(3))
    with pytest.raises(TypeError, match="`n` must be an integer >= 1, got 2.0"):
        check_count("n", 2.0)
    with pytest.raises(ValueError, match="`n` must be an integer >= 1, got 0"):
        check_count("n", 0)


def test_values_under_a_transformation_of_jax_pass_unchecked():
    jax.jit(lambda x: check_real("x", x, "a positive number", 0.0) or x)(-1.0)
