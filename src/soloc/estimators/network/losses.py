"""Two losses, half and half: of the pooled prediction, and of a latent decisive instance.

The first alone points badly, the second alone predicts badly. Each loss gives its mean over bags
and its derivatives by the score and the value of every instance. A bag of weight two counts exactly
like the same bag twice.
"""

from typing import ClassVar, NamedTuple, Protocol

import numpy as np
from scipy.special import softmax

from soloc.estimators.network.batches import Batch
from soloc.estimators.network.layer import Said

HALF = np.float32(0.5)  # share of the likelihood in the loss, and of the pooled error
LEAST_PROBABILITY = 1e-6  # whose logarithm is taken
FIRST_NOISE, LEAST_NOISE, FOLLOW = 0.7, 0.05, 0.02  # variance of a label about its instance


class Slope(NamedTuple):
    """Derivatives of the mean loss of each member, and the noise that goes with the next batch."""

    ds: np.ndarray  #: (R,)
    df: np.ndarray  #: (outputs, R)
    noise: np.ndarray  #: variance, (members,)


class Loss(Protocol):
    """What a member is fitted by."""

    averaged: ClassVar[bool]  #: whether an ensemble says the mean of what its members say

    @staticmethod
    def value(said: Said, batch: Batch, noise: np.ndarray) -> np.ndarray:
        """Mean loss of each member."""

    @staticmethod
    def slope(said: Said, batch: Batch, noise: np.ndarray) -> Slope:
        """Its derivatives."""

    @staticmethod
    def predict(said: Said, batch: Batch) -> np.ndarray:
        """Prediction of each bag, (n, outputs)."""

    @staticmethod
    def errors(y: np.ndarray, predicted: np.ndarray) -> np.ndarray:
        """Error of each bag."""


class Numbers:
    """(|e|^2 / 2 + s2 NLL) / 2, with e the error of the pooled prediction."""

    averaged: ClassVar[bool] = True

    @staticmethod
    def value(said: Said, batch: Batch, noise: np.ndarray) -> np.ndarray:
        """Mean loss of each member."""
        away = said.values + batch.spread(said.offset - batch.y)
        e = batch.total(said.attention * away)
        own = -over_outputs(away * away) / (2 * batch.to_rows(noise))
        latent = batch.to_bags(noise) * evidence(said, batch, own)
        loss = HALF * (0.5 * over_outputs(e * e) - latent)
        return batch.over_bags(batch.share * loss)

    @staticmethod
    def slope(said: Said, batch: Batch, noise: np.ndarray) -> Slope:
        """Its derivatives; s2 follows the squared error of the responsible instance."""
        s2 = batch.to_rows(noise.astype(said.attention.dtype))
        away = said.values + batch.spread(said.offset - batch.y)  # f - y
        e = batch.spread(batch.total(said.attention * away))
        squares = over_outputs(away * away)
        r, _ = batch.softmax(batch.shifted(said.scores - squares / (2 * s2)))
        half = batch.spread(batch.share * HALF)
        p = said.attention * half
        r *= half
        squares *= r
        seen = batch.over_rows(squares) / (HALF * len(away))
        ds = over_outputs((away - e) * e)
        ds += s2
        ds *= p
        ds -= s2 * r
        now = np.maximum((1 - FOLLOW) * noise + FOLLOW * seen, LEAST_NOISE)
        return Slope(ds, p * e + r * away, now)

    @staticmethod
    def predict(said: Said, batch: Batch) -> np.ndarray:
        """sum_l p_l f_l."""
        return (batch.total(said.attention * said.values) + said.offset).T

    @staticmethod
    def errors(y: np.ndarray, predicted: np.ndarray) -> np.ndarray:
        """Squared errors, averaged over the outputs."""
        return ((y - predicted) ** 2).mean(axis=1)


class Classes:
    """Half the cross-entropy of the pooled logits, half the NLL of the class an instance draws."""

    averaged: ClassVar[bool] = False  # logits are averaged, not probabilities

    @staticmethod
    def value(said: Said, batch: Batch, noise: np.ndarray) -> np.ndarray:
        """Mean loss of each member."""
        f = said.values + batch.spread(said.offset)
        log_q = log_shares(batch.total(said.attention * f))
        own = over_outputs(log_shares(f) * batch.spread(batch.y))
        pooled = over_outputs(log_q * batch.y)
        loss = -HALF * (pooled + evidence(said, batch, own))
        return batch.over_bags(batch.share * loss)

    @staticmethod
    def slope(said: Said, batch: Batch, noise: np.ndarray) -> Slope:
        """Its derivatives; there is no noise."""
        y = batch.spread(batch.y)
        f = said.values + batch.spread(said.offset)
        pooled = batch.total(said.attention * f)
        e = batch.spread(np.exp(log_shares(pooled)) - batch.y)
        log_each = log_shares(f)
        r, _ = batch.softmax(batch.shifted(said.scores + over_outputs(log_each * y)))
        half = batch.spread(batch.share * HALF)
        p = said.attention * half
        r *= half
        f -= batch.spread(pooled)
        f *= e
        return Slope(p * (over_outputs(f) + 1) - r, p * e + r * (np.exp(log_each) - y), noise)

    @staticmethod
    def predict(said: Said, batch: Batch) -> np.ndarray:
        """Probabilities of the pooled logits."""
        pooled = batch.total(said.attention * said.values) + said.offset
        return softmax(pooled, axis=0).T

    @staticmethod
    def errors(y: np.ndarray, predicted: np.ndarray) -> np.ndarray:
        """Negative log-likelihoods."""
        return -log_of((predicted * y).sum(axis=1))


def log_of(probabilities: np.ndarray) -> np.ndarray:
    """Their logarithms, which are finite."""
    return np.log(np.maximum(probabilities, LEAST_PROBABILITY))


def evidence(said: Said, batch: Batch, own: np.ndarray) -> np.ndarray:
    """log sum_l p_l exp(own_l) of each bag, where `own` is what instances say of its label."""
    joint = said.scores + own
    top = np.maximum.reduceat(joint, batch.starts)
    return top + np.log(batch.softmax(joint - batch.spread(top))[1] / said.total)


def over_outputs(each: np.ndarray) -> np.ndarray:
    """Sum over the outputs, the first axis; of one output itself."""
    return each[0] if len(each) == 1 else each.sum(axis=0)


def log_shares(logits: np.ndarray) -> np.ndarray:
    """Logarithms of the softmax over classes, the first axis."""
    found = logits - logits.max(axis=0)
    found -= np.log(np.exp(found).sum(axis=0))
    return found
