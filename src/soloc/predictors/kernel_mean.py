"""Attention as kernel regression: the conditional mean embedding (CME), w = (K + r I)^-1 K_q."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from soloc.predictors.key_query import PerLength, at_length, require_shapes


@dataclass(frozen=True)
class FeatureKernel:
    """K(x, y) = phi(x).phi(y), for a feature map with few features."""

    features: Callable[[np.ndarray], np.ndarray]

    def __call__(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.asarray(self.features(x) @ np.swapaxes(self.features(y), -1, -2))


@dataclass(frozen=True)
class GaussianKernel:
    """K(x, y) = exp(-|x - y|^2 / (2 width^2)), of infinitely many features."""

    width: float = 1.0

    def __post_init__(self) -> None:
        if not self.width > 0:
            raise ValueError(f"`width` must be > 0, got {self.width}.")

    def __call__(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        square = np.sum(x * x, -1)[..., :, None] + np.sum(y * y, -1)[..., None, :]
        square = np.maximum(square - 2 * x @ np.swapaxes(y, -1, -2), 0)
        return np.asarray(np.exp(-square / (2 * self.width**2)))


@dataclass(frozen=True)
class KernelMeanAttention:
    """CME attention: any kernel (two sets of points -> matrix), any ridge, fixed or moving with L.

    A FeatureKernel with fewer features than tokens costs O(L D^2) (Woodbury), any other O(L^3)
    (Cholesky).
    """

    kernel: Callable[[np.ndarray, np.ndarray], np.ndarray]
    ridge: PerLength

    def __post_init__(self) -> None:
        if not callable(self.ridge):
            self.ridge_at(1)

    def ridge_at(self, L: int) -> float:
        """r for L tokens, refused unless >= 0."""
        ridge = at_length(self.ridge, L)
        if not ridge >= 0:
            raise ValueError(
                f"`ridge` must be >= 0, got {ridge} for {L} tokens; sigma^2/lam is the Bayes one."
            )
        return ridge

    def weights(self, keys: np.ndarray, query: np.ndarray) -> np.ndarray:
        keys, query = require_shapes(keys, query)
        ridge = self.ridge_at(keys.shape[1])
        if isinstance(self.kernel, FeatureKernel) and ridge > 0:
            phi, phi_q = self.kernel.features(keys), self.kernel.features(query)
            if phi.shape[-1] < phi.shape[-2]:
                gram = phi.transpose(0, 2, 1) @ phi + ridge * np.eye(phi.shape[-1])
                return (phi @ np.linalg.solve(gram, phi_q[..., None]))[..., 0]
            return _regress(phi @ phi.transpose(0, 2, 1), (phi @ phi_q[..., None])[..., 0], ridge)
        rows = [
            _regress(self.kernel(k, k), self.kernel(k, q[None])[:, 0], ridge)
            for k, q in zip(keys, query, strict=True)
        ]
        return np.stack(rows)


def _regress(gram: np.ndarray, cross: np.ndarray, ridge: float) -> np.ndarray:
    """(K + r I)^-1 K_q of one sequence or of many, refused where K + r I has no inverse at double
    precision.
    """
    L = gram.shape[-1]
    regular = gram + ridge * np.eye(L)
    try:
        pivots = np.diagonal(np.linalg.cholesky(regular), axis1=-2, axis2=-1) ** 2
        singular = bool(np.any(pivots.min(-1) <= 10 * L * np.finfo(float).eps * pivots.max(-1)))
    except np.linalg.LinAlgError:
        singular = True
    if singular:
        raise ValueError(
            "`ridge` must be > 0 and not negligible when the kernel matrix is singular, got ridge"
            f" {ridge:g} for {L} tokens; the kernel has fewer independent features than tokens, or"
            " two keys coincide: raise the ridge, sigma^2/lam is the Bayes one."
        )
    return np.asarray(np.linalg.solve(regular, cross[..., None])[..., 0])
