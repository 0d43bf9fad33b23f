"""What is done before it is asked for: the first plots at once, then the back offices."""

import contextlib
import ctypes
import gc
import pickle
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
    state.desk.office.open(_compile_answers, _inherit)
    state.jobs.office.hire()
    _give_back_memory()
    say("all prepared.")


def _compile_descent() -> None:
    from soloc.lab.training import QuickPathsAsk
    from soloc.lab.views.curves import path_of

    path_of(QuickPathsAsk())


def _compile_answers() -> bytes | None:
    """Everything compiled once; the model of sentences, which takes seconds to fit, for others."""
    from soloc.lab.training import QuickPathsAsk
    from soloc.lab.views.attentions import AttentionsAsk, attentions_panel
    from soloc.lab.views.critical import CriticalAsk, critical_panel
    from soloc.lab.views.curves import curves_panel
    from soloc.lab.views.sentence import model_of_sentences
    from soloc.text.extras import missing

    curves_panel(QuickPathsAsk())
    critical_panel(CriticalAsk())
    attentions_panel(AttentionsAsk())
    model = None if missing("text") else pickle.dumps(model_of_sentences())
    _give_back_memory()
    return model


def _inherit(model: bytes | None) -> None:
    from soloc.lab.views.sentence import inherit_model

    if model is not None:
        inherit_model(pickle.loads(model))


def _give_back_memory() -> None:
    """What preparing needed and nothing uses any more, to the system, where it takes it."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
