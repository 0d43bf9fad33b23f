"""Does one instance decide here: the evidence that a fitted model has, and the doubts."""

from html import escape
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr, stdtrit

from soloc.estimators.groups import summed
from soloc.estimators.instances import Instances

SURE = 2.0  # standard errors by which a held-out score must be beyond others
AGREED = 0.4  # share of what chance leaves that halves of the bags must agree on


class PointingWarning(UserWarning):
    """Pointing at an instance should not be trusted here."""


class Diagnostics(NamedTuple):
    """What a fitted model says about itself; `held_out` may be a leave-one-out score."""

    held_out: float  #: score of the model on bags it was not fitted to (R^2, or accuracy)
    mean_pool: float  #: score on the same bags of `rival`, which points at nothing
    chance: float  #: score of a constant: 0 for R^2, the share of the largest class for accuracy
    beyond_chance_error: float  #: standard error of held_out - chance
    beyond_pool_error: float  #: standard error of held_out - mean_pool
    agreement: float  #: share of bags of several instances where all witnesses name the same one
    chance_agreement: float  #: the same of witnesses that know nothing
    top_weight: float  #: mean over bags of several instances of the largest weight
    effective_instances: float  #: mean over those bags of exp(entropy of the attention)
    several: bool  #: whether any bag has more than one instance
    #: whose agreement it is
    witnesses: str = "the model and fits to both halves of the bags"
    rival: str = "mean-pool ridge"  #: what reads whole bags, fitted without those that are judged

    @property
    def doubts(self) -> list[str]:
        """Reasons, in words, not to trust what `locate` names; empty when there are none."""
        if not self.several:
            return []
        found = []
        if self.held_out <= self.chance + SURE * self.beyond_chance_error:
            found.append(
                f"the held-out score {self.held_out:.3f} is no better than a constant"
                f" ({self.chance:.3f}, standard error {self.beyond_chance_error:.3f})"
            )
        elif self.held_out <= self.mean_pool + SURE * self.beyond_pool_error:
            found.append(
                f"{self.rival}, which points at nothing, scores {self.mean_pool:.3f} held out,"
                f" the model {self.held_out:.3f} (standard error {self.beyond_pool_error:.3f})"
            )
        if self.agreed < AGREED:
            found.append(
                f"{self.witnesses} name the same instance in {self.agreement:.0%} of the bags, by"
                f" chance they would in {self.chance_agreement:.0%}"
            )
        return found

    @property
    def agreed(self) -> float:
        """Agreement beyond chance, 0 to 1."""
        return (self.agreement - self.chance_agreement) / max(1 - self.chance_agreement, 1e-12)

    @property
    def verdict(self) -> str:
        """The sentence that warnings, the command line and the lab say alike."""
        if not self.doubts:
            return "pointing can be trusted"
        return "do not trust which instance is named: " + "; ".join(self.doubts)

    def _repr_html_(self) -> str:
        """The same lines, for a notebook."""
        return f"<pre>{escape(str(self))}</pre>"

    def __str__(self) -> str:
        lines = [
            (
                f"held-out score        {self.held_out:.3f}   ({self.rival}"
                f" {self.mean_pool:.3f}, a constant {self.chance:.3f}, standard error"
                f" {self.beyond_chance_error:.3f})"
            ),
            (
                f"agreement             {self.agreement:.2f}   (by chance"
                f" {self.chance_agreement:.2f})"
            ),
            (
                f"attention             largest weight {self.top_weight:.2f} on average, "
                f"{self.effective_instances:.1f} effective instances"
            ),
        ]
        return "\n".join([*lines, self.verdict])


class Gain(NamedTuple):
    """A mean over bags and its standard error, twice which is as sure as of many bags."""

    mean: float
    error: float


def gain(per_bag: np.ndarray, weights: np.ndarray, groups: np.ndarray | None) -> Gain:
    """The weighted mean of what each held-out bag says, with its standard error.

    Bags of a group say much the same: their number does not make the mean surer. Of few bags the
    error is wider, as Student's t asks; one bag says nothing, so that its error is all it says.
    """
    shares = weights / weights.sum()
    mean = float(shares @ per_bag)
    away = summed(shares * (per_bag - mean), groups)
    free = len(away) - 1
    if free == 0:
        return Gain(mean, abs(mean))
    wider = stdtrit(free, ndtr(SURE)) / SURE
    return Gain(mean, float(wider * np.sqrt(away @ away * len(away) / free)))


def concentration(attention: np.ndarray, instances: Instances) -> tuple[Any, ...]:
    """Mean largest weight and effective number of instances, over bags of several, if any is."""
    return mean_concentration(largest_and_effective(attention, instances))


def largest_and_effective(attention: np.ndarray, instances: Instances) -> np.ndarray:
    """Largest weight and effective number of instances of each bag of several, (m, 2)."""
    several = instances.lengths > 1
    top = np.maximum.reduceat(attention, instances.starts)[several]
    entropy = -instances.total(attention * np.log(np.maximum(attention, 1e-30)))[several]
    return np.column_stack([top, np.exp(entropy)])


def mean_concentration(of_bags: np.ndarray) -> tuple[Any, ...]:
    """The means over bags, and whether there is any."""
    if not len(of_bags):
        return 1.0, 1.0, False
    return float(of_bags[:, 0].mean()), float(of_bags[:, 1].mean()), True
