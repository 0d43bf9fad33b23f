"""How sure a share of successes is."""

import math


def wilson_interval(successes: int, trials: int, z: float = 1.959964) -> tuple[float, float]:
    """Wilson's interval for a probability (95 % by default): honest at shares of 0 and 1 too."""
    share = successes / trials
    centre = share + z * z / (2.0 * trials)
    reach = z * math.sqrt(share * (1.0 - share) / trials + z * z / (4.0 * trials * trials))
    scale = 1.0 + z * z / trials
    return max((centre - reach) / scale, 0.0), min((centre + reach) / scale, 1.0)
