"""Projected gradient descent of several heads, as an exact map of the Gram matrix.

Rows of W (never formed) are k_1..k_H, v_1..v_H, k*_.., v*_..; G = W W'. With P the symmetrised
slopes dR/dG the gradient in row i is sum_j c_ij w_j, c = 2P, so a projected step of size alpha on
the rows of the student is W <- N M W with

    M = I - alpha (c - diag(c G)) on student rows, I on truth rows;   G <- N (M G M') N

and N normalises the student's rows: O((H + H*)^3) per step, whatever the dimension.
"""

from typing import Any

import jax.numpy as jnp


def gram_step(
    gram: Any, slopes: Any, alpha: Any, students: int, *, free_norms: bool = False
) -> Any:
    """The Gram matrix after one step along the slopes dR/dG of every entry; runs on leading axes."""
    size = gram.shape[-1]
    moves = (jnp.arange(size) < students)[:, None]
    c = jnp.where(moves, slopes + jnp.swapaxes(slopes, -1, -2), 0.0)
    if not free_norms:
        along = jnp.sum(c * gram, axis=-1, keepdims=True)
        c = c - along * jnp.eye(size)
    M = jnp.eye(size) - alpha[..., None, None] * c
    moved = M @ gram @ jnp.swapaxes(M, -1, -2)
    moved = 0.5 * (moved + jnp.swapaxes(moved, -1, -2))
    if free_norms:
        return moved
    own = jnp.diagonal(moved, axis1=-2, axis2=-1)
    scale = jnp.where(moves[:, 0], 1.0 / jnp.sqrt(own), 1.0)
    return moved * scale[..., :, None] * scale[..., None, :]
