"""Errors of attention on the exchangeable task, latent and noise integrated out; their limits.

Given keys and query, sum_l w_l v_l - z phi(q) is Gaussian with a variance in closed form, so that a
draw of keys gives the expected squared error and not one squared error.
"""

from typing import Any

import numpy as np

from soloc.maths.harmonics import Harmonics, funk_hecke
from soloc.tasks.exchangeable_latent import ExchangeableLatent


def error_given_keys(
    task: ExchangeableLatent,
    keys: np.ndarray,
    query: np.ndarray,
    weights: np.ndarray,
    multiplier: np.ndarray | float = 1.0,
) -> np.ndarray:
    """E[(sum_l w_l v_l - z (multiplier * phi(q)))^2 | keys, query] per value coordinate, (n,).

    lam |Phi'w - multiplier * phi(q)|^2 + sigma^2 |w|^2; multiplier 1 is the noiseless answer, the
    Funk-Hecke multipliers are the limit of softmax.
    """
    seen = (weights[:, None, :] @ task.features(keys))[:, 0]
    missed = seen - multiplier * task.features(query)
    return np.asarray(task.lam * np.sum(missed**2, -1) + task.sigma**2 * np.sum(weights**2, -1))


def softmax_multipliers(features: Harmonics, temperature: float) -> np.ndarray:
    """What softmax makes of every feature with infinitely many tokens, (D,)."""
    return funk_hecke(features.degrees, features.d, temperature)


def softmax_floor(task: ExchangeableLatent, temperature: float) -> float:
    """Error of softmax with infinitely many tokens: lam sum_l share_l (1 - c_l)^2."""
    return sum(
        task.lam * share * (1 - float(funk_hecke(l, harmonics_of(task).d, temperature))) ** 2
        for l, share in enumerate(harmonics_of(task).shares, 1)
    )


def softmax_spread(task: ExchangeableLatent, temperature: float) -> float:
    """c in c/L, the leading error of softmax about its own limit, an integral over t = k.q alone:

    E[g^2 (lam |phi(k) - c phi(q)|^2 + sigma^2)],   g = exp(t/tau) / E[exp(t/tau)]
    """
    features = harmonics_of(task)
    d = features.d
    angle = np.linspace(0, np.pi, 4001)
    t, law = np.cos(angle), np.sin(angle) ** (d - 2)
    g = np.exp((t - 1) / temperature)
    g /= np.sum(g * law) / np.sum(law)
    zonal = (t, (d * t * t - 1) / (d - 1))  # phi_l(k).phi_l(q) = share_l P_l(t)
    square: Any = 0.0
    for l, share in enumerate(features.shares, 1):
        c = float(funk_hecke(l, d, temperature))
        square = square + share * (1 - 2 * c * zonal[l - 1] + c * c)
    return float(np.sum(law * g * g * (task.lam * square + task.sigma**2)) / np.sum(law))


def unexplained_by_a_constant(features: Harmonics, temperature: float) -> float:
    """Share of the softmax limit that no multiple of the answer explains, 1 - (E c)^2 / E c^2."""
    share = np.array(features.shares) / sum(features.shares)
    c = funk_hecke(np.array([1, 2]), features.d, temperature)
    return float(1 - np.sum(share * c) ** 2 / np.sum(share * c * c))


def kernel_mean_law(task: ExchangeableLatent, ridge: float, L: int) -> float:
    """Leading error of CME for many tokens: bias and variance with Phi'Phi at its mean L C."""
    c = harmonics_of(task).second_moment
    return float(np.sum(c * (task.lam * ridge**2 + task.sigma**2 * L * c) / (L * c + ridge) ** 2))


def whitened_linear_law(task: ExchangeableLatent, L: int) -> float:
    """((lam s + sigma^2) D - lam s) / L, s = |phi|^2: linear attention with Gamma = C^-1, exact."""
    features = harmonics_of(task)
    power = task.lam * sum(features.shares)
    return ((power + task.sigma**2) * features.degrees.size - power) / L


def harmonics_of(task: ExchangeableLatent) -> Harmonics:
    """The harmonics of a task on the sphere; the laws above hold for no other feature map."""
    if not isinstance(task.features, Harmonics):
        raise TypeError(
            "`task` must have Harmonics as features for this law, got"
            f" {type(task.features).__name__}; use error_given_keys, which knows any feature map."
        )
    return task.features
