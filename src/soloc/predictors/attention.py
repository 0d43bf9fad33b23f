"""From a full single-head attention layer to the paper's predictor, each step an equality."""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp


class AttentionHead(NamedTuple):
    """Matrices of one attention head on tokens of dimension d: queries, keys, values, output."""

    Q: jax.Array  #: (d, p)
    K: jax.Array  #: (d, p)
    V: jax.Array  #: (d, o)
    O: jax.Array  #: (d, o)


def attention_layer(head: AttentionHead, lam: float, tokens: jax.Array) -> jax.Array:
    """softmax(lam X Q K' X') X V O': one output row for every token, (..., L, d)."""
    queries, keys = tokens @ head.Q, tokens @ head.K
    weights = jax.nn.softmax(lam * queries @ jnp.swapaxes(keys, -1, -2), axis=-1)
    return weights @ (tokens @ head.V) @ head.O.T


def first_row(head: AttentionHead, lam: float, tokens: jax.Array) -> jax.Array:
    """The row of the first token: softmax(lam x_1' Q K' X') X V O', at a cost linear in L."""
    query = tokens[..., 0, :] @ head.Q
    scores = jnp.einsum("...lp,...p->...l", tokens @ head.K, query)
    weights = jax.nn.softmax(lam * scores, axis=-1)
    return jnp.einsum("...l,...lo->...o", weights, tokens @ head.V) @ head.O.T


def softmax_predictor(k: jax.Array, v: jax.Array, lam: float, tokens: jax.Array) -> jax.Array:
    """softmax(lam X k)' X v: what is left of the first row when p = o = 1."""
    return predict(lambda scores: jax.nn.softmax(lam * scores, axis=-1), k, v, tokens)


def predict(
    weight: Callable[..., jax.Array],
    k: jax.Array,
    v: jax.Array,
    tokens: jax.Array,
    present: jax.Array | None = None,
) -> jax.Array:
    """T(X) = sum_l weight(X k)_l X_l . v: the paper's predictor for component-wise weights."""
    scores = tokens @ k
    weights = weight(scores) if present is None else weight(scores, present)
    return jnp.sum(weights * (tokens @ v), axis=-1)
