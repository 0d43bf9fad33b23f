"""30-digit erf risk by direct integration over the score (theory 3a): shares no formula with the
closed form.
"""

import mpmath as mp


def _pieces(kink, width):
    """Break points that isolate the transition of erf inside the Gaussian's range."""
    reach = 14
    marks = {mp.mpf(x) for x in (-reach, -9, -5, -2, 0, 2, 5, 9, reach)}
    marks |= {kink + s * width for s in (-12, -6, -3, -1, 0, 1, 3, 6, 12)}
    return sorted(x for x in marks if -reach <= x <= reach)


def _gaussian_mean(function, pieces):
    return mp.quad(lambda x: function(x) * mp.npdf(x), pieces, maxdegree=9)


def erf_excess(m, gamma, L, lam, kappa, nu, theta, eta, rho):
    """R - eps^2 from E over the score of the conditional mean and variance of S b - c."""
    with mp.workdps(50):
        m, gamma, L, lam, kappa, nu, theta, eta, rho = map(
            mp.mpf, (m, gamma, L, lam, kappa, nu, theta, eta, rho)
        )
        M = m * theta
        signal = _pieces(-m * kappa / gamma, 1 / (lam * gamma))
        weight = lambda x: mp.erf(lam * (m * kappa + gamma * x))  # noqa: E731

        def square(x):
            S = weight(x)
            mean = S * (M + gamma * rho * x) - gamma * eta * x
            return mean**2 + gamma**2 * (
                S**2 * (1 - rho**2) - 2 * S * (nu - rho * eta) + 1 - eta**2
            )

        total = _gaussian_mean(square, signal)
        if L > 1:
            background = _pieces(mp.mpf(0), 1 / lam)
            S2b2 = _gaussian_mean(
                lambda x: mp.erf(lam * x) ** 2 * (rho**2 * x**2 + 1 - rho**2), background
            )
            p = _gaussian_mean(lambda x: weight(x) * (M + gamma * rho * x), signal)
            q = rho * _gaussian_mean(lambda x: mp.erf(lam * x) * x, background)
            total += (L - 1) * (S2b2 + 2 * p * q + (L - 2) * q**2)
        return total


def log_excess_at_the_right_value(m, gamma, lam, kappa, rho):
    """log(R - eps^2) for L = 1 and v = v* (theta = 0, eta = rho): gamma^2 E[erfc(lam a)^2 (1 -
    rho^2 + rho^2 x^2)].
    """
    with mp.workdps(40):
        m, gamma, lam, kappa, rho = map(mp.mpf, (m, gamma, lam, kappa, rho))

        def log_density(x):
            return 2 * mp.log(mp.erfc(lam * (m * kappa + gamma * x))) - x**2 / 2

        low, high = -m * kappa / gamma - 3 / (lam * gamma) - 3, mp.mpf(0)
        for _ in range(200):  # the log density is concave: thirds
            left, right = low + (high - low) / 3, high - (high - low) / 3
            low, high = (left, high) if log_density(left) < log_density(right) else (low, right)
        peak = (low + high) / 2
        top = log_density(peak)

        def reach(sign):  # where the density has fallen by exp(-100)
            step = mp.mpf(10) ** -12
            while log_density(peak + sign * step) > top - 100:
                step *= 2
            return step

        fractions = [mp.mpf(2) ** -j for j in range(14, -1, -1)]
        left, right = reach(-1), reach(1)
        marks = (
            [peak - left * f for f in reversed(fractions)]
            + [peak]
            + [peak + right * f for f in fractions]
        )
        body = mp.quad(lambda x: mp.exp(log_density(x) - top) * (1 - rho**2 + rho**2 * x**2), marks)
        return 2 * mp.log(gamma) + top + mp.log(body / mp.sqrt(2 * mp.pi))
