"""Feature maps of a key: spherical harmonics of degrees one and two, or coordinates."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ive


def require_unit(points: np.ndarray, name: str) -> None:
    """Refuse points that are not on the unit sphere."""
    off = float(np.max(np.abs(np.einsum("...i,...i->...", points, points) - 1.0), initial=0.0))
    if not off <= 1e-6:
        raise ValueError(
            f"`{name}` must lie on the unit sphere, got a squared norm that differs from 1 by"
            f" {off:.3g}; divide each row by its norm, or use a feature map for free keys such as"
            " Coordinates."
        )


@dataclass(frozen=True)
class Harmonics:
    """phi on the sphere S^{d-1}: degrees 1 and 2, each with its share of the constant |phi(k)|^2.

    Degree 1 is k itself; degree 2 is kk' - I/d in an orthonormal basis of the traceless symmetric
    matrices.
    """

    d: int = 3
    shares: tuple[float, float] = (0.5, 0.5)

    def __post_init__(self) -> None:
        if self.d < 2:
            raise ValueError(
                f"`d` must be at least 2, for a sphere to have harmonics, got {self.d}."
            )
        if len(self.shares) != 2 or min(self.shares) < 0 or sum(self.shares) <= 0:
            raise ValueError(
                "`shares` must be two numbers >= 0, not both 0 (degree 1, degree 2), got"
                f" {self.shares}; (1, 0) keeps degree 1 alone."
            )

    @cached_property
    def degrees(self) -> np.ndarray:
        """Degree of every feature, (D,)."""
        sizes = (self.d, (self.d - 1) * (self.d + 2) // 2)
        return np.repeat(
            [1, 2],
            [size if share > 0 else 0 for size, share in zip(sizes, self.shares, strict=True)],
        )

    @cached_property
    def second_moment(self) -> np.ndarray:
        """Diagonal of E[phi phi'] under the uniform law on the sphere, (D,)."""
        return np.array([self.shares[l - 1] / np.sum(self.degrees == l) for l in self.degrees])

    def __call__(self, points: np.ndarray) -> np.ndarray:
        """phi(points), (..., d) -> (..., D)."""
        points = np.asarray(points, float)
        if points.shape[-1] != self.d:
            raise ValueError(
                f"`points` must have {self.d} coordinates, as `d` says, got {points.shape[-1]}."
            )
        require_unit(points, "points")
        out = np.empty((*points.shape[:-1], self.degrees.size))
        at = 0
        if self.shares[0] > 0:
            out[..., : self.d] = np.sqrt(self.shares[0]) * points
            at = self.d
        if self.shares[1] > 0:
            scale = np.sqrt(self.shares[1] * self.d / (self.d - 1))
            for i in range(self.d):
                for j in range(i + 1, self.d):
                    np.multiply(
                        points[..., i] * (scale * np.sqrt(2.0)), points[..., j], out=out[..., at]
                    )
                    at += 1
            out[..., at:] = (points * points) @ (scale * _contrasts(self.d).T)
        return out


@dataclass(frozen=True)
class Coordinates:
    """phi(k) = k, for keys of any law."""

    def __call__(self, points: np.ndarray) -> np.ndarray:
        return np.asarray(points, float)


def funk_hecke(degree: int | np.ndarray, d: int, temperature: float) -> np.ndarray:
    """c_l = I_{l+d/2-1}(1/tau) / I_{d/2-1}(1/tau), with I the modified Bessel function.

    With infinitely many tokens softmax at this temperature multiplies a harmonic of degree l by it.
    """
    if not temperature > 0:
        raise ValueError(
            f"`temperature` must be > 0, got {temperature}; its limit 0 is the nearest key, c_l"
            " = 1."
        )
    orders = np.asarray(degree) + d / 2 - 1
    return np.asarray(ive(orders, 1 / temperature) / ive(d / 2 - 1, 1 / temperature))


def _contrasts(d: int) -> np.ndarray:
    """Orthonormal rows that sum to zero (Helmert), (d-1, d)."""
    rows = [np.r_[np.ones(i), -i, np.zeros(d - i - 1)] / np.sqrt(i * (i + 1)) for i in range(1, d)]
    return np.array(rows)
