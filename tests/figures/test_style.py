"""The palette stays apart for colour-blind readers; labels of logarithmic axes are plain."""

from itertools import combinations

import numpy as np
import pytest

from soloc.figures.style import PALETTE, logarithmic, panels, power, styled

#: Machado, Oliveira and Fernandes (2009), full severity, on linear RGB.
VISION = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]]
    ),
    "deuteranopia": np.array(
        [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]]
    ),
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def lab(colour, vision):
    rgb = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255.0
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = TO_XYZ @ np.clip(VISION[vision] @ linear, 0.0, 1.0) / np.array([0.9505, 1.0, 1.089])
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16.0 / 116.0)
    return np.array([116.0 * f[1] - 16.0, 500.0 * (f[0] - f[1]), 200.0 * (f[1] - f[2])])


@pytest.mark.parametrize("vision", VISION)
def test_any_two_colours_can_be_told_apart(vision):
    for first, second in combinations(PALETTE, 2):
        assert np.linalg.norm(lab(first, vision) - lab(second, vision)) > 10.0, (first, second)


def test_powers_are_plain_characters_and_other_numbers_have_no_label():
    assert (
        power(1e4) == "10⁴"
        and power(1e-3) == "10⁻³"
        and power(8.0, 2) == "2³"
        and power(20.0) == ""
    )


@styled
def axis_of(values):
    _, (axis,) = panels(1, 1)
    axis.plot(values, values)
    logarithmic(axis, "xy")
    return axis


@pytest.mark.parametrize("values", [[0.1, 0.6], [1.0, 1e6]])
def test_a_logarithmic_axis_has_labels_whatever_its_range(values):
    axis = axis_of(values)
    low, high = axis.get_xlim()
    ticks = [tick for tick in axis.get_xticks() if low <= tick <= high]
    assert sum(bool(axis.xaxis.get_major_formatter()(tick, 0)) for tick in ticks) >= 2
