"""Where a function is not smooth is found, and smooth functions are left alone."""

import numpy as np
import pytest
from scipy.special import erf, erfc, expit

from soloc.maths.smoothness import rough_place

ROUGH = {
    "step": (lambda x: np.where(x > 1.3, 1.0, 0.0), (0.0,), 1.3),
    "step at a power of two": (lambda x: np.where(x > 1.0, 1.0, 0.0), (0.0,), 1.0),
    "small step on a large function": (lambda x: x**3 + 0.01 * (x > 5.0), (0.0,), 5.0),
    "ramp, one end named": (lambda x: np.clip(x, -1.0, 2.0), (-1.0,), 2.0),
    "bend at 0 that is not named": (np.abs, (1.0,), 0.0),
    "bend far out": (lambda x: np.clip(x, -300.0, 300.0), (0.0,), 300.0),
    "bend far from 0 beside a seam": (lambda x: np.maximum(x - 2001.0, 0.0), (2000.0,), 2001.0),
    "infinite slope at a seam": (np.cbrt, (0.0,), 0.0),
}


@pytest.mark.parametrize("name", ROUGH)
def test_the_place_of_a_jump_or_bend_is_found(name):
    function, seams, place = ROUGH[name]
    assert abs(rough_place(function, seams)) == pytest.approx(place, rel=1e-4, abs=1e-5)


SMOOTH = {
    "step, named": (lambda x: np.where(x > 1.3, 1.0, 0.0), (1.3,)),
    "ramp, both ends named": (lambda x: np.clip(x, -1.0, 2.0), (-1.0, 2.0)),
    "tanh": (np.tanh, (0.0,)),
    "no seam": (np.tanh, ()),
    "sharp tanh": (lambda x: np.tanh(100.0 * x), (0.0,)),
    "fast sine": (lambda x: np.sin(100.0 * x), (0.0,)),
    "narrow peak": (lambda x: 1.0 / (1.0 + 1e4 * (x - 3.0) ** 2), (0.0,)),
    "overflow": (np.exp, (0.0,)),
    "underflow": (lambda x: np.exp(-x * x), (0.0,)),
    "tail of rounding": (lambda x: x * (1.0 + erf(x)), (0.0,)),
    "rounded to 32 bits": (lambda x: np.tanh(x.astype(np.float32)), (0.0,)),
    "constant": (lambda x: 0.0 * x, (0.0,)),
    "erfc": (erfc, (0.0,)),
    "threshold far out": (lambda x: expit(x - 40.0), (0.0,)),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_a_smooth_function_has_none(name):
    with np.errstate(all="ignore"):
        assert rough_place(*SMOOTH[name]) is None


def test_no_place_is_overlooked():
    """Wherever a bend falls among the panels that are halved."""
    for place in np.random.default_rng(0).uniform(-20.0, 20.0, 300):
        found = rough_place(lambda x, place=place: np.maximum(x - place, 0.0), (0.0,))
        assert found == pytest.approx(place, abs=1e-4), place
