"""The Bayes risk of two tokens by one integral in 30 digits, for any dimension, gamma and signal.

1 - p_s = expit(ell_b - ell_s), expit(-x) = (1 / 2 pi i) int pi / sin(pi s) e^(-s x) ds along Re s =
1/2, and the log-likelihood ratios are quadratic forms of Gaussian vectors, so that their moment
generating functions are closed forms.
"""

import mpmath
from mpmath import mp, mpf


def log_excess_of_two(d: float, gamma: float, m: float) -> mpmath.mpf:
    """log E[c_s^2 (1 - p_s)] = log E[Var(c_J | X)], J drawn from the posterior."""
    with mp.workdps(40):
        d, gamma, m = mpf(d), mpf(gamma), mpf(m)
        a = 1 - gamma**2

        def signal(s: mpmath.mpc) -> mpmath.mpc:
            """log E exp(s ell), ell = m^2/2 - d log gamma + m gamma g - a |noise|^2 / 2."""
            mean = s * (m**2 / 2 - d * mp.log(gamma))
            return mean + (s * m * gamma) ** 2 / (2 * (1 + a * s)) - d / 2 * mp.log(1 + a * s)

        def both(s: mpmath.mpc) -> mpmath.mpc:
            return signal(-s) + signal(s - 1) + mp.log(gamma**2 / (1 - a * s))

        half = mpf(1) / 2
        top = both(half)
        width = 1 / mp.sqrt(abs(mp.diff(both, half, 2)) + 10)
        value = mp.quad(
            lambda omega: mp.re(mp.exp(both(half + 1j * omega) - top) / mp.cosh(mp.pi * omega)),
            [0, *(width * 2**k for k in range(12))],
        )
        return top + mp.log(value)
