"""When is it hard? Without much noise two phases coexist, and AMP stays in the worse one."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from soloc.experiments.certificates import Certificate, at_most
from soloc.experiments.experiment import Experiment
from soloc.experiments.learning.trials import draw
from soloc.learning.bayes import UNINFORMED, bayes_curve
from soloc.learning.message_passing import amp
from soloc.learning.regime import regime_of
from soloc.learning.state_evolution import FixedPoint, free_entropy, informed, uninformed
from soloc.tasks.single_location import SingleLocation

AMP = "AMP"
EXISTS, WINS, REACHED = "informed branch exists", "informed branch wins", "AMP reaches it"
_UP = 0.98  # q_v above which a fixed point is the informed one, at these noises


@dataclass(frozen=True)
class Config:
    """Nearly no noise; AMP on `sets` data sets at the ratios `tried`, for the lengths `watched`."""

    lengths: tuple[int, ...] = (2, 3, 8)
    lowest: float = 0.9
    highest: float = 4.0
    precision: float = 4e-3
    count: int = 25
    signal: float = 1.0
    eps: float = 0.01
    watched: tuple[int, ...] = (3,)
    tried: tuple[float, ...] = (1.0, 1.2, 2.0, 2.5)
    d: int = 300
    sets: int = 5
    seed: int = 2


def run(config: Config) -> pd.DataFrame:
    """Rows `branch` (fixed points of both starts), `jump` (where they change), `dots` (AMP)."""
    return pd.concat([_length(config, L) for L in config.lengths], ignore_index=True)


def _length(config: Config, L: int) -> pd.DataFrame:
    task = SingleLocation(d=config.d, L=L, gamma=1.0, eps=config.eps, signal=config.signal)
    jumps = _jumps(config, task)
    tried = config.tried if L in config.watched else ()
    last = max(1.0 + 1.25 * (jumps[REACHED] - 1.0), *tried, 0.0)
    ratios = np.linspace(config.lowest, last, config.count)
    rows = [bayes_curve(task, ratios).assign(part="branch")]
    rows += [
        pd.DataFrame([{"part": "jump", "start": event, "samples_per_dimension": ratio}])
        for event, ratio in jumps.items()
    ]
    for ratio in tried:
        overlaps = []
        for number in range(config.sets):
            data = draw(task, ratio, config.seed, L, number)
            found = amp(data.tokens, data.answers, config.signal, config.eps)
            overlaps.append(found.value @ data.value)
        theory = bayes_curve(task, ratio).iloc[0].q_v
        dot = {"q_v": np.mean(overlaps), "error": np.std(overlaps, ddof=1) / np.sqrt(config.sets)}
        rows.append(
            pd.DataFrame(
                [{"part": "dots", "start": AMP, "samples_per_dimension": ratio, "theory": theory}]
            ).assign(**dot)
        )
    return pd.concat(rows, ignore_index=True).assign(L=L)


def _jumps(config: Config, task: SingleLocation) -> dict[str, float]:
    """The ratios of the three events, by bisection."""
    regime = regime_of(task)
    lower: list[FixedPoint] = []  # what is known already is where the next one starts
    upper: list[FixedPoint] = []

    def from_nothing(ratio: float) -> FixedPoint:
        known = [point for point in lower if point.ratio <= ratio]
        lower.append(uninformed(regime, ratio, max(known, key=_ratio, default=None)))
        return lower[-1]

    def from_truth(ratio: float) -> FixedPoint:
        known = [point for point in upper if point.ratio >= ratio]
        upper.append(informed(regime, ratio, min(known, key=_ratio, default=None)))
        return upper[-1]

    def wins(ratio: float) -> bool:
        high, low = from_truth(ratio), from_nothing(ratio)
        return _up(high) and (_up(low) or free_entropy(regime, high) > free_entropy(regime, low))

    def first(event: Callable[[float], bool], low: float, high: float) -> float:
        while high - low > config.precision:
            middle = 0.5 * (low + high)
            low, high = (low, middle) if event(middle) else (middle, high)
        return 0.5 * (low + high)

    reached = first(lambda ratio: _up(from_nothing(ratio)), config.lowest, config.highest)
    exists = first(lambda ratio: _up(from_truth(ratio)), config.lowest, reached)
    return {EXISTS: exists, WINS: first(wins, exists, reached), REACHED: reached}


def _up(point: FixedPoint) -> bool:
    return bool(point.q[1] > _UP)


def _ratio(point: FixedPoint) -> float:
    return point.ratio


def jump(table: pd.DataFrame, L: int, event: str) -> float:
    """Where an event happens."""
    rows = table[(table.part == "jump") & (table.L == L) & (table.start == event)]
    return float(rows.samples_per_dimension.iloc[0])


def findings(table: pd.DataFrame) -> str:
    """What the table shows."""
    parts = [
        f"L = {L}: possible from n/d = {jump(table, L, WINS):.2f}, reached from"
        f" {jump(table, L, REACHED):.2f}"
        for L in sorted(set(table.L))
    ]
    return (
        "With nearly no noise v* can be learned almost exactly before AMP can do it"
        f" ({'; '.join(parts)}). The gap grows with the length: between the two numbers the data"
        " suffice, and no fast algorithm is known to use them."
    )


def certificates(table: pd.DataFrame) -> list[Certificate]:
    """There is a hard phase at every length, it widens, and AMP lives in the lower branch."""
    lengths = sorted(set(table.L))
    widths = {L: jump(table, L, REACHED) - jump(table, L, WINS) for L in lengths}
    order = [0.0, *(widths[L] for L in lengths)]
    out = [
        Certificate(
            "The hard phase widens with the length",
            "width in n/d between 'informed branch wins' and 'AMP reaches it', by length",
            "positive and increasing",
            ", ".join(f"L = {L}: {widths[L]:.3f}" for L in lengths),
            bool(np.all(np.diff(order) > 0.0)),
        )
    ]
    dots = table[table.part == "dots"]
    if len(dots):
        far = (dots.q_v - dots.theory).abs() / (4.0 * dots.error + 0.03)
        out.append(
            at_most(
                f"AMP from nothing ends on the {UNINFORMED} branch",
                "largest |v^.v* - q_v| over (4 errors + .03), away from the jump",
                float(far.max()),
                1.0,
            )
        )
    return out


EXPERIMENT = Experiment(
    name="hardness",
    question="When is it hard?",
    config=Config(),
    quick=Config(lengths=(3,), precision=0.02, count=9, tried=(1.0, 2.0), d=150, sets=3),
    run=run,
    findings=findings,
    certificates=certificates,
    axes=("lengths",),
    seconds=5.0,
)
