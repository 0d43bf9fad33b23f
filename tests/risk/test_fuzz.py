"""Every exact risk at the ends of what can be asked: finite, or refused with a true sentence.

Points are drawn on logarithmic scales, with their ends and other special values among them.
"""

import math
import re
import time
from typing import Any, NamedTuple

import numpy as np
import pytest

from soloc import Overlaps, SingleLocation, excess_risk, log_bayes_excess, log_excess_risk
from soloc.predictors.catalogue import WEIGHTS
from soloc.predictors.pointwise import Exponential

EXACT = [entry for entry in WEIGHTS.values() if entry.exact]
_LOG_LARGEST = math.log(np.finfo(float).max)


class Point(NamedTuple):
    """Numbers of one question."""

    d: float
    L: float
    gamma: float
    eps: float
    signal: float
    lam: float
    o: tuple[float, float, float, float, float]

    def task(self) -> SingleLocation:
        return SingleLocation(self.d, self.L, self.gamma, self.eps, signal=self.signal)


def _number(rng: np.random.Generator, low: float, high: float, special: tuple[float, ...]) -> float:
    if rng.random() < 0.25:
        return float(rng.choice([low, high, *special]))
    return float(10 ** rng.uniform(math.log10(low), math.log10(high)))


def _overlaps(rng: np.random.Generator) -> tuple[float, ...]:
    """Of unit vectors k and v in the span of (k*, v*) and two more directions; often at an edge."""
    shape = rng.integers(7)
    if shape == 0:
        return (1.0, 1.0, 0.0, 0.0, 0.0)
    if shape == 1:
        return (
            float(rng.choice([-1.0, 1.0, 0.0])),
            float(rng.choice([-1.0, 0.0, 1.0])),
            0.0,
            0.0,
            0.0,
        )
    if shape == 2:  # v = v*, k anywhere
        angle = rng.uniform(0.0, 2.0 * math.pi)
        return (math.cos(angle), 1.0, 0.0, math.sin(angle), math.sin(angle))
    scale = 10 ** rng.uniform(-9, 0) if shape < 5 else 1.0  # how far from the truth
    noise = scale * rng.standard_normal((2, 4)) * (np.array([1, 1, 0, 0]) if shape % 2 else 1)
    k, v = noise + (np.eye(2, 4) if shape < 6 else 0.0)
    k, v = k / np.linalg.norm(k), v / np.linalg.norm(v)
    return tuple(float(np.clip(x, -1.0, 1.0)) for x in (k[0], v[1], v[0], k[1], k @ v))


def draw(seed: int, count: int) -> list[Point]:
    """Points of one run."""
    rng = np.random.default_rng(seed)
    points = []
    for _ in range(count):
        d = math.floor(_number(rng, 4.0, 1e12, (5.0, 10.0, 400.0)))
        signal = _number(rng, 1e-6, 1e6, (0.0, 1.0, math.sqrt(0.5 * d)))
        points.append(
            Point(
                float(d),
                float(math.floor(_number(rng, 1.0, 1e12, (2.0, 3.0, 10.0)))),
                _number(rng, 1e-6, 1e6, (1.0, math.sqrt(0.5), 1.0 + 1e-9)),
                _number(rng, 1e-6, 1e3, (0.0,)),
                min(signal, 1e6),
                float(rng.choice([-1.0, 1.0, 1.0, 1.0])) * _number(rng, 1e-6, 1e6, (1.0, 0.0)),
                _overlaps(rng),
            )
        )
    return points


def exponential_exceeds(point: Point) -> bool:
    """Whether even a part of the risk of exp(lam a) is beyond the largest double: its weights are
    log-normal, and the variance of v . x given the scores is at least that outside (k*, v*, k).
    """
    kappa, _, theta, _, rho = point.o
    left = max(1.0 - rho**2, 0.0)
    background = math.log(max(point.L - 1.0, 1e-300) * max(left, 1e-300)) + 2.0 * point.lam**2
    s = point.lam * point.gamma
    mean = 2.0 * point.lam * point.signal * kappa + 2.0 * s * s
    square = (point.signal * theta + 2.0 * s * point.gamma * rho) ** 2 + point.gamma**2 * left
    own = mean + math.log(max(square, 1e-300))
    return max(background, own) > _LOG_LARGEST - 3.0


def check(entry: Any, point: Point, bayes: float) -> tuple[str | None, float, float]:
    """What is wrong with the answers for one weight at one point, if anything; the logarithm of
    the excess, and the seconds of the slower call.
    """
    weight, o, task = entry.kind(point.lam), Overlaps(*point.o), point.task()
    start = time.perf_counter()
    try:
        log = float(log_excess_risk(task, weight, o))
    except ValueError as refusal:
        return f"the logarithm is refused: {refusal}", math.nan, 0.0
    slowest = time.perf_counter() - start
    try:
        value = float(excess_risk(task, weight, o))
    except ValueError as refusal:
        value = math.inf
        if not re.search("exceeds the largest double", str(refusal)):
            return f"refused: {refusal}", log, slowest
        if not (log > _LOG_LARGEST and entry.kind is Exponential and exponential_exceeds(point)):
            return f"refused falsely, the log excess is {log}", log, slowest
    slowest = max(slowest, time.perf_counter() - start - slowest)
    if math.isnan(log) or math.isnan(value) or value < 0.0:
        return f"log excess {log}, excess {value}", log, slowest
    if log < bayes - 1e-9 * max(1.0, abs(bayes)):
        return f"log excess {log} below that of Bayes, {bayes}", log, slowest
    with np.errstate(divide="ignore"):
        if value < math.inf and not abs(np.exp(log) - value) <= 1e-9 * value + 1e-300:
            return f"log excess {log} of excess {value}", log, slowest
    return None, log, slowest


def run(seed: int, count: int) -> tuple[list[str], str]:
    """Everything that is wrong at `count` points, and the slowest call."""
    wrong, slowest = [], (0.0, "")
    per_weight = max(1, count // (len(EXACT) + 1))
    points = draw(seed, per_weight)
    columns = [np.array(column) for column in zip(*(point[:6] for point in points), strict=True)]
    d, L, gamma, eps, signal, lam = columns
    tasks = SingleLocation(d, L, gamma, eps, signal=signal)
    start = time.perf_counter()
    bayes = np.asarray(log_bayes_excess(tasks))
    each = (time.perf_counter() - start) / len(points)
    for point, batch in zip(points, bayes.tolist(), strict=True):
        alone = float(log_bayes_excess(point.task()))
        finite = math.isfinite(alone) or (point.L == 1 and alone == -math.inf)
        same = alone == batch or abs(alone - batch) <= 1e-13 * max(1.0, abs(alone))
        if not (finite and same and alone <= 2.0 * math.log(point.gamma) + 1e-12):
            wrong.append(f"Bayes {alone} alone, {batch} in a batch at {point}")
    o = np.array([point.o for point in points]).T
    for entry in EXACT:
        check(entry, points[0], -math.inf)  # which compiles what is compiled
        logs = []
        for point, floor in zip(points, bayes.tolist(), strict=True):
            problem, log, seconds = check(entry, point, floor)
            logs.append(log)
            if problem is not None:
                wrong.append(f"{entry.name}: {problem} at {point}")
            if seconds > slowest[0]:
                slowest = (seconds, f"{entry.name} at {point}")
        some = np.flatnonzero(np.array(logs) < math.inf)[:40]
        batch = np.asarray(
            log_excess_risk(
                SingleLocation(d[some], L[some], gamma[some], eps[some], signal=signal[some]),
                entry.kind(lam[some]),
                Overlaps(*o[:, some]),
            )
        )
        for i, together in zip(some.tolist(), batch.tolist(), strict=True):
            if logs[i] != together and not abs(logs[i] - together) <= 1e-11 * max(
                1.0, abs(together)
            ):
                wrong.append(f"{entry.name}: {logs[i]} alone, {together} in a batch at {points[i]}")
    return (
        wrong,
        f"slowest call {slowest[0]:.3f} s: {slowest[1]}; Bayes in a batch {1e3 * each:.2f} ms each",
    )


@pytest.mark.parametrize("seed, count", [(0, 300), pytest.param(1, 10_000, marks=pytest.mark.slow)])
def test_every_risk_is_finite_or_refused_with_a_true_sentence(seed, count):
    wrong, slowest = run(seed, count)
    print(slowest)
    assert not wrong, f"{len(wrong)} of {count}:\n" + "\n".join(wrong[:20])
