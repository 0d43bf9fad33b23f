"""Risk of a component-wise weight straight from theory 3a, one plain integral per moment."""

import math

import numpy as np


def excess_from_moments(signal, background, m, gamma, L, nu, theta, eta, rho):
    """R - eps^2, given (power, q) -> E[S^power q(x)] of the signal and of a background token.

    x is the standardised score; b and c given x have means m theta + gamma rho x and gamma eta x.
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
    """E[sigma(centre + s x)^power polynomial(x)] on 80 panels across the bend and 200 in all."""
    kink = float(np.clip((bend - centre) / s, -9.5, 9.5))
    across = kink + np.linspace(-40.0, 40.0, 81) / s
    edges = np.unique(np.clip([*across, *np.linspace(-9.5, 9.5, 201)], -9.5, 9.5))
    nodes, weights = np.polynomial.legendre.leggauss(20)
    half, middle = 0.5 * np.diff(edges)[:, None], 0.5 * (edges[1:] + edges[:-1])[:, None]
    x = (middle + half * nodes).ravel()
    w = (half * weights).ravel() * np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)
    return lambda power, polynomial: w @ (sigma(centre + s * x) ** power * polynomial(x))


def exponential_moments(centre, s):
    """The same for sigma = exp: the power tilts the Gaussian; Gauss-Hermite is then exact."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(10)
    weights = weights / weights.sum()
    return lambda power, q: (
        math.exp(power * centre + 0.5 * (power * s) ** 2) * (weights @ q(nodes + power * s))
    )


def polynomial_moments(sigma, centre, s):
    """The same for a polynomial sigma, exact under Gauss-Hermite."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(10)
    weights = weights / weights.sum()
    return lambda power, q: weights @ (sigma(centre + s * nodes) ** power * q(nodes))
