"""Single-location regression: one token decides the answer, and nobody says which."""

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from soloc.maths.data import STATIC, Data
from soloc.maths.engine import JAX, Array, engine_of
from soloc.maths.gaussians import log_ratio, squared_distance
from soloc.maths.numbers import check_count, check_real, check_whole, is_concrete
from soloc.maths.randomness import generator
from soloc.maths.simplex import softmax
from soloc.tasks.lengths import LengthLaw
from soloc.tasks.protocol import Exchangeable, View, variance_of_place


class Truth(NamedTuple):
    """Two orthonormal directions: `k` tells where the signal is, `v` what it says."""

    k: Array
    v: Array


def orthonormal_pair(key: jax.Array, d: int) -> Truth:
    """Uniform among the orthonormal pairs of R^d."""
    pair = jnp.linalg.qr(jax.random.normal(key, (d, 2)))[0].T
    return Truth(k=pair[0], v=pair[1])


class Sample(NamedTuple):
    """Sequences with their answers and the location that nobody says."""

    tokens: Array  #: (n, L, d); rows beyond a sequence's length are zero
    answers: Array  #: (n,)
    location: Array  #: (n,) the latent J0
    lengths: Array  #: (n,) tokens present in each sequence

    @property
    def latent(self) -> Array:
        return self.location


@dataclass(frozen=True)
class SingleLocation(Data):
    """The task SLR(k*, v*) of Marion, Berthier, Biau and Boyer (2025).

        X_J0 ~ N(m k*, gamma^2 I),   X_l ~ N(background, I) for l != J0
        Y = X_J0 . v* + N(0, eps^2)

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
            longest = 10 if self.lengths is None else self.lengths.longest
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
            self.lengths.check(self.L)
            if self.prior is not None:
                raise ValueError("`prior` and `lengths` cannot be combined: leave one of them out.")
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

    @property
    def m(self) -> Any:
        """Signal strength."""
        if self.signal is not None:
            return self.signal
        return (
            math.sqrt(0.5 * self.d) if isinstance(self.d, (int, float)) else (0.5 * self.d) ** 0.5
        )

    def truth(self, key: jax.Array) -> Truth:
        """Draw (k*, v*), uniform among orthonormal pairs."""
        return orthonormal_pair(key, self.d)

    def sample(self, truth: Truth, key: jax.Array, n: int) -> Sample:
        """Draw n sequences with their answers, latent locations and lengths.

        A truth of NumPy arrays is drawn by NumPy: in double precision, with nothing to compile for
        a new length.
        """
        check_count("n", n)
        by_jax = engine_of(*truth) is JAX
        drawn = self._drawn_by_jax(key, n) if by_jax else self._drawn_by_numpy(key, n)
        xp: Any = jnp if by_jax else np
        positions = xp.arange(self.L)
        tokens = self.tokens_of(drawn.noise, positions == drawn.location[:, None], truth.k)
        present = positions < drawn.lengths[:, None]
        tokens = xp.where(present[..., None], tokens, 0.0)
        decisive = xp.take_along_axis(tokens, drawn.location[:, None, None], axis=1)[:, 0]
        answers = decisive @ truth.v + self.eps * drawn.answer_noise
        return Sample(tokens, answers, drawn.location, drawn.lengths)

    def tokens_of(self, noise: Array, here: Array, k: Array) -> Array:
        """The tokens that standard normal noise (..., L, d) makes when the signal is `here`.

        `k` is k*, or its coordinates in a frame in which only part of a token is seen.
        """
        as_signal, as_background = self.m * k + self.gamma * noise, self._background + noise
        return engine_of(noise, here).xp.where(here[..., None], as_signal, as_background)

    @property
    def _background(self) -> Array:
        if self.background is None:
            return 0.0
        traced = not is_concrete(self.background)
        return self.background if traced else np.asarray(self.background, float)

    def _drawn_by_jax(self, key: jax.Array, n: int) -> "_Drawn":
        length_key, location_key, token_key, noise_key = jax.random.split(key, 4)
        lengths = self.draw_lengths(length_key, n)
        location = self.draw_location(location_key, lengths)
        noise = jax.random.normal(token_key, (n, self.L, self.d))
        return _Drawn(lengths, location, noise, jax.random.normal(noise_key, (n,)))

    def draw_lengths(self, key: jax.Array, n: int) -> jax.Array:
        """The lengths of n sequences."""
        return jnp.full((n,), self.L) if self.lengths is None else self.lengths.draw(key, n)

    def draw_location(self, key: jax.Array, lengths: jax.Array) -> jax.Array:
        """The latent location in sequences of given lengths, from the prior."""
        if self.prior is not None:
            return jax.random.choice(key, self.L, lengths.shape, p=jnp.asarray(self.prior))
        return jnp.minimum(
            jnp.floor(jax.random.uniform(key, lengths.shape) * lengths).astype(int), lengths - 1
        )

    def _drawn_by_numpy(self, key: jax.Array, n: int) -> "_Drawn":
        rng = generator(key)
        noise = rng.standard_normal((n, self.L, self.d))
        if self.lengths is None:
            lengths = np.full(n, self.L)
        else:
            lengths = self.lengths.draw_by_numpy(rng, n)
        if self.prior is not None:
            location = rng.choice(self.L, n, p=self.prior)
        else:
            location = rng.integers(self.L if self.lengths is None else lengths, size=n)
        return _Drawn(lengths, location, noise, rng.standard_normal(n))

    # --- the Bayes answer, an attention over places

    @property
    def exchangeable(self) -> Exchangeable:
        return "finite" if self.prior is None else "no"

    def log_ratio(self, k: Array, tokens: Array) -> Array:
        """ell(x) = log density of x as the signal token for k* = k, minus that as background."""
        from_background = squared_distance(tokens, self._background)
        return log_ratio(from_background, squared_distance(tokens, self.m * k), self.gamma, self.d)

    def posterior(self, truth: Truth, tokens: Array, lengths: Array | None = None) -> Array:
        """P(J0 = l | X), exact for every gamma: softmax over l of ell(X_l) + log prior_l."""
        return self._posterior(truth.k, tokens, lengths)

    def _posterior(self, k: Array, tokens: Array, lengths: Array | None = None) -> Array:
        scores = self.log_ratio(k, tokens)
        xp = engine_of(scores).xp
        if self.prior is not None:
            with np.errstate(divide="ignore"):  # where the signal never is
                scores = scores + np.log(self.prior)
        if lengths is not None:
            scores = xp.where(np.arange(tokens.shape[-2]) < lengths[..., None], scores, -xp.inf)
        return softmax(scores)

    def bayes(self, truth: Truth, tokens: Array, lengths: Array | None = None) -> Array:
        """E[Y | X] = sum_l P(J0 = l | X) X_l . v*."""
        return (self.posterior(truth, tokens, lengths) * (tokens @ truth.v)).sum(-1)

    def view(self, truth: Truth, tokens: Array) -> View:
        """Keys are the tokens, the query is k*, values are the projections X_l . v*."""
        if self.lengths is not None:
            raise ValueError(
                "`lengths` must be left out for the tokens to be keys of attention, which has no"
                f" word for absent ones, got {self.lengths}; take one length."
            )
        tokens, k = np.asarray(tokens, float), np.asarray(truth.k, float)
        values = tokens @ np.asarray(truth.v, float)
        return View(tokens, values[..., None], np.broadcast_to(k, (len(tokens), k.size)))

    def bayes_weights(self, keys: np.ndarray, query: np.ndarray) -> np.ndarray:
        """The posterior again, for an attention whose query is k*."""
        return np.asarray(self._posterior(query[:, None], keys))

    def bayes_variance(self, truth: Truth, tokens: Array, lengths: Array | None = None) -> Array:
        """Variance of X_J . v* under the posterior of J, plus the noise of the answer."""
        values = np.asarray(tokens @ truth.v)[..., None]
        spread = variance_of_place(self.posterior(truth, tokens, lengths), values)
        return spread + float(self.eps) ** 2

    # --- risks of those who do not attend

    def null_risk(self) -> Any:
        """Risk of always answering 0: eps^2 + gamma^2."""
        return self.eps**2 + self.gamma**2

    def linear_risk(self) -> Any:
        """Risk of the best linear regression on the concatenated tokens.

        eps^2 + gamma^2 sum_l h_l (p_l - h_l) / (gamma^2 h_l + p_l - h_l), with token l present with
        probability p_l and decisive with h_l: gamma^2 (L-1) / (gamma^2 + L-1) when all are alike.
        """
        self.refuse_background()
        g2 = self.gamma**2
        if self.prior is None and self.lengths is None:
            return self.eps**2 + g2 * (self.L - 1.0) / (g2 + self.L - 1.0)
        if self.lengths is None:
            present, here = np.ones(int(self.L)), np.asarray(self.prior)
        else:
            present, here = self.lengths.chances()
        others = present - here
        return self.eps**2 + np.sum(g2 * here * others / (g2 * here + others + (here == 0)))

    def refuse_background(self) -> None:
        """Refuse a background mean where an exact risk is asked for."""
        if self.background is not None:
            raise ValueError(
                "`background` must be left out of a task whose exact risk is asked for, since it"
                " adds overlaps that the five do not have; use monte_carlo_risk or"
                " monte_carlo_bayes_risk."
            )


class _Drawn(NamedTuple):
    """All randomness of n sequences."""

    lengths: Array  #: (n,)
    location: Array  #: (n,)
    noise: Array  #: (n, L, d) standard normal
    answer_noise: Array  #: (n,) standard normal
