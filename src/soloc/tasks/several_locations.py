"""Several decisive tokens of several kinds: each kind has its own key, value and importance."""

import math
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from soloc.maths.data import STATIC, Data
from soloc.maths.engine import Array
from soloc.maths.gaussians import log_ratio, squared_distance
from soloc.maths.numbers import check_count, check_real, check_whole
from soloc.tasks.single_location import Sample

_LARGEST_POSTERIOR = 4096  # states of the sum over placements


class SeveralTruth(NamedTuple):
    """Orthonormal directions of every kind: `keys` tell where, `values` what."""

    keys: jax.Array  #: (kinds, d)
    values: jax.Array  #: (kinds, d)


@dataclass(frozen=True)
class SeveralLocations(Data):
    """`kinds` of decisive tokens, `per_kind` of each at distinct places that nobody says.

        X_J ~ N(m k*_g, gamma^2 I) for J of kind g,   X_l ~ N(0, I) elsewhere
        Y = sum_g w_g sum_{J of kind g} X_J . v*_g + N(0, eps^2)

    One kind with one token is `SingleLocation`.

    Parameters
    ----------
    d : dimension of a token, at least 2 kinds.
    L : length of the sequence.
    kinds : number of kinds H*.
    per_kind : decisive tokens of every kind, a whole number or one for each.
    signal : the strength m; sqrt(d/2) when not given.
    gamma : standard deviation of a decisive token in every direction.
    eps : standard deviation of the noise on the answer.
    importance : w_g; 1 when not given (the sum), "mean" for one over the number of decisive tokens,
        a number, or one for each kind.
    """

    d: int = 400
    L: int = 10
    kinds: int = field(default=2, metadata=STATIC)
    per_kind: Any = field(default=1, metadata=STATIC)
    signal: Any = None
    gamma: Any = 0.5**0.5
    eps: Any = 0.0
    importance: Any = field(default=None, metadata=STATIC)

    def __post_init__(self) -> None:
        check_count("kinds", self.kinds)
        check_whole("d", self.d, max(4, 2 * self.kinds))
        per_kind = self._one_each("per_kind", self.per_kind)
        for count in per_kind:
            check_count("per_kind", count)
        check_whole("L", self.L, sum(per_kind))
        check_real("gamma", self.gamma, "a positive number", 0.0, above=True)
        check_real("eps", self.eps, "a number >= 0", 0.0)
        if self.signal is not None:
            check_real("signal", self.signal, "a number >= 0", 0.0)
        importance: Any = self.importance
        if importance is None or importance == "mean":
            importance = 1.0 if importance is None else 1.0 / sum(per_kind)
        weights = self._one_each("importance", importance)
        check_real("importance", np.asarray(weights), "finite numbers")
        object.__setattr__(self, "per_kind", tuple(int(count) for count in per_kind))
        object.__setattr__(self, "importance", tuple(float(w) for w in weights))

    def _one_each(self, name: str, value: Any) -> tuple[Any, ...]:
        """A number for every kind."""
        each = (value,) * self.kinds if np.ndim(value) == 0 else tuple(value)
        if len(each) != self.kinds:
            raise ValueError(
                f"`{name}` must be one number or one for each of the {self.kinds} kinds, got"
                f" {len(each)}."
            )
        return each

    @property
    def m(self) -> Any:
        """Signal strength."""
        return math.sqrt(0.5 * self.d) if self.signal is None else self.signal

    @property
    def decisive(self) -> int:
        """Number of decisive tokens in a sequence."""
        return sum(self.per_kind)

    def truth(self, key: jax.Array) -> SeveralTruth:
        """Draw the directions, uniform among orthonormal ones."""
        frame = jnp.linalg.qr(jax.random.normal(key, (self.d, 2 * self.kinds)))[0].T
        return SeveralTruth(keys=frame[: self.kinds], values=frame[self.kinds :])

    def sample(self, truth: SeveralTruth, key: jax.Array, n: int) -> Sample:
        """Draw n sequences; `location` holds the decisive places, kind by kind: (n, decisive)."""
        check_count("n", n)
        place_key, token_key, noise_key = jax.random.split(key, 3)
        order = jax.random.permutation(
            place_key, jnp.broadcast_to(jnp.arange(self.L), (n, self.L)), axis=1, independent=True
        )
        location = order[:, : self.decisive]
        kind = np.repeat(np.arange(self.kinds), self.per_kind)
        tokens = jax.random.normal(token_key, (n, self.L, self.d))
        rows = jnp.arange(n)[:, None]
        signal = self.m * truth.keys[kind] + self.gamma * tokens[rows, location]
        tokens = tokens.at[rows, location].set(signal)
        weights = jnp.asarray(self.importance)[kind]
        answers = jnp.einsum("njd,jd,j->n", signal, truth.values[kind], weights)
        answers = answers + self.eps * jax.random.normal(noise_key, (n,))
        return Sample(tokens, answers, location, jnp.full((n,), self.L))

    def log_ratio(self, truth: SeveralTruth, tokens: jax.Array) -> Array:
        """log density of a token as each kind minus that as background: (..., L, kinds)."""
        square = squared_distance(tokens, 0.0)[..., None]
        from_kind = square - 2.0 * self.m * (tokens @ truth.keys.T) + self.m**2
        return log_ratio(square, from_kind, self.gamma, self.d)

    def kinds_of_tokens(self, truth: SeveralTruth, tokens: jax.Array) -> jax.Array:
        """P(token l is of kind g | X), (..., L, kinds): a sum over all placements, exactly."""
        return placement_probabilities(self.log_ratio(truth, tokens), self.per_kind)

    def bayes(
        self, truth: SeveralTruth, tokens: jax.Array, lengths: jax.Array | None = None
    ) -> jax.Array:
        """E[Y | X] = sum_g w_g sum_l P(l is of kind g | X) X_l . v*_g."""
        values = jnp.asarray(self.importance) * (tokens @ truth.values.T)
        return jnp.sum(self.kinds_of_tokens(truth, tokens) * values, axis=(-2, -1))

    def null_risk(self) -> Any:
        """Risk of always answering 0: eps^2 + gamma^2 sum_g w_g^2 n_g."""
        return self.eps**2 + self.gamma**2 * self._sum_of_squares(1)

    def linear_risk(self) -> Any:
        """Risk of the best linear regression on the concatenated tokens.

        A place holds kind g with probability n_g / L, so that the gain of v*_g is
        w_g^2 gamma^4 n_g^2 / (n gamma^2 + L - n), n the number of decisive tokens.
        """
        spread = self.decisive * self.gamma**2 + self.L - self.decisive
        return self.null_risk() - self.gamma**4 * self._sum_of_squares(2) / spread

    def _sum_of_squares(self, power: int) -> float:
        """sum_g w_g^2 n_g^power."""
        counts = zip(self.importance, self.per_kind, strict=True)
        return float(sum(w * w * count**power for w, count in counts))


def placement_probabilities(log_odds: jax.Array, per_kind: tuple[int, ...]) -> jax.Array:
    """P(token l is of kind g) when exactly n_g tokens are of kind g, from the odds of each token.

    The weight of all placements is the coefficient of prod_g z_g^{n_g} in prod_l (1 + sum_g e_gl
    z_g). Partial products from the left and from the right, in logarithms, give a token's share.
    """
    states = list(product(*(range(count + 1) for count in per_kind)))
    if len(states) > _LARGEST_POSTERIOR:
        raise ValueError(
            f"`per_kind` must give at most {_LARGEST_POSTERIOR} partial counts for an exact"
            f" posterior, got {len(states)}; take fewer kinds or fewer tokens of each."
        )
    place = {state: i for i, state in enumerate(states)}
    before = np.array(
        [
            [place.get((*s[:g], s[g] - 1, *s[g + 1 :]), len(states)) for g in range(len(per_kind))]
            for s in states
        ]
    )
    complement = np.array(
        [place[tuple(n - c for n, c in zip(per_kind, s, strict=True))] for s in states]
    )

    def with_token(log_weight: jax.Array, odds: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Weights after one more token; those before it are what the scan keeps."""
        padded = jnp.concatenate([log_weight, jnp.full((1,), -jnp.inf)])
        terms = jnp.concatenate([log_weight[:, None], padded[before] + odds], axis=1)
        return jax.nn.logsumexp(terms, axis=1), log_weight

    def one(odds: jax.Array) -> jax.Array:
        empty = jnp.full((len(states),), -jnp.inf).at[0].set(0.0)
        _, left = jax.lax.scan(with_token, empty, odds)
        _, right = jax.lax.scan(with_token, empty, odds[::-1])
        right = right[::-1][:, complement]  # what the tokens on the right must hold
        padded = jnp.concatenate([left, jnp.full((len(left), 1), -jnp.inf)], axis=1)
        here = padded[:, before] + odds[:, None] + right[..., None]  # (L, states, kinds)
        here = jax.nn.logsumexp(here, axis=1)
        absent = jax.nn.logsumexp(left + right, axis=1, keepdims=True)
        return jax.nn.softmax(jnp.concatenate([here, absent], axis=1), axis=1)[:, :-1]

    flat = log_odds.reshape(-1, *log_odds.shape[-2:])
    return jax.vmap(one)(flat).reshape(log_odds.shape)
