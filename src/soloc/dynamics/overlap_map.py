"""Projected gradient descent on the product of spheres, as an exact map of the five overlaps.

With dR/dk = R_kappa k* + R_eta v* + R_rho v and dR/dv = R_nu v* + R_theta k* + R_rho k, the step

    k <- normalise(k - alpha (I - kk') dR/dk),   v <- normalise(v - alpha (I - vv') dR/dv)

needs only inner products that the overlaps give: O(1) per step, whatever d.
"""

from typing import Any

import jax.numpy as jnp

from soloc.risk.overlaps import Overlaps


def projected_step(o: Overlaps, slopes: Overlaps, alpha: Any) -> Overlaps:
    """The overlaps after one step of size alpha along the slopes R_kappa, ..., R_rho."""
    kappa, nu, theta, eta, rho = o
    K, N, T, E, R = (alpha * slope for slope in slopes)
    along_k, along_v = K * kappa + E * eta + R * rho, N * nu + T * theta + R * rho
    keep_k, keep_v = 1.0 + along_k, 1.0 + along_v
    # |k - alpha P g|^2 = 1 + |alpha P g|^2
    scale_k = 1.0 / jnp.sqrt(
        1.0 + K * (K + 2.0 * R * theta) + E * (E + 2.0 * R * nu) + R * R - along_k * along_k
    )
    scale_v = 1.0 / jnp.sqrt(
        1.0 + N * (N + 2.0 * R * eta) + T * (T + 2.0 * R * kappa) + R * R - along_v * along_v
    )
    both = K * T + E * N + R * (along_k + along_v - R * rho)
    rho_before_scaling = (
        keep_k * keep_v * rho
        - keep_k * (N * eta + T * kappa + R)
        - keep_v * (K * theta + E * nu + R)
        + both
    )
    after = (
        (keep_k * kappa - K - R * theta) * scale_k,
        (keep_v * nu - N - R * eta) * scale_v,
        (keep_v * theta - T - R * kappa) * scale_v,
        (keep_k * eta - E - R * nu) * scale_k,
        rho_before_scaling * scale_k * scale_v,
    )
    # rounding gathers over many steps until it balances the pull towards the end, at about 1e-14
    return Overlaps.unchecked(*(jnp.clip(overlap, -1.0, 1.0) for overlap in after))


def flow_velocity(o: Overlaps, slopes: Overlaps) -> Overlaps:
    """d(overlaps)/dt of the gradient flow k' = -(I - kk') dR/dk, v' = -(I - vv') dR/dv."""
    kappa, nu, theta, eta, rho = o
    K, N, T, E, R = slopes
    along_k, along_v = K * kappa + E * eta + R * rho, N * nu + T * theta + R * rho
    return Overlaps.unchecked(
        along_k * kappa - K - R * theta,
        along_v * nu - N - R * eta,
        along_v * theta - T - R * kappa,
        along_k * eta - E - R * nu,
        (along_k + along_v) * rho - (N * eta + T * kappa + R) - (K * theta + E * nu + R),
    )
