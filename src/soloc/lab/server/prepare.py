"""What is done before it is asked for: the first plots at once, then the back offices."""

import contextlib
import ctypes
import gc
from collections.abc import Callable
from typing import Any

from soloc.runs.processes import start_server


def prepare_first() -> None:
    """Draw the first plot once, so that nothing is new when the page asks."""
    from soloc.lab.views.landscape import LandscapeAsk, landscape_panel

    landscape_panel(LandscapeAsk())


def prepare_next() -> None:
    """Compile what the other plots of the first tab need."""
    from soloc.lab.server.assets import PLOTLY, asset
    from soloc.lab.training import QuickPathsAsk
    from soloc.lab.views.curves import path_of

    path_of(QuickPathsAsk())
    asset(PLOTLY)


def prepare_offices(state: Any, say: Callable[[str], None]) -> None:
    """Open the back offices of the application with that state."""
    say(
        "preparing in the background: processes for critical points, training and other long"
        " computations ..."
    )
    # processes are forked from one that has imported it all
    start_server(("soloc.lab.views.registry", "soloc.lab.work.frozen"))
    state.desk.office.open(_compile_answers)
    state.jobs.office.open(_import_jobs)
    _give_back_memory()
    say("all prepared.")


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


def _import_jobs() -> None:
    import soloc.lab.views.latent  # noqa: F401
    from soloc.lab.views.attentions import AttentionsAsk, attentions_panel

    attentions_panel(AttentionsAsk())  # with a glyph of every weight
    _give_back_memory()
