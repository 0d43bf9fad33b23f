"""Long runs in compiled pieces: records, progress with the time left, Ctrl-C, and the step at which
something went wrong.
"""

import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from soloc.maths.numbers import check_count
from soloc.maths.steps_done import StepsDone, print_progress


class Piece(NamedTuple):
    """`n` steps from step `first`, observed every `stride` of them."""

    first: int
    n: int
    stride: int


class Record(NamedTuple):
    """Recorded steps, the states there stacked along the first axis, and the last state."""

    steps: np.ndarray
    states: Any
    last: Any
    interrupted: bool


class Diverged(ValueError):
    """The iteration left the numbers; `step` says when, `runs` which of those side by side did."""

    def __init__(self, sentence: str, step: int, runs: tuple[int, ...]) -> None:
        super().__init__(sentence)
        self.step, self.runs = step, runs

    def __reduce__(self) -> tuple[Any, ...]:
        """So that it can travel between processes, as other errors do."""
        return type(self), (str(self), self.step, self.runs)


def pieces(steps: int, every: int, capacity: int, slots: int) -> Iterator[Piece]:
    """Cut `steps` into pieces of at most `capacity` steps and `slots` observations; each record
    ends a stride.
    """
    first = 0
    while first < steps:
        ahead = min(capacity, steps - first)
        if first % every == 0 and ahead >= every:
            piece = Piece(first, min(ahead // every, slots) * every, every)
        else:
            n = min(ahead, every - first % every)
            piece = Piece(first, n, n)
        yield piece
        first += piece.n


def run_in_pieces(
    advance: Callable[[Any, Piece], tuple[Any, np.ndarray]],
    state: Any,
    start: np.ndarray,
    *,
    steps: int,
    every: int,
    capacity: int,
    slots: int,
    progress: bool | Callable[[StepsDone], None],
) -> Record:
    """Advance `state` through all steps and keep what was observed every `every` of them.

    `advance(state, piece)` returns the new state and the observations of the piece, (piece.n //
    piece.stride, ..., runs); `start` is the observation of the start. A non-finite observation
    stops the run with the step at which it first happened; Ctrl-C stops it and keeps what was
    observed.
    """
    report = print_progress if progress is True else progress
    began = time.monotonic()
    at, kept = [np.zeros(1, dtype=int)], [start[None]]
    interrupted = False
    try:
        for piece in pieces(steps, every, capacity, slots):
            after, seen = advance(state, piece)
            if not np.isfinite(seen).all():
                _locate(advance, state, piece, slots)
            state, reached = after, piece.first + piece.n
            moments = piece.first + piece.stride * np.arange(1, len(seen) + 1)
            wanted = (moments % every == 0) | (moments == steps)
            at.append(moments[wanted])
            kept.append(seen[wanted])
            if report:
                spent = time.monotonic() - began
                report(StepsDone(reached, steps, spent, spent / reached * (steps - reached)))
    except KeyboardInterrupt:
        interrupted = True
    return Record(np.concatenate(at), np.concatenate(kept), state, interrupted)


def _locate(
    advance: Callable[..., tuple[Any, np.ndarray]], state: Any, piece: Piece, slots: int
) -> None:
    """Repeat a piece step by step and say where it broke."""
    for first in range(piece.first, piece.first + piece.n, slots):
        n = min(slots, piece.first + piece.n - first)
        state, seen = advance(state, Piece(first, n, 1))
        broken = ~np.isfinite(seen).reshape(n, -1, seen.shape[-1]).all(axis=1)
        if broken.any():
            step = first + int(np.argmax(broken.any(axis=1))) + 1
            raise Diverged(
                f"the iteration diverged at step {step}: its numbers are no longer finite. Take a"
                " smaller `step_size`.",
                step,
                tuple(np.flatnonzero(broken.any(axis=0)).tolist()),
            )


def check_run(steps: int, every: int | None) -> int:
    """Refuse impossible lengths; the stride of the records, by default such that there are about a
    hundred.
    """
    check_count("steps", steps)
    if every is None:
        return max(1, steps // 100)
    check_count("every", every)
    return every
