"""Where a long run is, and how it is told."""

import sys
from typing import NamedTuple


class StepsDone(NamedTuple):
    """Where a long run is."""

    step: int
    steps: int
    seconds: float  #: spent so far
    seconds_left: float  #: at the pace so far


def print_progress(now: StepsDone) -> None:
    """One line on standard error that is written over until the end."""
    share = now.step / now.steps
    end = "\n" if now.step == now.steps else ""
    text = (
        f"\rstep {now.step:,} of {now.steps:,} ({share:.0%}), {now.seconds:.0f} s, about"
        f" {now.seconds_left:.0f} s left "
    )
    print(text, end=end, file=sys.stderr, flush=True)
