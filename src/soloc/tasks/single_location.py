"""Single-location regression: one token of the sequence decides the answer, and nobody says which."""

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from soloc.maths.data import STATIC, Data
from soloc.maths.numbers import check_count, check_real, check_whole, is_concrete


class Truth(NamedTuple):
    """The latent pair of orthonormal directions: `k` tells where the signal is, `v` what it says."""

    k: jax.Array
    v: jax.Array


class Sample(NamedTuple):
    """Sequences with their answers and the location that nobody says."""

    tokens: jax.Array  #: (n, L, d); rows beyond a sequence's length are zero
    answers: jax.Array  #: (n,)
    location: jax.Array  #: (n,) the latent J0
    lengths: jax.Array  #: (n,) tokens present in each sequence


class LengthLaw(NamedTuple):
    """A law of the sequence length on finitely many values."""

    values: tuple[int, ...]
    probabilities: tuple[float, ...]

    @staticmethod
    def uniform(shortest: int, longest: int) -> "LengthLaw":
        """Every length from `shortest` to `longest`, equally likely."""
        if not 1 <= shortest <= longest:
            raise ValueError(
                f"`shortest` and `longest` must satisfy 1 <= shortest <= longest, got {shortest}"
                f" and {longest}."
            )
        count = longest - shortest + 1
        return LengthLaw(tuple(range(shortest, longest + 1)), (1.0 / count,) * count)


@dataclass(frozen=True)
class SingleLocation(Data):
    """The task SLR(k*, v*) of Marion, Berthier, Biau and Boyer (2025).

        X_J0 ~ N(m k*, gamma^2 I),   X_l ~ N(background, I) for l != J0,   Y = X_J0 . v* + N(0,
        eps^2)

    The numbers `d`, `L`, `gamma`, `eps` and `signal` may be arrays that broadcast: then every exact
    risk is an array too. They are the leaves of the task as a JAX pytree.

    Parameters
    ----------
    d : dimension of a token, at least 4.
    L : length of the sequence, at least 1 (default 10, or the longest of `lengths`).
    gamma : standard deviation of the signal token in every direction.
    eps : standard deviation of the noise on the answer.
    signal : the strength m; sqrt(d/2) when not given.
    prior : probabilities of the L locations; uniform when not given.
    lengths : a `LengthLaw` when the length is random.
    background : mean of the background tokens, a vector of length d; zero when not given.
    """

    d: Any = 400
    L: Any = None
    gamma: Any = 0.5**0.5
    eps: Any = 0.0
    signal: Any = None
    prior: Any = field(default=None, metadata=STATIC)
    lengths: LengthLaw | None = field(default=None, metadata=STATIC)
    background: Any = None

    def __post_init__(self) -> None:
        if self.L is None:
            longest = 10 if self.lengths is None else max(self.lengths.values)
            object.__setattr__(self, "L", longest)
        check_whole("d", self.d, 4)
        check_whole("L", self.L, 1)
        check_real("gamma", self.gamma, "a positive number", 0.0, above=True)
        check_real("eps", self.eps, "a number >= 0", 0.0)
        if self.signal is not None:
            check_real("signal", self.signal, "a number >= 0", 0.0)
        if self.prior is not None:
            self._check_prior()
        if self.lengths is not None:
            self._check_lengths(self.lengths)
        if self.background is not None and is_concrete(self.background):
            background = np.asarray(self.background)
            if background.shape != (self.d,) or not np.all(np.isfinite(background)):
                raise ValueError(
                    f"`background` must be a finite vector of length d = {self.d}, got an array of"
                    f" shape {background.shape}."
                )

    def _check_prior(self) -> None:
        prior = np.asarray(self.prior, dtype=float)
        if prior.shape != (self.L,):
            raise ValueError(
                f"`prior` must hold L = {self.L} probabilities, got an array of shape"
                f" {prior.shape}."
            )
        if not (np.all(prior >= 0) and abs(prior.sum() - 1.0) < 1e-9):
            raise ValueError(
                f"`prior` must be non-negative and sum to 1, got a sum of {prior.sum():.6g}."
            )
        object.__setattr__(self, "prior", tuple(float(p) for p in prior / prior.sum()))

    def _check_lengths(self, lengths: LengthLaw) -> None:
        values, chances = np.asarray(lengths.values), np.asarray(lengths.probabilities, dtype=float)
        if values.ndim != 1 or values.shape != chances.shape or len(values) == 0:
            raise ValueError(
                "`lengths` must hold as many probabilities as values, and at least one."
            )
        check_whole("lengths.values", values, 1)
        if not (np.all(chances >= 0) and abs(chances.sum() - 1.0) < 1e-9):
            raise ValueError(
                "`lengths.probabilities` must be non-negative and sum to 1, got a sum of"
                f" {chances.sum():.6g}."
            )
        if is_concrete(self.L) and np.any(np.asarray(self.L) != values.max()):
            raise ValueError(
                f"`L` must be the longest of `lengths` or left out, got {self.L} against"
                f" {values.max()}."
            )
        if self.prior is not None:
            raise ValueError("`prior` and `lengths` cannot be combined: leave one of them out.")

    @property
    def m(self) -> Any:
        """Signal strength."""
        if self.signal is not None:
            return self.signal
        return (
            math.sqrt(0.5 * self.d) if isinstance(self.d, (int, float)) else (0.5 * self.d) ** 0.5
        )

    def length_law(self) -> tuple[np.ndarray, np.ndarray]:
        """Values and probabilities of the length when it is random."""
        assert self.lengths is not None
        return np.asarray(self.lengths.values, dtype=float), np.asarray(
            self.lengths.probabilities, dtype=float
        )

    def truth(self, key: jax.Array) -> Truth:
        """Draw (k*, v*), uniform among orthonormal pairs."""
        pair = jnp.linalg.qr(jax.random.normal(key, (self.d, 2)))[0].T
        return Truth(k=pair[0], v=pair[1])

    def sample(self, truth: Truth, key: jax.Array, n: int) -> Sample:
        """Draw n sequences with their answers, latent locations and lengths."""
        check_count("n", n)
        length_key, location_key, token_key, noise_key = jax.random.split(key, 4)
        lengths = self.draw_lengths(length_key, n)
        location = self.draw_location(location_key, lengths)
        noise = jax.random.normal(token_key, (n, self.L, self.d))
        present, signal_here = self._masks(lengths, location)
        background = 0.0 if self.background is None else jnp.asarray(self.background)
        tokens = jnp.where(
            signal_here[..., None], self.m * truth.k + self.gamma * noise, background + noise
        )
        tokens = jnp.where(present[..., None], tokens, 0.0)
        decisive = jnp.take_along_axis(tokens, location[:, None, None], axis=1)[:, 0]
        answers = decisive @ truth.v + self.eps * jax.random.normal(noise_key, (n,))
        return Sample(tokens, answers, location, lengths)

    def draw_lengths(self, key: jax.Array, n: int) -> jax.Array:
        """The lengths of n sequences."""
        if self.lengths is None:
            return jnp.full((n,), self.L)
        values, chances = self.length_law()
        return jax.random.choice(key, jnp.asarray(values, int), (n,), p=jnp.asarray(chances))

    def draw_location(self, key: jax.Array, lengths: jax.Array) -> jax.Array:
        """The latent location in sequences of given lengths, from the prior."""
        if self.prior is not None:
            return jax.random.choice(key, self.L, lengths.shape, p=jnp.asarray(self.prior))
        return jnp.minimum(
            jnp.floor(jax.random.uniform(key, lengths.shape) * lengths).astype(int), lengths - 1
        )

    def _masks(self, lengths: jax.Array, location: jax.Array) -> tuple[jax.Array, jax.Array]:
        positions = jnp.arange(self.L)
        return positions < lengths[:, None], positions == location[:, None]

    def log_ratio(self, truth: Truth, tokens: jax.Array) -> jax.Array:
        """ell(x) = log density of x as the signal token minus log density of x as background."""
        background = 0.0 if self.background is None else jnp.asarray(self.background)
        as_background = 0.5 * jnp.sum((tokens - background) ** 2, axis=-1)
        as_signal = 0.5 * jnp.sum((tokens - self.m * truth.k) ** 2, axis=-1) / self.gamma**2
        return as_background - as_signal - self.d * math.log(self.gamma)

    def posterior(
        self, truth: Truth, tokens: jax.Array, lengths: jax.Array | None = None
    ) -> jax.Array:
        """P(J0 = l | X), exact for every gamma: softmax over l of ell(X_l) + log prior_l."""
        scores = self.log_ratio(truth, tokens)
        if self.prior is not None:
            scores = scores + jnp.log(jnp.asarray(self.prior))
        if lengths is not None:
            scores = jnp.where(jnp.arange(tokens.shape[-2]) < lengths[..., None], scores, -jnp.inf)
        return jax.nn.softmax(scores, axis=-1)

    def bayes(self, truth: Truth, tokens: jax.Array, lengths: jax.Array | None = None) -> jax.Array:
        """E[Y | X] = sum_l P(J0 = l | X) X_l . v*."""
        return jnp.sum(self.posterior(truth, tokens, lengths) * (tokens @ truth.v), axis=-1)
