"""Two losses, half and half: of the pooled prediction, and of a latent decisive instance.

The first alone points badly, the second alone predicts badly. Each loss gives its mean over bags
and its derivatives by the score and the value of every instance.
"""

from typing import ClassVar, NamedTuple, Protocol

import numpy as np
from scipy.special import log_softmax, softmax

from soloc.estimators.network.batches import Batch
from soloc.estimators.network.layer import Said

LATENT = 0.5  # share of the likelihood in the loss
FIRST_NOISE, LEAST_NOISE, FOLLOW = 0.7, 0.05, 0.02  # variance of a label about its instance


class Slope(NamedTuple):
    """Mean loss of each member, its derivatives, and the noise that goes with the next batch.

    A bag of weight two counts exactly like the same bag twice.
    """

    loss: np.ndarray  #: (members,)
    ds: np.ndarray  #: (R,)
    df: np.ndarray  #: (R, outputs)
    noise: np.ndarray  #: variance, (members,)


class Loss(Protocol):
    """What a member is fitted by."""

    averaged: ClassVar[bool]  #: whether an ensemble says the mean of what its members say

    @staticmethod
    def slope(said: Said, batch: Batch, noise: np.ndarray) -> Slope:
        """Loss and derivatives."""

    @staticmethod
    def predict(said: Said, batch: Batch) -> np.ndarray:
        """Prediction of each bag, shaped like the labels."""

    @staticmethod
    def errors(y: np.ndarray, predicted: np.ndarray) -> np.ndarray:
        """Error of each bag."""


class Numbers:
    """(1 - a) |e|^2 / 2 + a s2 NLL, with e the error of the pooled prediction."""

    averaged: ClassVar[bool] = True

    @staticmethod
    def slope(said: Said, batch: Batch, noise: np.ndarray) -> Slope:
        """Loss and derivatives; s2 follows the squared error of the responsible instance."""
        p, share = said.attention, shares(batch)
        of_bags = batch.to_bags(noise.astype(p.dtype))
        s2 = batch.spread(of_bags)
        away = said.values + batch.spread(said.offset - batch.y)  # f - y
        e = batch.total(p[:, None] * away)
        squares = (away * away).sum(axis=1)
        joint = np.log(np.maximum(p, 1e-30)) - squares / (2 * s2)
        r, evidence = batch.posterior(joint)
        e_each, counted = batch.spread(e), batch.spread(share)
        ds = (1 - LATENT) * p * ((away - e_each) * e_each).sum(axis=1) + LATENT * s2 * (p - r)
        df = (1 - LATENT) * p[:, None] * e_each + LATENT * r[:, None] * away
        ds *= counted
        df *= counted[:, None]
        loss = (1 - LATENT) * 0.5 * (e * e).sum(axis=1) - LATENT * of_bags * evidence
        seen = batch.of_members(share * batch.total(r * squares)) / batch.y.shape[1]
        now = np.maximum((1 - FOLLOW) * noise + FOLLOW * seen, LEAST_NOISE)
        return Slope(batch.of_members(share * loss), ds, df, now)

    @staticmethod
    def predict(said: Said, batch: Batch) -> np.ndarray:
        """sum_l p_l f_l."""
        return batch.total(said.attention[:, None] * said.values) + said.offset

    @staticmethod
    def errors(y: np.ndarray, predicted: np.ndarray) -> np.ndarray:
        """Squared errors, averaged over the outputs."""
        return ((y - predicted) ** 2).mean(axis=1)


class Classes:
    """(1 - a) cross-entropy of the pooled logits + a NLL of the class the instance draws."""

    averaged: ClassVar[bool] = False  # logits are averaged, not probabilities

    @staticmethod
    def slope(said: Said, batch: Batch, noise: np.ndarray) -> Slope:
        """Loss and derivatives; there is no noise."""
        p, y, share = said.attention, batch.y, shares(batch)
        f = said.values + batch.spread(said.offset)
        pooled = batch.total(p[:, None] * f)
        log_q = log_softmax(pooled, axis=1)
        e_each = batch.spread(np.exp(log_q) - y)
        log_each = log_softmax(f, axis=1)
        y_each = batch.spread(y)
        own = (log_each * y_each).sum(axis=1)
        joint = np.log(np.maximum(p, 1e-30)) + own
        r, evidence = batch.posterior(joint)
        ds = (1 - LATENT) * p * ((f - batch.spread(pooled)) * e_each).sum(axis=1)
        ds += LATENT * (p - r)
        df = (1 - LATENT) * p[:, None] * e_each
        df += LATENT * r[:, None] * (np.exp(log_each) - y_each)
        counted = batch.spread(share)
        ds *= counted
        df *= counted[:, None]
        loss = -LATENT * evidence - (1 - LATENT) * (log_q * y).sum(axis=1)
        return Slope(batch.of_members(share * loss), ds, df, noise)

    @staticmethod
    def predict(said: Said, batch: Batch) -> np.ndarray:
        """Probabilities of the pooled logits."""
        pooled = batch.total(said.attention[:, None] * said.values) + said.offset
        return softmax(pooled, axis=1)

    @staticmethod
    def errors(y: np.ndarray, predicted: np.ndarray) -> np.ndarray:
        """Negative log-likelihoods."""
        return -np.log(np.maximum((predicted * y).sum(axis=1), 1e-6))


def shares(batch: Batch) -> np.ndarray:
    """The share of each bag in the mean over the bags of its member, (n,)."""
    return batch.weights / batch.to_bags(batch.of_members(batch.weights))
