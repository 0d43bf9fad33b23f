"""Does one instance decide here: the evidence that a fitted model has, and the doubts."""

from typing import NamedTuple

import numpy as np

from soloc.estimators.instances import Instances

SHARP = 0.5  # mean largest weight below which nothing is pointed at
USEFUL = 0.02  # held-out score below which the model has learnt nothing


class PointingWarning(UserWarning):
    """Pointing at an instance should not be trusted here."""


class Diagnostics(NamedTuple):
    """What a fitted model says about itself; `held_out` may be a leave-one-out score."""

    held_out: float  #: score of the model on bags it was not fitted to (R^2, or accuracy)
    mean_pool: float  #: score of mean-pool ridge on the same bags, left out one at a time
    chance: float  #: score of a constant: 0 for R^2, the share of the largest class for accuracy
    top_weight: float  #: mean over bags of several instances of the largest weight
    effective_instances: float  #: mean over those bags of exp(entropy of the attention)
    several: bool  #: whether any bag has more than one instance

    @property
    def doubts(self) -> list[str]:
        """Reasons, in words, not to trust what `locate` names; empty when there are none."""
        if not self.several:
            return []
        found = []
        if self.held_out < self.chance + USEFUL:
            found.append(
                f"the held-out score {self.held_out:.3f} is no better than a constant"
                f" ({self.chance:.3f})"
            )
        elif self.held_out < self.mean_pool:
            found.append(
                f"mean-pool ridge scores {self.mean_pool:.3f} held out, the model only"
                f" {self.held_out:.3f}"
            )
        if self.top_weight < SHARP:
            found.append(
                f"attention is spread over {self.effective_instances:.1f} instances (mean largest"
                f" weight {self.top_weight:.2f})"
            )
        return found

    @property
    def pointing_can_be_trusted(self) -> bool:
        """Whether there is no doubt."""
        return not self.doubts

    def __str__(self) -> str:
        lines = [
            (
                f"held-out score        {self.held_out:.3f}   (mean-pool ridge"
                f" {self.mean_pool:.3f}, a constant {self.chance:.3f})"
            ),
            (
                f"attention             largest weight {self.top_weight:.2f} on average, "
                f"{self.effective_instances:.1f} effective instances"
            ),
        ]
        verdict = (
            "pointing can be trusted"
            if not self.doubts
            else "do not trust pointing: " + "; ".join(self.doubts)
        )
        return "\n".join([*lines, verdict])


def concentration(attention: np.ndarray, instances: Instances) -> tuple[float, float, bool]:
    """Mean largest weight and effective number of instances, over bags of several, if any is."""
    several = instances.lengths > 1
    if not several.any():
        return 1.0, 1.0, False
    top = np.maximum.reduceat(attention, instances.starts)[several]
    entropy = -instances.total(attention * np.log(np.maximum(attention, 1e-30)))[several]
    return float(top.mean()), float(np.exp(entropy).mean()), True
