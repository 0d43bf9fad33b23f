"""Projected gradient descent of several heads, as an exact map of the Gram matrix.

Rows of W (never formed) are k_1..k_H, v_1..v_H, k*_.., v*_..; G = W W'. The gradient in row i is
sum_j c_ij w_j, with c twice the symmetrised slopes dR/dG on the rows of the student and zero on
those of the truth. A step of size alpha, projected on spheres, is W <- N M W with

    M = I - alpha (c - diag(c G) / diag(G)),    G <- N (M G M') N,

and N gives every row its norm back: O((H + H*)^3) per step, whatever the dimension.
"""

from typing import Any

import jax
import jax.numpy as jnp

from soloc.risk.gram import Gram


def projected(gram: Any, c: Any) -> Any:
    """The coefficients of the gradients, without their part along the rows themselves."""
    own = jnp.diagonal(gram, axis1=-2, axis2=-1)
    along = jnp.sum(c * gram, axis=-1) / own
    return c - along[..., None] * jnp.eye(gram.shape[-1])


def gram_step(state: Gram, slopes: Gram, alpha: Any) -> Gram:
    """The Gram matrix after one projected step; runs are on leading axes."""
    gram = state.matrix
    M = jnp.eye(gram.shape[-1]) - alpha[..., None, None] * projected(gram, slopes.matrix)
    moved = M @ gram @ jnp.swapaxes(M, -1, -2)
    moved = 0.5 * (moved + jnp.swapaxes(moved, -1, -2))
    before, after = (jnp.diagonal(x, axis1=-2, axis2=-1) for x in (gram, moved))
    scale = jnp.sqrt(before / after)
    return _as(state, moved * scale[..., :, None] * scale[..., None, :])


def free_gram_step(state: Gram, slopes: Gram, alpha: Any) -> Gram:
    """The same step without spheres: norms move as well."""
    gram = state.matrix
    M = jnp.eye(gram.shape[-1]) - alpha[..., None, None] * slopes.matrix
    moved = M @ gram @ jnp.swapaxes(M, -1, -2)
    return _as(state, 0.5 * (moved + jnp.swapaxes(moved, -1, -2)))


def gram_velocity(state: Gram, slopes: Gram) -> Gram:
    """dG/dt of the gradient flow on spheres."""
    half = -projected(state.matrix, slopes.matrix) @ state.matrix
    return _as(state, half + jnp.swapaxes(half, -1, -2))


def _as(state: Gram, matrix: Any) -> Gram:
    moved: Gram = jax.tree.unflatten(jax.tree.structure(state), [matrix])
    return moved
