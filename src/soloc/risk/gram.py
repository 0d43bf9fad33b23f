"""The Gram matrix of heads and truth: all that the risk of several heads depends on."""

from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from soloc.maths.data import STATIC, Data, core
from soloc.maths.numbers import check_real, is_concrete
from soloc.tasks.several_locations import SeveralTruth

_ROUNDING = 1e-9  # how far a Gram matrix of rounded numbers may be from positive


@dataclass(frozen=True)
class Gram(Data):
    """Inner products of (k_1..k_H, v_1..v_H, k*_1..k*_H*, v*_1..v*_H*), in this order.

    Leading axes are runs. Norms are kept: |k_h| multiplies the lam of its head, and |v_h| its
    answer.
    """

    matrix: Any = field(metadata=core(2))  #: (..., 2H + 2H*, 2H + 2H*)
    #: H*; as many as heads when not given and that is possible
    kinds: int | None = field(default=None, metadata=STATIC)

    def __post_init__(self) -> None:
        if not is_concrete(self.matrix):
            return
        matrix = np.asarray(self.matrix)
        check_real("matrix", matrix, "a matrix of finite numbers")
        if matrix.ndim < 2 or matrix.shape[-1] != matrix.shape[-2] or matrix.shape[-1] % 2:
            raise ValueError(
                "`matrix` must be square with two rows for each head and each kind, got the shape"
                f" {matrix.shape}."
            )
        if self.kinds is None and matrix.shape[-1] % 4 == 0:
            object.__setattr__(self, "kinds", matrix.shape[-1] // 4)
        size = np.abs(matrix).max()
        lopsided = np.abs(matrix - np.swapaxes(matrix, -1, -2)).max()
        if lopsided > _ROUNDING * size or np.linalg.eigvalsh(matrix).min() < -_ROUNDING * size:
            raise ValueError(
                "`matrix` must hold the inner products of vectors, so it must be symmetric and"
                " positive; compute it from vectors with Gram.of(keys, values, true_keys,"
                " true_values)."
            )

    @staticmethod
    def of(keys: Any, values: Any, true_keys: Any, true_values: Any) -> "Gram":
        """The Gram matrix of explicit vectors, (..., H, d) and (H*, d)."""
        student = [np.asarray(part, dtype=float) for part in (keys, values)]
        runs = np.broadcast_shapes(*(part.shape[:-2] for part in student))
        truth = [np.asarray(part, dtype=float) for part in (true_keys, true_values)]
        rows = [np.broadcast_to(part, (*runs, *part.shape[-2:])) for part in (*student, *truth)]
        W = np.concatenate(rows, axis=-2)
        return Gram(W @ np.swapaxes(W, -1, -2), kinds=truth[0].shape[-2])

    def vectors(self, truth: SeveralTruth, key: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Keys and values with these inner products, the part outside the truth uniform."""
        stars = jnp.concatenate([truth.keys, truth.values])
        students = self.matrix.shape[-1] - len(stars)
        matrix = jnp.asarray(self.matrix)
        with_truth = jnp.linalg.solve(
            matrix[students:, students:], matrix[students:, :students]
        ).T  # coordinates along the truth
        left = matrix[:students, :students] - with_truth @ matrix[students:, :students]
        size, frame = jnp.linalg.eigh(left)  # the smallest first
        rank = min(students, stars.shape[-1] - len(stars))  # all that there is outside the truth
        if is_concrete(size) and (size[: students - rank] > 1e-4 * jnp.abs(matrix).max()).any():
            raise ValueError(
                f"`d` must leave room for the {students} vectors of the heads beside the truth, got"
                f" d={stars.shape[-1]}; take a larger d."
            )
        outside = jax.random.normal(key, (rank, stars.shape[-1]), dtype=stars.dtype)
        outside = outside - (outside @ jnp.linalg.pinv(stars)) @ stars
        axes = jnp.linalg.qr(outside.T)[0].T
        coordinates = (frame * jnp.sqrt(jnp.maximum(size, 0.0)))[:, students - rank :]
        W = with_truth @ stars + coordinates @ axes
        return W[: students // 2], W[students // 2 :]
