"""Formulas in plain words are set, words are left alone."""

import pytest

from soloc.experiments import registry
from soloc.report.page import MAIN, OPENING
from soloc.report.typeset import typeset


@pytest.mark.parametrize(
    ("written", "set_"),
    [
        ("end at +-(k*, v*)", "end at ±(k*, v*)"),
        ("|kappa| = 0.98, |nu| = 1", "|κ| = 0.98, |ν| = 1"),
        ("falls like d^-0.45, as L^-0.63.", "falls like d<sup>−0.45</sup>, as L<sup>−0.63</sup>."),
        ("lam = d^-1/4", "λ = d<sup>−1/4</sup>"),
        ("9.6e-01, 0.0e+00, 1e+08", "9.6·10<sup>−1</sup>, 0, 10<sup>8</sup>"),
        ("lam sqrt(d) >> 1 >= 0", "λ √d ≫ 1 ≥ 0"),
        ("twice the best lam.", "twice the best λ."),
        ("exp(-0.26 m^2)", "exp(−0.26 m<sup>2</sup>)"),
        ("3,000-3,000 steps, n/d = .5", "3,000-3,000 steps, n/d = .5"),
        ("`lam <b>` of beta.py", "<code>lam &lt;b&gt;</code> of beta.py"),
        ("lambda, betas, 16e, risk<1", "lambda, betas, 16e, risk&lt;1"),
    ],
)
def test_formulas_are_set_and_words_are_not(written, set_):
    assert typeset(written) == set_


def test_the_page_opens_with_experiments_that_exist():
    assert {OPENING, *MAIN} <= set(registry.EXPERIMENTS)
