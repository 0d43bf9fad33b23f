"""Independent computations of r_J: draws at any length, and a dense sum at two tokens."""

import numpy as np


def drawn(a2, s2, L, n, seed):
    """r with the decisive token first, and (Y - z)^2 / tau, whose first column is xi^2: (n, L)."""
    rng = np.random.default_rng(seed)
    a, s = np.sqrt(a2), np.sqrt(s2)
    g, G = rng.standard_normal((2, n, L))
    xi = rng.standard_normal(n)
    miss = (s * G[:, 0] + xi)[:, None] - s * G
    x = a * g - 0.5 * miss**2
    x[:, 0] += a2
    r = np.exp(x - x.max(axis=1, keepdims=True))
    return r / r.sum(axis=1, keepdims=True), miss**2


def two_tokens(a2, s2, value, step=0.1):
    """E[value(r_J, xi^2, miss^2)] at L = 2, by a sum over the three normals that r_J depends on."""
    nodes = step * np.arange(-85, 86)
    weights = step * np.exp(-0.5 * nodes**2) / np.sqrt(2.0 * np.pi)
    total = 0.0
    for xi, chance in zip(nodes, weights, strict=True):
        miss2 = (xi + np.sqrt(2.0 * s2) * nodes[:, None]) ** 2
        log_odds = a2 + np.sqrt(2.0 * a2) * nodes - 0.5 * xi**2 + 0.5 * miss2
        r = 1.0 / (1.0 + np.exp(-log_odds))
        total += chance * weights @ value(r, xi**2, miss2) @ weights
    return total


def amp_data(rng, n, L, d, signal, noise):
    """Sequences, labels, k* and v*, drawn by NumPy."""
    k, v = np.linalg.qr(rng.standard_normal((d, 2)))[0].T
    tokens = rng.standard_normal((n, L, d))
    rows, place = np.arange(n), rng.integers(L, size=n)
    tokens[rows, place] += signal * k
    return tokens, tokens[rows, place] @ v + noise * rng.standard_normal(n), k, v
