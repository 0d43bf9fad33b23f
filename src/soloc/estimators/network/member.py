"""Members side by side: Adam on batches, averaged weights, stopped by bags that each leaves out."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from soloc.estimators.instances import BLOCK
from soloc.estimators.network.batches import Batch, Stock
from soloc.estimators.network.layer import Shape, Weights, backward, forward
from soloc.estimators.network.losses import FIRST_NOISE, Loss
from soloc.estimators.network.straight import halves, unmixed

RATE, WARM, FIRST, SECOND = 1e-2, 20, 0.9, 0.99  # Adam
SMALLEST_BATCH, LARGEST_BATCH, STEPS = 32, 256, 128  # bags of a batch; steps of an epoch
PATIENCE, MOST_EPOCHS = 4, 80  # epochs without a gain before a member stops
PLATEAU, LONG_PATIENCE = 0.9, 20  # share of the first error; above it a key may still be found
LOST = 1.1  # share of the first error; beyond it a member learns by heart, and finds no key
FEWEST_STEPS = 8  # of an epoch: few bags are passed over several times between two looks
LONGEST_EPOCH = 16384  # bags between two looks at what is left out
MOST_JUDGES = 4096  # bags left out that are looked at
ROWS_AT_ONCE = 4 * BLOCK  # instances whose places in batches, or values, are found together
AVERAGED = 0.99


class Member(NamedTuple):
    """A fitted network and its way there."""

    weights: Weights  #: of this one member
    noise: float  #: variance of labels about their instance, in standard units
    trace: list[float]  #: error of the judges before the first and after each epoch, and of halves
    judges: np.ndarray  #: bags left out that decided when to stop
    judged: list[np.ndarray]  #: their predictions, at each entry of the trace
    halves: int = 0  #: so many of the last entries are of linear values, and no epochs

    def turned(self, matrix: np.ndarray) -> "Member":
        """The member for instances that were not multiplied by the matrix before."""
        layer = np.vstack([matrix @ self.weights.hidden[0], self.weights.bias])
        return self._replace(weights=self.weights._replace(layer=layer[None]))

    @property
    def best(self) -> int:
        """The entry of the trace whose weights were kept."""
        return int(np.argmin(self.trace))

    @property
    def epochs(self) -> list[float]:
        """The trace without halves."""
        return self.trace[: len(self.trace) - self.halves]


class Plan(NamedTuple):
    """What all members share."""

    loss: type[Loss]
    shape: Shape
    max_epochs: int = MOST_EPOCHS


class Task(NamedTuple):
    """One member to be: the bags it sees and leaves out, its decay and its seed."""

    seen: np.ndarray
    left_out: np.ndarray
    decay: float
    seed: int


def initial(shape: Shape, rng: np.random.Generator) -> np.ndarray:
    """W and U random, V small, key and context zero: training begins at mean pooling."""
    flat = np.zeros((1, shape.size), dtype=np.float32)
    weights = shape.views(flat)
    weights.hidden[:] = rng.standard_normal(weights.hidden.shape) * np.sqrt(2 / shape.width)
    weights.key_hidden[:] = rng.standard_normal(weights.key_hidden.shape) / np.sqrt(shape.units)
    weights.value[:] = 0.3 * rng.standard_normal(weights.value.shape) / np.sqrt(shape.units)
    return flat[0]


class Learner:
    """A member on its way: what it has seen of its bags, and what its judges said."""

    def __init__(self, stock: Stock, plan: Plan, task: Task) -> None:
        self.stock, self.plan, self.task = stock, plan, task
        self.rng = np.random.default_rng(task.seed)
        self.flat = initial(plan.shape, self.rng)
        self.judges = task.left_out[:MOST_JUDGES]
        self.order, self.at, self.since = self.rng.permutation(task.seen), 0, 0
        self.trace: list[float] = []
        self.judged: list[np.ndarray] = []

    def batch(self, size: int) -> np.ndarray:
        """The next bags; no few of them are left for the end of a pass."""
        if self.at >= len(self.order):
            self.order, self.at = self.rng.permutation(self.task.seen), 0
        chosen = self.order[self.at : self.at + size]
        if len(self.order) - self.at - len(chosen) < size // 2:
            chosen = self.order[self.at :]
        self.at += len(chosen)
        return chosen

    def judge(self, flat: np.ndarray, noise: float, said: np.ndarray) -> None:
        """Take down what these weights say of the bags left out, and keep the best ones."""
        self.judged.append(said)
        self.trace.append(error(self.plan, self.stock, self.judges, said))
        self.since += 1
        if int(np.argmin(self.trace)) == len(self.trace) - 1:
            self.kept, self.noise, self.since = flat.copy(), float(noise), 0

    @property
    def done(self) -> bool:
        """Whether the error of the judges has not fallen for too long."""
        first, last = self.trace[0], self.trace[-1]
        on_plateau = min(self.trace) >= PLATEAU * first and last <= LOST * first
        return self.since >= (LONG_PATIENCE if on_plateau else PATIENCE)

    def member(self) -> Member:
        """The member as it was at its best, or with half a linear value where that is better."""
        weights, trace, judged = self.plan.shape.views(self.kept[None]), self.trace, self.judged
        if not self.plan.loss.averaged:
            return Member(weights, self.noise, trace, self.judges, judged)
        best, said = unmixed(weights), judged[int(np.argmin(trace))]
        trace, judged = [*trace], [*judged]
        for half in halves(weights, self.stock, self.task.seen, self.judges, said):
            found = error(self.plan, self.stock, self.judges, half.judged)
            if found < min(trace):
                best = half.weights
            trace.append(found)
            judged.append(half.judged)
        count = len(trace) - len(self.trace)
        return Member(best, self.noise, trace, self.judges, judged, count)


def fit_members(
    stock: Stock,
    tasks: list[Task],
    plan: Plan,
    fewest: int,
    watch: Callable[[list[float]], Any] | None = None,
) -> list[Member]:
    """Fit members side by side, each until the error of the bags it leaves out stops falling.

    The `fewest` bags that any member of the ensemble sees decide how long an epoch is.
    """
    learners = [Learner(stock, plan, task) for task in tasks]
    size = int(np.clip(fewest // STEPS, SMALLEST_BATCH, LARGEST_BATCH))
    steps = round(min(max(fewest, FEWEST_STEPS * size), LONGEST_EPOCH) / size)
    walk = Walk(plan, np.stack([each.flat for each in learners]))
    active, panel = learners, Panel(stock, learners)
    panel.judge(walk)
    for _ in range(plan.max_epochs):
        decay = np.array([each.task.decay for each in active], dtype=np.float32)
        for batch in batches(stock, active, size, steps):
            walk.step(batch, decay)
        panel.judge(walk)
        if watch is not None:
            for each in active:
                watch(each.trace)
        going = np.array([not each.done for each in active])
        if not going.all():
            active = [each for each in active if not each.done]
            if not active:
                break
            walk, panel = walk.part(going), Panel(stock, active)
    return [each.member() for each in learners]


def batches(stock: Stock, learners: list[Learner], size: int, steps: int) -> Iterator[Batch]:
    """The batches of an epoch; the places of several steps are found together."""
    rows = float(stock.lengths.mean()) * size * len(learners)
    together = int(np.clip(ROWS_AT_ONCE / rows, 1, steps))
    for first in range(0, steps, together):
        count = min(together, steps - first)
        yield from stock.batches([[each.batch(size) for each in learners] for _ in range(count)])


class Walk:
    """Members side by side on their way: parameters, what Adam remembers, and averages."""

    def __init__(self, plan: Plan, flat: np.ndarray) -> None:
        self.plan, self.steps = plan, 0
        self.decaying = plan.shape.width * plan.shape.units  # the hidden layer comes first
        self.flat, self.average = flat, flat.copy()
        self.first, self.second = np.zeros_like(flat), np.zeros_like(flat)
        self.noise = np.full(len(flat), FIRST_NOISE)
        self._look()

    def _look(self) -> None:
        """Views of the parameters, once for many steps."""
        self.change = np.empty_like(self.flat)
        views = self.plan.shape.views
        self.weights, self.gradient = views(self.flat), views(self.change)

    def part(self, going: np.ndarray) -> "Walk":
        """The members that go on."""
        found = Walk(self.plan, self.flat[going])
        for name in ("average", "first", "second", "noise"):
            setattr(found, name, getattr(self, name)[going])
        found.steps = self.steps
        return found

    def step(self, batch: Batch, decay: np.ndarray) -> None:
        """One step of Adam with decay of the hidden layer.

        Its moments are sums of gradients with fading weights, not means: fewer passes.
        """
        self.steps += 1
        change, weights = self.change, self.weights
        said = forward(weights, batch)
        slope = self.plan.loss.slope(said, batch, self.noise)
        backward(weights, self.gradient, batch, said, slope.ds, slope.df)
        self.noise = slope.noise
        self.first *= np.float32(FIRST)
        self.first += change
        change *= change
        self.second *= np.float32(SECOND)
        self.second += change
        rate = RATE * min(1.0, self.steps / WARM)
        scale = np.sqrt((1 - SECOND) / (1 - SECOND**self.steps))
        np.sqrt(self.second, out=change)
        change += np.float32(1e-8 / scale)
        np.divide(self.first, change, out=change)
        change *= np.float32(rate * (1 - FIRST) / (1 - FIRST**self.steps) / scale)
        self.flat[:, : self.decaying] *= (1 - rate * decay)[:, None]
        self.flat -= change
        np.subtract(self.flat, self.average, out=change)
        change *= np.float32(1 - min(AVERAGED, 1 - 1 / self.steps))
        self.average += change


class Panel:
    """The bags that learners leave out, looked at together where they are few."""

    def __init__(self, stock: Stock, learners: list[Learner]) -> None:
        self.stock, self.learners = stock, learners
        self.batch: Batch | None = None
        judges = [each.judges for each in learners]
        if stock.lengths[np.concatenate(judges)].sum() <= ROWS_AT_ONCE:
            self.batch = stock.batch(*judges)

    def judge(self, walk: Walk) -> None:
        """Have every learner take down what its averaged weights say."""
        plan, averages = walk.plan, walk.average
        if self.batch is not None:
            said = plan.loss.predict(forward(plan.shape.views(averages), self.batch), self.batch)
            found = np.split(said, np.cumsum(self.batch.counts)[:-1])
        else:
            found = [
                predicted(plan.loss, plan.shape.views(flat[None]), self.stock, each.judges)
                for flat, each in zip(averages, self.learners, strict=True)
            ]
        for each, flat, noise, said in zip(self.learners, averages, walk.noise, found, strict=True):
            each.judge(flat, noise, said)


def predicted(loss: type[Loss], weights: Weights, stock: Stock, bags: np.ndarray) -> np.ndarray:
    """What a network predicts for some bags, (n, outputs)."""
    found = []
    for piece in stock.pieces(bags):
        batch = stock.batch(piece)
        found.append(loss.predict(forward(weights, batch), batch))
    return np.concatenate(found)


def error(plan: Plan, stock: Stock, bags: np.ndarray, predictions: np.ndarray) -> float:
    """Weighted mean error of predictions of some bags."""
    errors, weights = plan.loss.errors(stock.y[bags], predictions), stock.weights[bags]
    return float(weights @ errors / weights.sum())
