"""One-token means of any normalised kernel f(lam a) / sum f: nodes around the kernel's bend and around the cliff exp(-t f)."""

import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax.scipy.special import ndtr

from soloc.maths.panels import edges_around, panel_rule
from soloc.risk.laplace import TokenLaws, TokenMeans, WeightMoments

_REACH = 9.8  # standard deviations at which a Gaussian no longer counts
_LEVELS = 9
_LOG_ROOT_TWO_PI = 0.5 * math.log(2.0 * math.pi)

LogKernel = Callable[[jax.Array], jax.Array]


def _cliff(log_kernel: LogKernel, u: jax.Array, centre: jax.Array, s: jax.Array) -> jax.Array:
    """alpha at which t f(x) crosses 1, x = centre + s alpha, for an increasing kernel."""

    def halve(_: int, bracket: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        low, high = bracket
        middle = 0.5 * (low + high)
        above = u + log_kernel(centre + s * middle) > 0
        return jnp.where(above, low, middle), jnp.where(above, middle, high)

    ends = jnp.full_like(u, -_REACH), jnp.full_like(u, _REACH)
    return jax.lax.fori_loop(0, 40, halve, ends)[0]


def kernel_means(log_kernel: LogKernel, u: jax.Array, centre: jax.Array, s: jax.Array, order: int) -> tuple[TokenMeans, jax.Array]:
    """E[(t f)^i exp(-t f) alpha^j] for i, j = 0, 1, 2 and log E[1 - exp(-t f)], f at x = centre + s alpha, t = exp(u)."""
    cliff = _cliff(log_kernel, u, centre, s)
    sharpest = jnp.full_like(u, jnp.minimum(1.0 / s, 1.0))
    bend = jnp.clip(jnp.full_like(u, -centre / s), -_REACH, _REACH)
    at_cliff = jnp.where(cliff > bend, jnp.minimum(sharpest, cliff - bend), sharpest)  # a kernel that vanishes at its bend
    points = jnp.stack([cliff, bend, jnp.zeros_like(u)], axis=-1)
    units = jnp.stack([at_cliff, sharpest, jnp.ones_like(u)], axis=-1)
    edges = edges_around(points, units, _LEVELS)
    edges = jnp.concatenate([jnp.full((*u.shape, 1), -_REACH), edges, jnp.full((*u.shape, 1), _REACH)], axis=-1)
    alpha, w = jax.lax.stop_gradient(panel_rule(jnp.clip(edges, -_REACH, _REACH), order))
    log_rate = u[..., None] + log_kernel(centre + s * alpha)
    rate = jnp.exp(log_rate)
    gauss = w * jnp.exp(-0.5 * alpha**2)
    rows = []
    for i in range(3):
        log_value = jnp.where(w > 0, -rate if i == 0 else i * log_rate - rate, -jnp.inf)
        top = jax.lax.stop_gradient(jnp.max(log_value, axis=-1))
        mass = jax.lax.optimization_barrier(gauss * jnp.exp(log_value - top[..., None]))
        total = jnp.sum(mass, axis=-1)
        first, second = jnp.sum(mass * alpha, axis=-1) / total, jnp.sum(mass * alpha**2, axis=-1) / total
        rows.append(TokenMeans(jnp.log(total) + top - _LOG_ROOT_TWO_PI, first, second))
    rise = jnp.log(jnp.sum(gauss * -jnp.expm1(-rate), axis=-1)) - _LOG_ROOT_TWO_PI
    return TokenMeans(*map(jnp.stack, zip(*rows, strict=True))), rise


def kernel_laws(log_kernel: LogKernel, m: jax.Array, gamma: jax.Array, lam: jax.Array, kappa: jax.Array) -> TokenLaws:
    """Token laws of a normalised kernel for lam >= 0 and the signal's score a = m kappa + gamma alpha."""
    lam = jnp.maximum(lam, 1e-12)
    shift, s = lam * m * kappa, lam * gamma

    def means(u: jax.Array, order: int) -> tuple[TokenMeans, TokenMeans, jax.Array]:
        signal, _ = kernel_means(log_kernel, u, shift, s, order)
        background, rise = kernel_means(log_kernel, u, jnp.zeros_like(shift), lam, order)
        return signal, background, rise

    lowest, highest = jnp.minimum(shift - _REACH * s, -_REACH * lam), jnp.maximum(shift + _REACH * s, _REACH * lam)
    bottom = log_kernel(lowest)
    bottom = jnp.where(jnp.isfinite(bottom), bottom, log_kernel(jnp.minimum(s, lam)))
    return TokenLaws(
        means=means,
        low=-log_kernel(highest) - 60.0,
        high=-bottom + 60.0,
        cliff=jnp.clip(-log_kernel(jnp.maximum(shift, lowest)), -log_kernel(highest) - 60.0, -bottom + 60.0),
        cliff_width=jnp.maximum(jnp.minimum(s, 60.0), 1.0),
    )


def add_all_zero(moments: WeightMoments, m: jax.Array, gamma: jax.Array, kappa: jax.Array, L: jax.Array) -> WeightMoments:
    """Count the event that a kernel vanishing on negative scores is zero on every token: then e = 1 and the answer is 0."""
    edge = -m * kappa / gamma  # the signal's kernel is zero for x below it
    density = jnp.exp(-0.5 * edge**2 - _LOG_ROOT_TWO_PI)
    scale = jnp.exp((L - 1.0) * math.log(0.5) - moments.log_miss)
    zeroth, first, second = moments.ee
    ee = (zeroth + scale * ndtr(edge), first - scale * density, second + scale * (ndtr(edge) - edge * density))
    return moments._replace(ee=ee)
