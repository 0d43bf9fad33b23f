"""What attention is compared with: a transformer, a fully-connected network, pooling, a line."""

import equinox as eqx
import jax
import jax.numpy as jnp


class Transformer(eqx.Module):
    """Two blocks of self-attention and a two-layer network, each with residual and layer norm.

    Tokens are embedded, a learned [CLS] token is put in front, and its last state is read out.
    """

    embed: eqx.nn.Linear
    cls: jax.Array
    blocks: list["Block"]
    norm: eqx.nn.LayerNorm
    read: eqx.nn.Linear

    def __init__(
        self, d: int, key: jax.Array, *, width: int = 64, heads: int = 4, blocks: int = 2
    ) -> None:
        first, token, last, *rest = jax.random.split(key, 3 + blocks)
        self.embed = eqx.nn.Linear(d, width, key=first)
        self.cls = 0.02 * jax.random.normal(token, (width,))
        self.blocks = [Block(width, heads, one) for one in rest]
        self.norm = eqx.nn.LayerNorm(width)
        self.read = eqx.nn.Linear(width, "scalar", key=last)

    def __call__(self, tokens: jax.Array) -> jax.Array:
        """The answer to one sequence of tokens (L, d)."""
        states = jnp.concatenate([self.cls[None], jax.vmap(self.embed)(tokens)])
        for block in self.blocks:
            states = block(states)
        return self.read(self.norm(states[0]))


class Block(eqx.Module):
    """Self-attention, then a two-layer network, each on the normalised states and added to them."""

    attention: eqx.nn.MultiheadAttention
    network: eqx.nn.MLP
    norms: list[eqx.nn.LayerNorm]

    def __init__(self, width: int, heads: int, key: jax.Array) -> None:
        one, other = jax.random.split(key)
        self.attention = eqx.nn.MultiheadAttention(heads, width, key=one)
        self.network = eqx.nn.MLP(width, width, 2 * width, 1, jax.nn.gelu, key=other)
        self.norms = [eqx.nn.LayerNorm(width), eqx.nn.LayerNorm(width)]

    def __call__(self, states: jax.Array) -> jax.Array:
        """The next states (L, width)."""
        seen = jax.vmap(self.norms[0])(states)
        states = states + self.attention(seen, seen, seen)
        return states + jax.vmap(self.network)(jax.vmap(self.norms[1])(states))


class FullyConnected(eqx.Module):
    """A fully-connected network on the concatenation of the tokens."""

    network: eqx.nn.MLP

    def __init__(
        self, d: int, key: jax.Array, *, length: int, width: int = 256, depth: int = 2
    ) -> None:
        self.network = eqx.nn.MLP(d * length, "scalar", width, depth, jax.nn.relu, key=key)

    def __call__(self, tokens: jax.Array) -> jax.Array:
        """The answer to one sequence of tokens (L, d)."""
        return self.network(tokens.ravel())


class MeanPool(eqx.Module):
    """A network of every token, the mean of what it makes of them, and a line."""

    network: eqx.nn.MLP
    read: eqx.nn.Linear

    def __init__(self, d: int, key: jax.Array, *, width: int = 64) -> None:
        one, other = jax.random.split(key)
        self.network = eqx.nn.MLP(d, width, width, 1, jax.nn.relu, key=one)
        self.read = eqx.nn.Linear(width, "scalar", key=other)

    def __call__(self, tokens: jax.Array) -> jax.Array:
        """The answer to one sequence of tokens (L, d)."""
        return self.read(jax.vmap(self.network)(tokens).mean(axis=0))


class LinearRegression(eqx.Module):
    """A line on the concatenation of the tokens, from zero."""

    slope: jax.Array
    intercept: jax.Array

    def __init__(self, d: int, key: jax.Array | None = None, *, length: int) -> None:
        self.slope, self.intercept = jnp.zeros(d * length), jnp.zeros(())

    def __call__(self, tokens: jax.Array) -> jax.Array:
        """The answer to one sequence of tokens (L, d)."""
        return tokens.ravel() @ self.slope + self.intercept
