"""Random settings over the whole range that the exact risks promise to serve."""

from typing import NamedTuple

import numpy as np


class Draw(NamedTuple):
    """A setting and overlaps that unit vectors can have."""

    d: int
    L: int
    lam: float
    gamma: float
    overlaps: dict[str, float]


def overlaps(rng: np.random.Generator, place: str) -> dict[str, float]:
    """Overlaps on the manifold, at or near the truth, of generic vectors, or of v = v*."""
    if place == "manifold":
        return dict(zip(("kappa", "nu"), map(float, rng.uniform(-1, 1, 2)), strict=True))
    if place == "truth":
        return {"kappa": 1.0, "nu": 1.0}
    k, v = rng.normal(size=(2, 4))
    if place == "right value":
        v = np.array([0.0, 1.0, 0.0, 0.0])
    elif place == "near truth":
        size = 10.0 ** rng.uniform(-9, -1)
        k, v = np.array([1.0, 0, 0, 0]) + size * k, np.array([0, 1.0, 0, 0]) + size * v
    k, v = k / np.linalg.norm(k), v / np.linalg.norm(v)
    return {
        "kappa": float(k[0]),
        "nu": float(v[1]),
        "theta": float(v[0]),
        "eta": float(k[1]),
        "rho": float(k @ v),
    }


PLACES = ("manifold", "generic", "near truth", "truth", "right value")


def draw(rng: np.random.Generator, place: str) -> Draw:
    """d in [4, 1e12], L in [1, 1e9], lam in [1e-6, 1e4] and gamma in [.01, 10], all log-uniform."""
    d = int(10 ** rng.uniform(np.log10(4), 12))
    L = 1 if place == "right value" else int(10 ** rng.uniform(0, 9))
    return Draw(
        d, L, float(10 ** rng.uniform(-6, 4)), float(10 ** rng.uniform(-2, 1)), overlaps(rng, place)
    )
