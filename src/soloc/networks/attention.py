"""The standard attention layer as it is used: free Q, K, V, O, a [CLS] query, several heads."""

import math
from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from soloc.predictors.normalised import Softmax
from soloc.risk.overlaps import Overlaps
from soloc.risk.population import population_risk
from soloc.tasks.single_location import SingleLocation, Truth

Init = Literal["gaussian", "xavier", "small"]
_SMALL = 0.01


class StandardAttention(eqx.Module):
    """sum_h softmax(tau X K_h' Q_h c / sqrt(p)) X V_h' o_h, with the learned token c = [CLS].

    Its effective key and value are k_h = tau K_h' Q_h c / sqrt(p) and v_h = V_h' o_h: the layer is
    the paper's softmax predictor at |k_h| = lam. All matrices are free.

    Parameters
    ----------
    d : dimension of a token.
    key : a JAX key, of the initial matrices.
    p : dimension of queries and keys; that of values is the same.
    heads : how many.
    init : entries N(0, 1/d) ("gaussian"), Glorot's ("xavier"), or N(0, .01^2) ("small").
    temperature : whether tau is learned; it is 1 else.
    """

    cls: jax.Array  #: (d,)
    Q: jax.Array  #: (heads, p, d)
    K: jax.Array  #: (heads, p, d)
    V: jax.Array  #: (heads, p, d)
    O: jax.Array  #: (heads, p)
    log_tau: jax.Array  #: ()
    learns_tau: bool = eqx.field(static=True)

    def __init__(
        self,
        d: int,
        key: jax.Array,
        *,
        p: int = 8,
        heads: int = 1,
        init: Init = "gaussian",
        temperature: bool = False,
    ) -> None:
        scale = {
            "gaussian": 1.0 / math.sqrt(d),
            "xavier": math.sqrt(2.0 / (d + p)),
            "small": _SMALL,
        }[init]
        sizes = np.cumsum([heads * p * d] * 3 + [heads * p])
        # one draw for all: a program that draws is slow to compile
        *matrices, read, self.cls = jnp.split(jax.random.normal(key, (sizes[-1] + d,)), sizes)
        self.Q, self.K, self.V = (scale * x.reshape(heads, p, d) for x in matrices)
        self.O = read.reshape(heads, p) * (_SMALL if init == "small" else 1.0 / math.sqrt(p))
        self.log_tau = jnp.zeros(())
        self.learns_tau = temperature

    @staticmethod
    def of(k: Any, v: Any, lam: Any = 1.0) -> "StandardAttention":
        """The layer with p = o = 1 that is softmax(lam X k)' X v."""
        k, v = jnp.asarray(k), jnp.asarray(v)
        made = StandardAttention(len(k), jax.random.key(0), p=1)
        unit = jnp.zeros_like(k).at[0].set(1.0)
        parts = (unit, unit[None, None], lam * k[None, None], v[None, None], jnp.ones((1, 1)))
        return eqx.tree_at(lambda it: (it.cls, it.Q, it.K, it.V, it.O), made, parts)

    @property
    def effective(self) -> tuple[jax.Array, jax.Array]:
        """Keys and values, (heads, d) each, that the layer looks through."""
        queries = self.Q @ self.cls / math.sqrt(self.Q.shape[-2])
        tau = jnp.exp(self.log_tau) if self.learns_tau else 1.0
        return tau * (queries[:, None] @ self.K)[:, 0], (self.O[:, None] @ self.V)[:, 0]

    def attention(self, tokens: jax.Array) -> jax.Array:
        """(heads, L) weights of the tokens (L, d) of one sequence."""
        keys, _ = self.effective
        return jax.nn.softmax(keys @ tokens.T, axis=-1)

    def __call__(self, tokens: jax.Array) -> jax.Array:
        """The answer to one sequence of tokens (L, d)."""
        _, values = self.effective
        return jnp.einsum("hl,ld,hd->", self.attention(tokens), tokens, values)


def exact_risk(layer: StandardAttention, task: SingleLocation, truth: Truth) -> float:
    """The population risk of a layer with one head, exactly.

    The risk is quadratic in the length c of the effective value: R(c) = R(0) - 2 c B + c^2 C, and
    the exact risks of the unit value and of its opposite give B and C.
    """
    keys, values = (np.asarray(part, float) for part in layer.effective)
    if len(keys) != 1:
        raise ValueError(
            f"`layer` must have one head for an exact risk, got {len(keys)}; score it with"
            " soloc.score."
        )
    lam, c = float(np.linalg.norm(keys[0])), float(np.linalg.norm(values[0]))
    k, v = keys[0] / (lam or 1.0), values[0] / (c or 1.0)
    true_k, true_v = (np.asarray(part, float) for part in truth)  # unit up to single precision
    exact = Truth(true_k / np.linalg.norm(true_k), true_v / np.linalg.norm(true_v))
    state = Overlaps.of(k, v, exact)
    opposite = Overlaps(state.kappa, -state.nu, -state.theta, state.eta, -state.rho)
    null = float(task.null_risk())
    ahead, behind = (float(population_risk(task, Softmax(lam), one)) for one in (state, opposite))
    return null + c * (ahead - behind) / 2.0 + c * c * ((ahead + behind) / 2.0 - null)
