"""The chapter on several heads at quick settings: claims hold, and states are what they say."""

import numpy as np
import pytest

from soloc.experiments.heads import counting, importance, largest, sharing, soft_labels
from soloc.experiments.heads.codes import CODE, TRUTH, code_of, state_of


@pytest.mark.parametrize(
    "experiment",
    [counting.EXPERIMENT, importance.EXPERIMENT, largest.EXPERIMENT, soft_labels.EXPERIMENT],
    ids=lambda experiment: experiment.name,
)
def test_quick_claims_hold(experiment):
    table = experiment.run(experiment.settings(quick=True))
    for certificate in experiment.certificates(table):
        assert certificate.passed, certificate
    assert len(experiment.findings(table)) > 100


@pytest.mark.parametrize("heads", [1, 2, 3, 5, 8])
def test_codes_are_orthogonal_and_keep_the_map_of_the_truth(heads):
    rows = code_of(heads, heads)
    np.testing.assert_allclose(rows @ rows.T, np.eye(heads), atol=1e-12)
    wide = code_of(heads, 1)
    assert wide.T @ wide == pytest.approx(1.0)  # sum_h k_h v_h' is that of the truth


def test_one_head_of_each_kind_and_spare_ones_are_silent():
    G = state_of(TRUTH, 3, 2).matrix
    assert G[0, 6] == G[1, 7] == 1.0 and not G[5].any()  # the third value is zero
    assert state_of(CODE, 1, 2).matrix[0, 2] == pytest.approx(0.5**0.5)


def test_the_code_wins_and_descent_on_the_manifold_finds_it():
    config = sharing.EXPERIMENT.settings(quick=True, parts=("values",), lengths=(10, 1000))
    first, *others = sharing.certificates(sharing.run(config))
    assert first.passed and not others
    short = sharing.run(
        sharing.EXPERIMENT.settings(quick=True, parts=("manifold 1",), starts=2, steps=200)
    )
    ends = short[short.part == "end"]
    assert len(ends) == 2 and set(ends.minimum) == {CODE} and not ends.halved.any()
