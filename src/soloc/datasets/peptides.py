"""A generated table of peptides: one window of nine residues binds, and its residues set the
affinity.
"""

import numpy as np
import pandas as pd

RESIDUES = "ACDEFGHIKLMNPQRSTVWY"
#: hydropathy (Kyte and Doolittle), charge at neutral pH, side-chain volume in cubic angstrom; in
#: that order
HYDROPATHY = (
    *(1.8, 2.5, -3.5, -3.5, 2.8, -0.4, -3.2, 4.5, -3.9, 3.8),
    *(1.9, -3.5, -1.6, -3.5, -4.5, -0.8, -0.7, 4.2, -0.9, -1.3),
)
CHARGE = (0, 0, -1, -1, 0, 0, 0.1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0)
VOLUME = (
    89,
    109,
    111,
    138,
    190,
    60,
    153,
    167,
    169,
    167,
    163,
    114,
    113,
    144,
    174,
    89,
    116,
    140,
    228,
    194,
)
WINDOW = 9


def make_peptides(n_peptides: int = 600, noise: float = 0.3, random_state: int = 0) -> pd.DataFrame:
    """One row per nine-residue window of a peptide: its residues' properties, the affinity of the
    peptide.

    One window of each peptide carries large hydrophobic anchors at its second and last residue and
    binds; the affinity is a linear function of the properties of its seven other residues. Columns:
    `peptide`, `window` (its letters), 27 features such as `p2_hydropathy`, `binds` (the truth, not
    for fitting) and `affinity`.

    Examples
    --------
    >>> make_peptides(3).groupby("peptide")["binds"].sum().tolist()
    [1, 1, 1]
    """
    if n_peptides < 1 or noise < 0:
        raise ValueError(
            f"`n_peptides` must be at least 1 and `noise` not negative, got {n_peptides}, {noise}."
        )
    rng = np.random.default_rng(random_state)
    table = np.column_stack([HYDROPATHY, CHARGE, VOLUME])
    table = (table - table.mean(axis=0)) / table.std(axis=0)
    slope = rng.standard_normal((WINDOW, 3))
    slope[[1, WINDOW - 1]] = 0.0
    slope /= np.linalg.norm(slope)
    anchors = [RESIDUES.index(letter) for letter in "LIMV"]
    others = [i for i in range(len(RESIDUES)) if i not in anchors]
    rows = []
    for peptide in range(n_peptides):
        size = int(rng.integers(14, 24))
        sequence = rng.choice(others, size=size)
        binding = int(rng.integers(size - WINDOW + 1))
        sequence[[binding + 1, binding + WINDOW - 1]] = rng.choice(anchors, size=2)
        affinity = float(
            (table[sequence[binding : binding + WINDOW]] * slope).sum()
            + noise * rng.standard_normal()
        )
        for start in range(size - WINDOW + 1):
            window = sequence[start : start + WINDOW]
            letters = "".join(RESIDUES[i] for i in window)
            rows.append(
                (f"P{peptide:04d}", letters, start == binding, affinity, *table[window].ravel())
            )
    features = [
        f"p{i + 1}_{name}" for i in range(WINDOW) for name in ("hydropathy", "charge", "volume")
    ]
    return pd.DataFrame(rows, columns=["peptide", "window", "binds", "affinity", *features])
