"""Regression through a latent matrix: tokens are independent given z, their order says nothing.

    v_l = z phi(k_l) + N(0, sigma^2),   z entries N(0, lam),   answer z phi(q)

The posterior of z is Gaussian; T = (Phi'Phi, V'Phi) is its minimal sufficient statistic, a sum over
tokens.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import jax
import numpy as np

from soloc.maths.engine import Array
from soloc.maths.harmonics import Coordinates, Harmonics
from soloc.maths.numbers import check_count
from soloc.maths.randomness import generator
from soloc.tasks.key_laws import GaussianKeys, SphereKeys
from soloc.tasks.protocol import Batch, Exchangeable, View, attend

CHUNK = 32_768  # tokens whose features are in memory at once


class KeyValues(NamedTuple):
    """One sequence, or a piece of it: keys (L, d) and values (L, dv)."""

    keys: np.ndarray
    values: np.ndarray


class Representation(NamedTuple):
    """T, all that a sequence says about the latent: (Phi'Phi, V'Phi), with + over sequences."""

    gram: np.ndarray  #: (D, D)
    cross: np.ndarray  #: (dv, D)

    def __add__(self, other: "Representation") -> "Representation":  # type: ignore[override]
        return Representation(self.gram + other.gram, self.cross + other.cross)


class LatentLaw(NamedTuple):
    """Gaussian law of z given a sequence: its rows are independent and share one covariance."""

    mean: np.ndarray  #: (dv, D)
    covariance: np.ndarray  #: (D, D)


@dataclass(frozen=True)
class ExchangeableLatent:
    """The task, with `dv` value coordinates; `noisy_answer` adds the noise of a token to it."""

    features: Callable[[np.ndarray], np.ndarray] = field(default_factory=Harmonics)
    key_law: SphereKeys | GaussianKeys = field(default_factory=SphereKeys)
    dv: int = 1
    sigma: float = 0.5
    lam: float = 1.0
    noisy_answer: bool = False
    L: int = 10

    def __post_init__(self) -> None:
        check_count("L", self.L)
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
        return int(self.features(axis).shape[-1])

    # --- data

    def latent(self, rng: np.random.Generator, n: int) -> np.ndarray:
        """n draws of z, (n, dv, D)."""
        return np.asarray(np.sqrt(self.lam) * rng.standard_normal((n, self.dv, self.D)))

    def tokens(self, rng: np.random.Generator, latent: np.ndarray, L: int) -> KeyValues:
        """L tokens for every latent: keys (n, L, d), values (n, L, dv)."""
        keys = self.key_law.draw(rng, len(latent), L)
        values = self.features(keys) @ latent.transpose(0, 2, 1)
        return KeyValues(keys, values + self.sigma * rng.standard_normal(values.shape))

    def truth(self, key: jax.Array) -> tuple[()]:
        """Nothing: every sequence has a latent of its own."""
        return ()

    def sample(self, truth: tuple[()], key: jax.Array, n: int) -> Batch:
        check_count("n", n)
        rng = generator(key)
        latent = self.latent(rng, n)
        keys, values = self.tokens(rng, latent, self.L)
        query = self.key_law.draw(rng, n)
        answers = np.einsum("nvf,nf->nv", latent, self.features(query))
        if self.noisy_answer:
            answers = answers + self.sigma * rng.standard_normal(answers.shape)
        return Batch(keys, values, query, answers, latent)

    # --- the Bayes answer as attention

    def view(self, truth: tuple[()], tokens: View) -> View:
        return tokens

    def bayes(self, truth: tuple[()], tokens: View, lengths: Array | None = None) -> np.ndarray:
        """V' Phi (Phi'Phi + r I)^-1 phi(q)."""
        return attend(self.bayes_weights(tokens.keys, tokens.query), tokens.values)

    def bayes_weights(self, keys: np.ndarray, query: np.ndarray) -> np.ndarray:
        """w = Phi (Phi'Phi + r I)^-1 phi(q)."""
        phi = self.features(keys)
        return np.asarray((phi @ self._solved(phi, self.features(query))[..., None])[..., 0])

    def bayes_variance(
        self, truth: tuple[()], tokens: View, lengths: Array | None = None
    ) -> np.ndarray:
        """sigma^2 phi(q)' (Phi'Phi + r I)^-1 phi(q), plus sigma^2 when the answer is noisy."""
        phi_q = self.features(tokens.query)
        solved = self._solved(self.features(tokens.keys), phi_q)
        variance = self.sigma**2 * np.einsum("nf,nf->n", phi_q, solved)
        return np.asarray(variance + self.sigma**2 if self.noisy_answer else variance)

    def _solved(self, phi: np.ndarray, phi_q: np.ndarray) -> np.ndarray:
        """(Phi'Phi + r I)^-1 phi(q) for every sequence, (n, D)."""
        gram = phi.transpose(0, 2, 1) @ phi
        return np.linalg.solve(gram + self.ridge * np.eye(gram.shape[-1]), phi_q[..., None])[..., 0]

    # --- risks of those who do not attend

    def null_risk(self) -> float:
        """lam E|phi(q)|^2, plus sigma^2 when the answer is noisy."""
        size = self.lam * self._mean_square_of_features()
        return size + self.sigma**2 if self.noisy_answer else size

    def linear_risk(self) -> float:
        """The null risk.

        Features have mean zero and z is symmetric: no affine function of the tokens is correlated
        with the answer.
        """
        return self.null_risk()

    def _mean_square_of_features(self) -> float:
        if isinstance(self.features, Harmonics):
            return float(sum(self.features.shares))
        if isinstance(self.features, Coordinates):
            return self.key_law.mean_square
        raise TypeError(
            "`features` must be Harmonics or Coordinates for this risk to be known, got"
            f" {type(self.features).__name__}; use monte_carlo_bayes_risk and its kin."
        )

    # --- the representation

    def nothing_seen(self) -> Representation:
        """The representation of no token: the neutral element of +."""
        return Representation(np.zeros((self.D, self.D)), np.zeros((self.dv, self.D)))

    def represent(self, pieces: KeyValues | Iterable[KeyValues]) -> Representation:
        """T of one sequence, whole or in pieces; memory does not grow with the length."""
        if not isinstance(pieces, KeyValues):
            return sum((self.represent(piece) for piece in pieces), self.nothing_seen())
        keys, values = np.asarray(pieces.keys, float), np.asarray(pieces.values, float)
        if keys.ndim != 2 or values.shape != (len(keys), self.dv):
            raise ValueError(
                f"`pieces` must hold keys (L, {self.key_law.d}) and values (L, {self.dv}) of one"
                f" sequence, got {keys.shape} and {values.shape}; represent the sequences of a"
                " batch one by one."
            )
        total = self.nothing_seen()
        for start in range(0, len(keys), CHUNK):
            phi = self.features(keys[start : start + CHUNK])
            total += Representation(phi.T @ phi, values[start : start + CHUNK].T @ phi)
        return total

    def infer(self, seen: Representation) -> LatentLaw:
        """N(V'Phi P^-1, sigma^2 P^-1), P = Phi'Phi + r I."""
        inverse = np.linalg.inv(seen.gram + self.ridge * np.eye(len(seen.gram)))
        return LatentLaw(seen.cross @ inverse, self.sigma**2 * inverse)

    def representation_of(self, law: LatentLaw) -> Representation:
        """The inverse of `infer`: nothing in T is superfluous (it is minimal)."""
        precision = self.sigma**2 * np.linalg.inv(law.covariance)
        return Representation(precision - self.ridge * np.eye(len(precision)), law.mean @ precision)
