"""What is done before it is asked for: the first plots at once, then the back offices."""

import contextlib
import ctypes
import gc
from collections.abc import Callable
from typing import Any


def prepare_first(state: Any) -> None:
    """Draw the first plots once, so that nothing is new when the page asks."""
    from soloc.lab.views.landscape import LandscapeAsk, landscape_panel

    state.desk.office.hire()
    state.desk.office.submit(_compile_descent)
    landscape_panel(LandscapeAsk())


def prepare_next() -> None:
    """Start JAX in this process, which draws the sequence beside the landscape."""
    from soloc.lab.views.sequence import SequenceAsk, sequence_panel

    sequence_panel(SequenceAsk())


def prepare_offices(state: Any, say: Callable[[str], None]) -> None:
    """Open the back offices of the application with that state."""
    from soloc.lab.server.assets import PLOTLY, asset

    say(
        "preparing in the background: processes for critical points, training and other long"
        " computations ..."
    )
    asset(PLOTLY)
    state.desk.office.open(_compile_answers)
    state.jobs.office.hire()
    _give_back_memory()
    say("all prepared.")


def _compile_descent() -> None:
    from soloc.lab.training import QuickPathsAsk
    from soloc.lab.views.curves import path_of

    path_of(QuickPathsAsk())


def _compile_answers() -> None:
    from soloc.lab.training import QuickPathsAsk
    from soloc.lab.views.attentions import AttentionsAsk, attentions_panel
    from soloc.lab.views.critical import CriticalAsk, critical_panel
    from soloc.lab.views.curves import curves_panel
    from soloc.text.extras import missing

    curves_panel(QuickPathsAsk())
    critical_panel(CriticalAsk())
    attentions_panel(AttentionsAsk())
    if not missing("text"):  # the next sentence is answered at once
        from soloc.text.pipelines import fit_rated_sentences

        fit_rated_sentences()
    _give_back_memory()


def _give_back_memory() -> None:
    """What preparing needed and nothing uses any more, to the system, where it takes it."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
