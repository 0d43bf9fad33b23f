"""How a kind of state moves under the slopes of its risk, and what a path shows of it."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from soloc.dynamics.gram_map import free_gram_step, gram_step, gram_velocity
from soloc.dynamics.overlap_map import flow_velocity, projected_step
from soloc.risk.gram import Gram
from soloc.risk.overlaps import NAMES, Overlaps


class Motion(NamedTuple):
    """Projected descent on a kind of state, its limit of small steps, and columns of a path."""

    step: Callable[[Any, Any, Any], Any]  #: (state, slopes, alpha) -> state
    velocity: Callable[[Any, Any], Any]  #: (state, slopes) -> d state / dt
    numbers: Callable[[Any], dict[str, np.ndarray]]  #: what the state is
    measures: Callable[[Any], dict[str, np.ndarray]]  #: what it tells
    free_step: Callable[[Any, Any, Any], Any] | None = None  #: of a state that keeps norms

    def free(self) -> Callable[[Any, Any, Any], Any]:
        """The step without spheres, refused where a state holds no norms."""
        if self.free_step is None:
            raise ValueError(
                "`free_norms` must be False where the start holds directions alone, got True; give"
                " a Gram matrix, or take sgd_path."
            )
        return self.free_step


def _alignments(gram: Gram) -> dict[str, np.ndarray]:
    """kappa_hg = k_h.k*_g, nu_hg, theta_hg, eta_hg by head h and kind g, and rho_hj = k_h.v_j."""
    kinds = _kinds(gram)
    G = np.asarray(gram.matrix)
    H = G.shape[-1] // 2 - kinds
    k, v = range(H), range(H, 2 * H)
    k_star, v_star = range(2 * H, 2 * H + kinds), range(2 * H + kinds, 2 * (H + kinds))
    pairs = {"kappa": (k, k_star), "nu": (v, v_star), "theta": (v, k_star), "eta": (k, v_star)}
    pairs["rho"] = (k, v)
    return {
        f"{name}_{i + 1}{j + 1}": G[..., row, column]
        for name, (rows, columns) in pairs.items()
        for i, row in enumerate(rows)
        for j, column in enumerate(columns)
    }


def _strengths(gram: Gram) -> dict[str, np.ndarray]:
    """Distance to the manifold, and alignment up to rotation of the heads.

    aligned_1, aligned_2, ... are the singular values of sum_h (k*_g.k_h)(v_h.v*_j), a matrix over
    the kinds g, j, which is the identity at the truth.
    """
    kinds = _kinds(gram)
    G = np.asarray(gram.matrix)
    H = G.shape[-1] // 2 - kinds
    keys = np.r_[0:H, 2 * H : 2 * H + kinds]
    values = np.r_[H : 2 * H, 2 * H + kinds : 2 * (H + kinds)]
    off = G[..., keys[:, None], values]
    along_keys = G[..., 2 * H : 2 * H + kinds, :H]
    along_values = G[..., H : 2 * H, 2 * H + kinds :]
    sizes = np.linalg.svd(along_keys @ along_values, compute_uv=False)
    aligned = {f"aligned_{g + 1}": sizes[..., g] for g in range(kinds)}
    return {"distance": np.sqrt(np.sum(off**2, axis=(-2, -1)))} | aligned


def _kinds(gram: Gram) -> int:
    if gram.kinds is None:
        raise ValueError(
            "`kinds` must be said of a Gram matrix that is trained, got None; write"
            " Gram(matrix, kinds=2), or take Gram.of(keys, values, true_keys, true_values)."
        )
    return gram.kinds


MOTIONS: dict[type, Motion] = {
    Overlaps: Motion(
        projected_step,
        flow_velocity,
        lambda o: dict(zip(NAMES, o, strict=True)),
        lambda o: {"distance": np.sqrt(o.theta**2 + o.eta**2 + o.rho**2)},
    ),
    Gram: Motion(gram_step, gram_velocity, _alignments, _strengths, free_gram_step),
}


def motion_of(kind: type) -> Motion:
    """The motion of a kind of state."""
    for known in kind.__mro__:
        if known in MOTIONS:
            return MOTIONS[known]
    raise TypeError(
        "`start` must be a state that descent can move"
        f" ({', '.join(known.__name__ for known in MOTIONS)}), got {kind.__name__}."
    )
