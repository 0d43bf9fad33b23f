"""Softmax risks by brute force in NumPy, on fixed fine grids."""

import numpy as np


def posterior_miss(m, L, step=0.01):
    """E[1 - p_J0] for gamma = 1, k = k*, lam = m: by Nishimori the excess of softmax at the truth.

    1 - p_s = sum over the others of E_l / S, and 1/S = int exp(-t S) dt, so that with u = log t
    E[1 - p_s] = (L - 1) int s0 p1 p0^(L-2) du where p1 = E_b[t E exp(-t E)].
    Every mean over a score is a trapezoid sum on a grid finer than the cliff of exp(-t E).
    """
    reach = 9.5
    x = np.arange(-reach, reach + 1e-12, min(0.01, 0.05 / m))
    density = np.exp(-0.5 * x * x) / np.sqrt(2.0 * np.pi) * (x[1] - x[0])
    total = 0.0
    centre, width = -m * np.sqrt(2.0 * np.log(max(L, 2.0))), 12.0 * m + 40.0
    for u in np.arange(min(centre, -m * m) - width, max(centre, 0.0) + width, step * m):
        rate = np.exp(np.minimum(u + m * x, 700.0))
        background = np.exp(-rate)
        rise = density @ -np.expm1(-rate)
        p1 = density @ (rate * background)
        s0 = density @ np.exp(-np.exp(np.minimum(u + m * m + m * x, 700.0)))
        total += s0 * p1 * np.exp((L - 2.0) * np.log1p(-min(rise, 1.0 - 1e-16)))
    return (L - 1.0) * total * step * m


def softmax_two_tokens(m, gamma, lam, kappa, nu, theta, eta, rho, nodes=400):
    """Excess of softmax for L = 2 by tensor Gauss-Legendre over both scores.

    E[(T - c)^2 | scores] comes straight from the Gaussian conditional law of (b_s, b_1, c).
    """
    x, w = np.polynomial.legendre.leggauss(nodes)
    x, w = 9.5 * x, 9.5 * w * np.exp(-0.5 * (9.5 * x) ** 2) / np.sqrt(2.0 * np.pi)
    signal, other = np.meshgrid(x, x, indexing="ij")
    p = 1.0 / (1.0 + np.exp(np.clip(lam * (other - (m * kappa + gamma * signal)), -700.0, 700.0)))
    mean_b, mean_c, mean_other = m * theta + gamma * rho * signal, gamma * eta * signal, rho * other
    var_b, var_c, cov_bc = (
        gamma**2 * (1 - rho**2),
        gamma**2 * (1 - eta**2),
        gamma**2 * (nu - rho * eta),
    )
    mean = p * mean_b + (1 - p) * mean_other - mean_c
    variance = p**2 * var_b + (1 - p) ** 2 * (1 - rho**2) + var_c - 2 * p * cov_bc
    return w @ (mean**2 + variance) @ w


def kernel_two_tokens(kernel, m, gamma, kappa, nu, theta, eta, rho, nodes=400, cuts=(0.0,)):
    """The same for p = f(a_s) / (f(a_s) + f(a_1)), cut where the kernel bends; both 0 where f
    vanishes.
    """
    x, w = np.polynomial.legendre.leggauss(nodes)

    def rule(bends):
        edges = np.unique(np.clip([-9.5, *bends, 9.5], -9.5, 9.5))
        half, middle = 0.5 * np.diff(edges)[:, None], 0.5 * (edges[1:] + edges[:-1])[:, None]
        points = (middle + half * x).ravel()
        return points, (half * w).ravel() * np.exp(-0.5 * points**2) / np.sqrt(2.0 * np.pi)

    (xs, ws), (xo, wo) = rule([(c - m * kappa) / gamma for c in cuts]), rule(cuts)
    signal, other = np.meshgrid(xs, xo, indexing="ij")
    f_signal, f_other = kernel(m * kappa + gamma * signal), kernel(other)
    total = f_signal + f_other
    total = np.where(total > 0, total, 1.0)
    p, r = f_signal / total, f_other / total
    mean = p * (m * theta + gamma * rho * signal) + r * rho * other - gamma * eta * signal
    variance = p**2 * gamma**2 * (1 - rho**2) + r**2 * (1 - rho**2) + gamma**2 * (1 - eta**2)
    variance = variance - 2 * p * gamma**2 * (nu - rho * eta)
    return ws @ (mean**2 + variance) @ wo
