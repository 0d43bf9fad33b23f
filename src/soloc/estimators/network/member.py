"""One member: Adam on batches, averaged weights, stopped by the bags it leaves out."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from soloc.estimators.network.batches import Stock
from soloc.estimators.network.layer import Shape, Weights, backward, forward
from soloc.estimators.network.losses import FIRST_NOISE, Loss

RATE, WARM, FIRST, SECOND = 1e-2, 20, 0.9, 0.99  # Adam
SMALLEST_BATCH, LARGEST_BATCH, STEPS = 32, 256, 128  # bags of a batch; steps of an epoch
PATIENCE, MOST_EPOCHS = 6, 80  # epochs without a gain before a member stops
PLATEAU, LONG_PATIENCE = 0.9, 20  # share of the first error; above it a key may still be found
FEWEST_STEPS = 16  # of an epoch: few bags are passed over several times between two looks
LONGEST_EPOCH = 16384  # bags between two looks at what is left out
MOST_JUDGES = 4096  # bags left out that are looked at
AVERAGED = 0.99


class Member(NamedTuple):
    """A fitted network and its way there."""

    weights: Weights
    noise: float  #: variance of labels about their instance, in standard units
    trace: list[float]  #: error of the judges before the first and after each epoch
    judges: np.ndarray  #: bags left out that decided when to stop
    judged: list[np.ndarray]  #: their predictions, at each entry of the trace

    def turned(self, matrix: np.ndarray) -> "Member":
        """The member for instances that were not multiplied by the matrix before."""
        weights = self.weights._replace(hidden=matrix @ self.weights.hidden)
        return self._replace(weights=weights)

    @property
    def best(self) -> int:
        """The epoch whose weights were kept."""
        return int(np.argmin(self.trace))


class Plan(NamedTuple):
    """What all members share."""

    loss: type[Loss]
    shape: Shape
    decay: float
    max_epochs: int = MOST_EPOCHS


def initial(shape: Shape, rng: np.random.Generator) -> np.ndarray:
    """W and U random, V small, key and context zero: training begins at mean pooling."""
    flat = np.zeros(shape.size, dtype=np.float32)
    weights = shape.views(flat)
    weights.hidden[:] = rng.standard_normal(weights.hidden.shape) * np.sqrt(2 / shape.width)
    weights.key_hidden[:] = rng.standard_normal(weights.key_hidden.shape) / np.sqrt(shape.units)
    weights.value[:] = 0.3 * rng.standard_normal(weights.value.shape) / np.sqrt(shape.units)
    return flat


def fit_member(
    stock: Stock,
    seen: np.ndarray,
    left_out: np.ndarray,
    plan: Plan,
    seed: int,
    watch: Callable[[list[float]], Any] | None = None,
) -> Member:
    """Fit to the bags `seen` until the error of those `left_out` stops falling."""
    rng = np.random.default_rng(seed)
    flat = initial(plan.shape, rng)
    weights = plan.shape.views(flat)
    gradient = np.zeros_like(flat)
    slopes = plan.shape.views(gradient)
    first, second, average = np.zeros_like(flat), np.zeros_like(flat), flat.copy()
    judges = left_out[:MOST_JUDGES]
    noise, best_noise, step, since = FIRST_NOISE, FIRST_NOISE, 0, 0
    said_of_judges = [predicted(plan, weights, stock, judges)]
    trace = [error(plan, stock, judges, said_of_judges[0])]
    best, kept = trace[0], average.copy()
    size = int(np.clip(len(seen) // STEPS, SMALLEST_BATCH, LARGEST_BATCH))
    length = min(max(len(seen), FEWEST_STEPS * size), LONGEST_EPOCH)
    order = rng.permutation(seen)
    at = 0
    for _ in range(plan.max_epochs):
        done = 0
        while done < length:
            if at >= len(order):
                order, at = rng.permutation(seen), 0
            chosen = order[at : at + size]
            if len(order) - at - len(chosen) < size // 2:
                chosen = order[at:]  # no batch of a few bags at the end
            at += len(chosen)
            done += len(chosen)
            step += 1
            batch = stock.batch(chosen)
            said = forward(weights, batch)
            slope = plan.loss.slope(said, batch, noise)
            noise = slope.noise
            backward(weights, slopes, batch, said, slope.ds, slope.df)
            first += np.float32(1 - FIRST) * (gradient - first)
            gradient *= gradient
            second += np.float32(1 - SECOND) * (gradient - second)
            rate = RATE * min(1.0, step / WARM)
            unbiased = rate * np.sqrt(1 - SECOND**step) / (1 - FIRST**step)
            np.sqrt(second, out=gradient)
            gradient += np.float32(1e-8)
            np.divide(first, gradient, out=gradient)
            gradient *= np.float32(unbiased)
            weights.hidden[:] *= np.float32(1 - rate * plan.decay)
            flat -= gradient
            average += np.float32(1 - min(AVERAGED, 1 - 1 / step)) * (flat - average)
        said_of_judges.append(predicted(plan, plan.shape.views(average), stock, judges))
        trace.append(error(plan, stock, judges, said_of_judges[-1]))
        since += 1
        if trace[-1] < best:
            best, best_noise, since = trace[-1], noise, 0
            kept[:] = average
        if watch is not None:
            watch(trace)
        if since >= (PATIENCE if best < PLATEAU * trace[0] else LONG_PATIENCE):
            break
    return Member(plan.shape.views(kept), best_noise, trace, judges, said_of_judges)


def predicted(plan: Plan, weights: Weights, stock: Stock, bags: np.ndarray) -> np.ndarray:
    """What a network predicts for some bags, (n, outputs)."""
    found = []
    for piece in stock.pieces(bags):
        batch = stock.batch(piece)
        found.append(plan.loss.predict(forward(weights, batch), batch))
    return np.concatenate(found)


def error(plan: Plan, stock: Stock, bags: np.ndarray, predictions: np.ndarray) -> float:
    """Mean error of predictions of some bags."""
    return float(plan.loss.errors(stock.y[bags], predictions).mean())
