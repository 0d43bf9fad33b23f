"""Risk of a component-wise weight straight from theory 3a, one scipy integral per moment."""

import itertools
import math

import numpy as np
from scipy.integrate import quad


def excess_from_moments(signal, background, m, gamma, L, nu, theta, eta, rho):
    """R - eps^2, given functions (power, polynomial) -> E[S^power polynomial(x)] of the signal and a background token.

    x is the standardised score; b and c given x are Gaussian with means m theta + gamma rho x and gamma eta x.
    """
    P = np.polynomial.Polynomial
    b, c = P([m * theta, gamma * rho]), P([0.0, gamma * eta])
    Sbc = signal(1, b * c + gamma**2 * (nu - rho * eta))
    S2b2 = signal(2, b * b + gamma**2 * (1 - rho**2))
    others_S2b2 = background(2, P([1 - rho**2, 0.0, rho**2]))
    Sb, others_Sb = signal(1, b), background(1, P([0.0, rho]))
    total = gamma**2 - 2 * Sbc + S2b2 + (L - 1) * others_S2b2
    return total + 2 * (L - 1) * Sb * others_Sb + (L - 1) * (L - 2) * others_Sb**2


def integrated(sigma, centre, s, bend=0.0):
    """E[sigma(centre + s x)^power polynomial(x)] by adaptive integration broken at the bend."""
    kink = float(np.clip((bend - centre) / s, -9.4, 9.4))
    width = min(1.0, 8.0 / s)
    marks = sorted({-9.5, max(kink - width, -9.5), kink, min(kink + width, 9.5), 9.5})

    def moment(power, polynomial):
        function = lambda x: sigma(centre + s * x) ** power * polynomial(x) * math.exp(-0.5 * x * x)  # noqa: E731
        pieces = itertools.pairwise(marks)
        return sum(quad(function, *piece, epsabs=1e-14, epsrel=1e-13, limit=200)[0] for piece in pieces) / math.sqrt(2 * math.pi)

    return moment


def exponential_moments(centre, s):
    """The same for sigma = exp: the power tilts the Gaussian, and polynomials are exact under Gauss-Hermite."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(10)
    weights = weights / weights.sum()
    return lambda power, q: math.exp(power * centre + 0.5 * (power * s) ** 2) * (weights @ q(nodes + power * s))


def polynomial_moments(sigma, centre, s):
    """The same for a polynomial sigma, exact under Gauss-Hermite."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(10)
    weights = weights / weights.sum()
    return lambda power, q: weights @ (sigma(centre + s * nodes) ** power * q(nodes))
