"""One-token means of softmax attention: a Gaussian score and E = exp(lam a), on nodes that keep sharp scores smooth."""

import math

import jax
import jax.numpy as jnp
from jax.scipy.special import erfc

from soloc.maths.panels import panel_rule
from soloc.maths.special import wright_omega
from soloc.risk.laplace import TokenLaws, TokenMeans

_REACH = 9.8  # standard deviations at which a Gaussian no longer counts
_LONGEST = 2.0  # longest panel, in standard deviations
_CLIFF, _BELOW, _GROWTH, _RAMP = 1.3, -3.0, 1.6, 9  # panels at the cliff exp(-e^x) in x, where they begin to grow, and how
_PANELS = 27
_LOG_ROOT_TWO_PI = 0.5 * math.log(2.0 * math.pi)


def _mode(centre: jax.Array, s: jax.Array, i: float) -> tuple[jax.Array, jax.Array]:
    """alpha at which i x - e^x - alpha^2/2 is largest, x = centre + s alpha, and e^x there."""
    shifted = centre + i * s * s
    tilt = jnp.exp(jnp.minimum(shifted - wright_omega(shifted + 2.0 * jnp.log(s)), 600.0))
    return s * (i - tilt), tilt


def _nodes(centre: jax.Array, s: jax.Array, order: int) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Nodes and weights in alpha for exp(i x - e^x - alpha^2/2) with i = 0, 1, 2 at once, and the right end.

    Going left from where exp(-e^x) has vanished, panels have the scale of that cliff (1/s), then grow to that of the Gaussian.
    """
    (left, low_tilt), (right, high_tilt) = _mode(centre, s, 0.0), _mode(centre, s, 2.0)
    vanished = (jnp.log(high_tilt + 10.0 * jnp.sqrt(high_tilt) + 50.0) - centre) / s
    is_cut = vanished < right + _REACH
    end = jnp.where(is_cut, vanished, right + _REACH)
    width = 1.0 / jnp.sqrt(1.0 + s * s * low_tilt)
    at_cliff = jnp.minimum(_CLIFF / (s * jnp.sqrt(jnp.maximum(high_tilt, 1.0))), _LONGEST * width)
    step = jnp.where(is_cut, at_cliff, _LONGEST)
    ratio = jnp.maximum(_GROWTH, (_LONGEST / step) ** (1.0 / _RAMP))
    hold = jnp.maximum((_BELOW - centre) / s, left)

    def next_edge(state: tuple[jax.Array, jax.Array], _: None) -> tuple[tuple[jax.Array, jax.Array], jax.Array]:
        edge, step = state
        edge = edge - step
        longest = _LONGEST * jnp.where(edge > left, width, 1.0)
        return (edge, jnp.where(edge > hold, step, jnp.minimum(step * ratio, longest))), edge

    _, edges = jax.lax.scan(next_edge, (end, step), None, length=_PANELS)
    edges = jnp.moveaxis(jnp.concatenate([edges[::-1], end[None]]), 0, -1)
    alpha, w = panel_rule(jnp.maximum(edges, (left - _REACH)[..., None]), order)
    return alpha, w, end


def gaussian_means(centre: jax.Array, s: jax.Array, order: int) -> tuple[TokenMeans, jax.Array]:
    """E[exp(i x - e^x) alpha^j] for i, j = 0, 1, 2 and log E[1 - exp(-e^x)], x = centre + s alpha, alpha standard normal."""
    alpha, w, end = jax.lax.stop_gradient(_nodes(centre, s, order))
    x = centre[..., None] + s[..., None] * alpha
    rate = jnp.exp(x)
    x, rate = jax.lax.optimization_barrier((x, rate))  # or every sum below would recompute them
    rows = []
    for i in (0.0, 1.0, 2.0):
        log_value = i * x - rate - 0.5 * alpha**2
        top = jax.lax.stop_gradient(jnp.max(log_value, axis=-1))
        mass = jax.lax.optimization_barrier(w * jnp.exp(log_value - top[..., None]))
        total = jnp.sum(mass, axis=-1)
        first, second = jnp.sum(mass * alpha, axis=-1) / total, jnp.sum(mass * alpha**2, axis=-1) / total
        rows.append(TokenMeans(jnp.log(total) + top - _LOG_ROOT_TWO_PI, first, second))
    peak = jnp.maximum(jnp.max(jnp.minimum(x, 0.0) - 0.5 * alpha**2, axis=-1), -0.5 * jnp.maximum(end, 0.0) ** 2)
    height = jax.lax.stop_gradient(peak)
    far = jnp.maximum(end, 20.0)  # to the right of the nodes exp(-e^x) is 0 and the rest is a Gaussian tail
    tail = jnp.where(
        end < 20.0,
        math.sqrt(0.5 * math.pi) * erfc(jnp.minimum(end, 20.0) / math.sqrt(2.0)) * jnp.exp(-jnp.maximum(height, -250.0)),
        jnp.exp(-0.5 * far**2 - height) * (1.0 - 1.0 / far**2) / far,
    )
    log_gauss = -0.5 * alpha**2 - height[..., None]
    lifted = jnp.where(x < -36.0, jnp.exp(x + log_gauss), -jnp.expm1(-rate) * jnp.exp(jnp.minimum(log_gauss, 300.0)))
    rise = jnp.sum(w * lifted, axis=-1) + tail
    return TokenMeans(*map(jnp.stack, zip(*rows, strict=True))), jnp.log(rise) + height - _LOG_ROOT_TWO_PI


def softmax_laws(m: jax.Array, gamma: jax.Array, lam: jax.Array, kappa: jax.Array) -> TokenLaws:
    """Token laws of softmax(lam a) for lam >= 0 and the signal's score a = m kappa + gamma alpha."""
    lam = jnp.maximum(lam, 1e-30)
    shift, s = lam * m * kappa, lam * gamma
    spread = 60.0 + 45.0 * (lam + s)

    def means(u: jax.Array, order: int) -> tuple[TokenMeans, TokenMeans, jax.Array]:
        scales = jnp.stack([jnp.broadcast_to(s, u.shape), jnp.broadcast_to(lam, u.shape)])
        both, rise = gaussian_means(jnp.stack([u + shift, u]), scales, order)
        return TokenMeans(*(row[:, 0] for row in both)), TokenMeans(*(row[:, 1] for row in both)), rise[1]

    return TokenLaws(
        means=means,
        low=jnp.minimum(-shift, 0.0) - spread,
        high=jnp.maximum(-shift, 0.0) + spread,
        cliff=-shift,
        cliff_width=jnp.maximum(s, 1.0),
    )
