"""Weights that see all scores: softmax and other kernels, sparse projections, hard maximum."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from soloc.maths.engine import Array, engine_of
from soloc.maths.simplex import entmax15, sparsemax
from soloc.predictors.weight import Weight


@dataclass(frozen=True)
class SeesAllScores(Weight):
    """Non-negative weights that sum to one, or are all zero when a kernel vanishes everywhere."""

    def __call__(self, scores: jax.Array, present: jax.Array | None = None) -> jax.Array:
        """Weights of the tokens from their scores (last axis); absent tokens weigh nothing."""
        scaled = jnp.asarray(self.lam)[..., None] * scores
        present = jnp.ones(scaled.shape, bool) if present is None else present
        return self.weights(scaled, present)

    @abstractmethod
    def weights(self, x: jax.Array, present: jax.Array) -> jax.Array:
        """Weights from scaled scores x = lam a."""


@dataclass(frozen=True)
class NormalisedKernel(SeesAllScores):
    """f(lam a_l) / sum_j f(lam a_j) for a non-negative kernel f.

    Its exact risk costs the same at every length.
    """

    @abstractmethod
    def log_kernel(self, x: Array) -> Array:
        """log f(x), -inf where f vanishes."""

    def weights(self, x: jax.Array, present: jax.Array) -> jax.Array:
        logs = jnp.where(present, self.log_kernel(x), -jnp.inf)
        top = jnp.max(logs, axis=-1, keepdims=True)
        kernel = jnp.exp(logs - jnp.where(jnp.isfinite(top), top, 0.0))
        total = jnp.sum(kernel, axis=-1, keepdims=True)
        return kernel / jnp.where(total > 0, total, 1.0)


@dataclass(frozen=True)
class Softmax(NormalisedKernel):
    """exp(lam a_l) / sum_j exp(lam a_j) (Vaswani et al., 2017).

    Exactly Bayes for gamma = 1, k = k*, v = v*, lam = m.
    """

    def log_kernel(self, x: Array) -> Array:
        return x


@dataclass(frozen=True)
class NormalisedSoftplus(NormalisedKernel):
    """Normalised softplus kernel (Tsai et al., 2019: attention as a kernel smoother)."""

    def log_kernel(self, x: Array) -> Array:
        xp = engine_of(x).xp
        far_left = x < -30.0  # log softplus(x) = x up to exp(x) / 2
        return xp.where(far_left, x, xp.log(xp.logaddexp(0.0, xp.where(far_left, 0.0, x))))


@dataclass(frozen=True)
class NormalisedSigmoid(NormalisedKernel):
    """Normalised sigmoid kernel (Tsai et al., 2019; Ramapuram et al., 2024)."""

    def log_kernel(self, x: Array) -> Array:
        return -engine_of(x).xp.logaddexp(0.0, -x)


@dataclass(frozen=True)
class NormalisedReLU(NormalisedKernel):
    """Normalised ReLU kernel (Katharopoulos et al., 2020; Qin et al., 2022).

    The answer is 0 when every score is negative.
    """

    def log_kernel(self, x: Array) -> Array:
        xp = engine_of(x).xp
        positive = x > 0
        return xp.where(positive, xp.log(xp.where(positive, x, 1.0)), -xp.inf)


@dataclass(frozen=True)
class CosineReweighted(SeesAllScores):
    """max(lam a_l, 0) cos(pi l / (2 L)), normalised: cosFormer (Qin et al., 2022).

    It depends on the position.
    """

    position_free: ClassVar[bool] = False

    def weights(self, x: jax.Array, present: jax.Array) -> jax.Array:
        length = jnp.sum(present, axis=-1, keepdims=True)
        kernel = jnp.maximum(x, 0.0) * jnp.cos(0.5 * np.pi * jnp.arange(x.shape[-1]) / length)
        kernel = jnp.where(present, kernel, 0.0)
        total = jnp.sum(kernel, axis=-1, keepdims=True)
        return kernel / jnp.where(total > 0, total, 1.0)


@dataclass(frozen=True)
class Sparsemax(SeesAllScores):
    """Euclidean projection of the scores on the simplex (Martins and Astudillo, 2016)."""

    def weights(self, x: jax.Array, present: jax.Array) -> jax.Array:
        return sparsemax(jnp.where(present, x, -jnp.inf))


@dataclass(frozen=True)
class Entmax15(SeesAllScores):
    """1.5-entmax, between softmax and sparsemax (Peters, Niculae and Martins, 2019)."""

    def weights(self, x: jax.Array, present: jax.Array) -> jax.Array:
        return entmax15(jnp.where(present, x, -jnp.inf))


@dataclass(frozen=True)
class HardMax(SeesAllScores):
    """All weight on the largest score: hard attention (Hahn, 2020), softmax at lam -> infinity."""

    lam: Any = 1.0

    def weights(self, x: jax.Array, present: jax.Array) -> jax.Array:
        return jax.nn.one_hot(
            jnp.argmax(jnp.where(present, x, -jnp.inf), axis=-1), x.shape[-1], dtype=x.dtype
        )
