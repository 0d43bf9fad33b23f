"""Regression through a latent matrix: tokens are independent given z, so that their order says
nothing.

    v_l = z phi(k_l) + N(0, sigma^2),   z entries N(0, lam),   target z phi(q)

The posterior of z is Gaussian; T = (Phi'Phi, V'Phi) is its minimal sufficient statistic, a sum over
tokens.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import jax
import numpy as np

from soloc.maths.harmonics import Harmonics
from soloc.maths.randomness import generator
from soloc.tasks.key_laws import GaussianKeys, SphereKeys
from soloc.tasks.protocol import Batch, Exchangeable, Sight, require_counts

CHUNK = 32_768  # tokens whose features are in memory at once


class Tokens(NamedTuple):
    """One sequence, or a piece of it: keys (L, d) and values (L, dv)."""

    keys: np.ndarray
    values: np.ndarray


class Representation(NamedTuple):
    """T, all that a sequence says about the latent: (Phi'Phi, V'Phi), with + over sequences."""

    gram: np.ndarray  #: (D, D)
    cross: np.ndarray  #: (dv, D)

    def __add__(self, other: "Representation") -> "Representation":  # type: ignore[override]
        return Representation(self.gram + other.gram, self.cross + other.cross)


class Posterior(NamedTuple):
    """Gaussian law of the latent given a sequence: the rows of z are independent and share one
    covariance.
    """

    mean: np.ndarray  #: (dv, D)
    covariance: np.ndarray  #: (D, D)


@dataclass(frozen=True)
class ExchangeableLatent:
    """The task, with `dv` value coordinates; `noisy_target` adds the noise of a token to the
    target.
    """

    features: Callable[[np.ndarray], np.ndarray] = field(default_factory=Harmonics)
    key_law: SphereKeys | GaussianKeys = field(default_factory=SphereKeys)
    dv: int = 1
    sigma: float = 0.5
    lam: float = 1.0
    noisy_target: bool = False

    def __post_init__(self) -> None:
        for name in ("dv", "sigma", "lam"):
            if not getattr(self, name) > 0:
                raise ValueError(f"`{name}` must be > 0, got {getattr(self, name)}.")

    @property
    def exchangeable(self) -> Exchangeable:
        return "infinite"

    @property
    def ridge(self) -> float:
        """r = sigma^2 / lam, with which kernel regression is the posterior mean."""
        return self.sigma**2 / self.lam

    @property
    def D(self) -> int:
        """How many features a key has."""
        axis = np.zeros((1, self.key_law.d))
        axis[0, 0] = 1.0
        return self.features(axis).shape[-1]

    # --- data

    def latent(self, rng: np.random.Generator, n: int) -> np.ndarray:
        """n draws of z, (n, dv, D)."""
        return np.sqrt(self.lam) * rng.standard_normal((n, self.dv, self.D))

    def tokens(self, rng: np.random.Generator, latent: np.ndarray, L: int) -> Tokens:
        """L tokens for every latent: keys (n, L, d), values (n, L, dv)."""
        keys = self.key_law.draw(rng, len(latent), L)
        values = self.features(keys) @ latent.transpose(0, 2, 1)
        return Tokens(keys, values + self.sigma * rng.standard_normal(values.shape))

    def sample(self, key: jax.Array, n: int, L: int) -> Batch:
        require_counts(n, L)
        rng = generator(key)
        latent = self.latent(rng, n)
        keys, values = self.tokens(rng, latent, L)
        query = self.key_law.draw(rng, n)
        target = np.einsum("nvf,nf->nv", latent, self.features(query))
        if self.noisy_target:
            target = target + self.sigma * rng.standard_normal(target.shape)
        return Batch(keys, values, query, target, latent)

    # --- the Bayes answer as attention

    def log_score(self, batch: Batch) -> None:
        """The latent is no position."""
        return None

    def bayes_weights(self, sight: Sight) -> np.ndarray:
        """w = Phi (Phi'Phi + r I)^-1 phi(q)."""
        phi = self.features(sight.keys)
        return (phi @ self._solved(phi, self.features(sight.query))[..., None])[..., 0]

    def bayes_var(self, batch: Batch) -> np.ndarray:
        """sigma^2 phi(q)' (Phi'Phi + r I)^-1 phi(q), plus sigma^2 when the target is noisy."""
        phi_q = self.features(batch.query)
        variance = self.sigma**2 * np.einsum(
            "nf,nf->n", phi_q, self._solved(self.features(batch.keys), phi_q)
        )
        return variance + self.sigma**2 if self.noisy_target else variance

    def _solved(self, phi: np.ndarray, phi_q: np.ndarray) -> np.ndarray:
        """(Phi'Phi + r I)^-1 phi(q) for every sequence, (n, D)."""
        gram = phi.transpose(0, 2, 1) @ phi
        return np.linalg.solve(gram + self.ridge * np.eye(gram.shape[-1]), phi_q[..., None])[..., 0]

    # --- the representation

    def nothing_seen(self) -> Representation:
        """The representation of no token: the neutral element of +."""
        return Representation(np.zeros((self.D, self.D)), np.zeros((self.dv, self.D)))

    def represent(self, tokens: Tokens | Iterable[Tokens]) -> Representation:
        """T of one sequence, whole or as an iterable of pieces; memory does not grow with the
        length.
        """
        if not isinstance(tokens, Tokens):
            return sum((self.represent(piece) for piece in tokens), self.nothing_seen())
        keys, values = np.asarray(tokens.keys, float), np.asarray(tokens.values, float)
        if keys.ndim != 2 or values.shape != (len(keys), self.dv):
            raise ValueError(
                f"`tokens` must hold keys (L, {self.key_law.d}) and values (L, {self.dv}) of one"
                f" sequence, got {keys.shape} and {values.shape}; represent the sequences of a"
                " batch one by one."
            )
        total = self.nothing_seen()
        for start in range(0, len(keys), CHUNK):
            phi = self.features(keys[start : start + CHUNK])
            total += Representation(phi.T @ phi, values[start : start + CHUNK].T @ phi)
        return total

    def posterior(self, seen: Representation) -> Posterior:
        """N(V'Phi P^-1, sigma^2 P^-1), P = Phi'Phi + r I."""
        inverse = np.linalg.inv(seen.gram + self.ridge * np.eye(len(seen.gram)))
        return Posterior(seen.cross @ inverse, self.sigma**2 * inverse)

    def representation_of(self, posterior: Posterior) -> Representation:
        """T from the posterior, the inverse of `posterior`: nothing in T is superfluous (it is
        minimal).
        """
        precision = self.sigma**2 * np.linalg.inv(posterior.covariance)
        return Representation(
            precision - self.ridge * np.eye(len(precision)), posterior.mean @ precision
        )
