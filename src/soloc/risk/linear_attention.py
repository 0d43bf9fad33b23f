"""Population risk of learned linear attention y = h' Gamma q, h = (1/L) sum_l v_l k_l.

The risk is quadratic in Gamma, so that the excess of any Gamma over the optimum is exact.
"""

from typing import NamedTuple

import numpy as np


class Supervised(NamedTuple):
    """Unit keys and queries in R^d, phi(k) = k, noisy target, lam = 1: the optimum is gamma I."""

    d: int
    L: int
    sigma: float

    @property
    def optimum(self) -> float:
        """gamma* = d / (1 + (d (1 + sigma^2) - 1)/L)."""
        return self.d / (1 + (self.d * (1 + self.sigma**2) - 1) / self.L)

    @property
    def optimal_risk(self) -> float:
        """R* = sigma^2 + 1 - gamma*/d."""
        return self.sigma**2 + 1 - self.optimum / self.d

    def tied_excess(self, gamma: np.ndarray) -> np.ndarray:
        """R(Gamma) - R* = |Gamma - gamma* I|^2 / (d^2 gamma*), for (..., d, d)."""
        error = gamma - self.optimum * np.eye(self.d)
        return np.asarray(np.sum(error**2, (-2, -1)) / (self.d**2 * self.optimum))

    def untied_excess(self, gammas: np.ndarray) -> float:
        """R - R* of y = sum_l v_l k_l' Gamma_l q, a matrix per position; optimum gamma*/L I."""
        error = gammas - self.optimum / self.L * np.eye(self.d)
        own = (1 + self.sigma**2) / self.d - 1 / self.d**2
        return float(own * np.sum(error**2) + np.sum(error.sum(0) ** 2) / self.d**2) / self.d


class Masked(NamedTuple):
    """The value of a masked token from L others: Gaussian keys, phi(k) = k, lam = 1."""

    variances: np.ndarray  #: (d,) diagonal of Sigma
    L: int
    sigma: float

    @property
    def moment(self) -> np.ndarray:
        """Diagonal of M = E[h h'] = Sigma^2 (1 + 1/L) + Sigma (tr Sigma + sigma^2)/L."""
        s = self.variances
        return np.asarray(s**2 * (1 + 1 / self.L) + s * (s.sum() + self.sigma**2) / self.L)

    @property
    def optimum(self) -> np.ndarray:
        """Diagonal of Gamma* = M^-1 Sigma."""
        return np.asarray(self.variances / self.moment)

    @property
    def floor(self) -> np.ndarray:
        """Error left at Gamma* in reading z along each axis, 1 - Sigma^2/M, (d,)."""
        return np.asarray(1 - self.variances * self.optimum)

    @property
    def optimal_risk(self) -> float:
        """R* = sigma^2 + sum_j Sigma_j floor_j, of the masked value."""
        return float(self.sigma**2 + self.variances @ self.floor)

    def excess_form(self, gamma: np.ndarray) -> np.ndarray:
        """E'ME, E = Gamma - Gamma*.

        The excess is u'(E'ME)u in reading z u, and tr(Sigma E'ME) on masked tokens.
        """
        error = gamma - np.diag(self.optimum)
        return np.asarray(error.T @ (self.moment[:, None] * error))

    def readout_error(self, gamma: np.ndarray, direction: np.ndarray, head: np.ndarray) -> float:
        """E[(z_1 u - sum_a h_a' Gamma w_a)^2] of a linear head w (dv, d)."""
        turned = head @ gamma.T
        return float(
            1 - 2 * turned[0] @ (self.variances * direction) + np.sum(self.moment * turned**2)
        )
