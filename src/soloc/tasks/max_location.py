"""The token with the largest score decides: single-location regression without a spike."""

import math
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp

from soloc.maths.data import STATIC, Data
from soloc.maths.numbers import check_count, check_real, check_whole
from soloc.maths.squared_shares import squared_shares
from soloc.tasks.lengths import LengthLaw
from soloc.tasks.single_location import Sample, Truth, orthonormal_pair


@dataclass(frozen=True)
class MaxLocation(Data):
    """Every token is standard normal; the one that k* prefers decides.

        X_l ~ N(0, I),   J ~ softmax(beta X k*),   Y = X_J . v* + N(0, eps^2)

    Softmax attention at lam = beta, k = k*, v = v* is the Bayes answer. Without the answers the
    tokens say nothing about k*.

    Parameters
    ----------
    d : dimension of a token, at least 4.
    L : length of the sequence (default 10, or the longest of `lengths`).
    beta : how surely the largest score wins; infinity is the argmax.
    eps : standard deviation of the noise on the answer.
    graded : the answer is the mixture sum_l softmax(beta X k*)_l X_l . v* instead of one draw.
    lengths : a `LengthLaw` when the length is random.
    """

    d: Any = 400
    L: Any = None
    beta: Any = math.inf
    eps: Any = 0.0
    graded: bool = field(default=False, metadata=STATIC)
    lengths: LengthLaw | None = field(default=None, metadata=STATIC)

    def __post_init__(self) -> None:
        if self.L is None:
            longest = 10 if self.lengths is None else self.lengths.longest
            object.__setattr__(self, "L", longest)
        if self.lengths is not None:
            self.lengths.check(self.L)
        check_whole("d", self.d, 4)
        check_whole("L", self.L, 1)
        if not (isinstance(self.beta, float) and self.beta == math.inf):
            check_real("beta", self.beta, "a number >= 0, or infinity for the argmax", 0.0)
        check_real("eps", self.eps, "a number >= 0", 0.0)

    def truth(self, key: jax.Array) -> Truth:
        """Draw (k*, v*), uniform among orthonormal pairs."""
        return orthonormal_pair(key, self.d)

    def posterior(
        self, truth: Truth, tokens: jax.Array, lengths: jax.Array | None = None
    ) -> jax.Array:
        """P(J = l | X), the shares of the tokens, where one of them is drawn."""
        if self.graded:
            raise ValueError(
                "`graded` must be False for a place to be latent, got True; ask for the `shares`."
            )
        return self.shares(truth, tokens, lengths)

    def shares(
        self, truth: Truth, tokens: jax.Array, lengths: jax.Array | None = None
    ) -> jax.Array:
        """softmax(beta X k*), on the largest score alone for infinite beta."""
        scores = tokens @ truth.k
        if lengths is not None:
            scores = jnp.where(jnp.arange(tokens.shape[-2]) < lengths[..., None], scores, -jnp.inf)
        if math.isinf(self.beta):
            return jax.nn.one_hot(jnp.argmax(scores, axis=-1), tokens.shape[-2], dtype=scores.dtype)
        return jax.nn.softmax(self.beta * scores, axis=-1)

    def sample(self, truth: Truth, key: jax.Array, n: int) -> Sample:
        """Draw n sequences; `location` is J, or the likeliest token where the answer is graded."""
        check_count("n", n)
        length_key, token_key, place_key, noise_key = jax.random.split(key, 4)
        if self.lengths is None:
            lengths = jnp.full((n,), int(self.L))
        else:
            lengths = self.lengths.draw(length_key, n)
        tokens = jax.random.normal(token_key, (n, int(self.L), self.d))
        tokens = jnp.where((jnp.arange(int(self.L)) < lengths[:, None])[..., None], tokens, 0.0)
        shares = self.shares(truth, tokens, lengths)
        if self.graded:
            location = jnp.argmax(shares, axis=-1)
        else:
            location = jax.random.categorical(place_key, jnp.log(shares), axis=-1)
            shares = jax.nn.one_hot(location, int(self.L), dtype=tokens.dtype)
        answers = jnp.sum(shares * (tokens @ truth.v), axis=-1)
        answers = answers + self.eps * jax.random.normal(noise_key, (n,))
        return Sample(tokens, answers, location, lengths)

    def bayes(self, truth: Truth, tokens: jax.Array, lengths: jax.Array | None = None) -> jax.Array:
        """E[Y | X] = sum_l softmax(beta X k*)_l X_l . v*."""
        return jnp.sum(self.shares(truth, tokens, lengths) * (tokens @ truth.v), axis=-1)

    def null_risk(self) -> Any:
        """Risk of always answering 0: eps^2 + 1, and eps^2 + E[sum of squared shares] if graded."""
        if not self.graded:
            return self.eps**2 + 1.0
        if self.lengths is None:
            return self.eps**2 + squared_shares(float(self.beta), float(self.L))
        values, chances = self.lengths
        each = zip(values, chances, strict=True)
        return self.eps**2 + sum(p * squared_shares(float(self.beta), float(n)) for n, p in each)

    def linear_risk(self) -> Any:
        """Risk of the best linear regression on the concatenated tokens.

        The null risk - sum_l h_l^2 / p_l, with token l present with probability p_l and with h_l
        its mean share of the answer: 1/L in all when the length is fixed.
        """
        if self.lengths is None:
            return self.null_risk() - 1.0 / self.L
        present, here = self.lengths.chances()
        return self.null_risk() - float((here**2 / present).sum())
