"""What is compiled before it is asked for: the first plots at once, the slower programs behind them."""

import time
from collections.abc import Callable

_HEAD_START = 3.0  # seconds that belong to the browser and its first plots


def prepare_first() -> None:
    """Draw the first plot once, so that nothing is new when the page asks."""
    from soloc.lab.views.landscape import LandscapeAsk, landscape_panel

    landscape_panel(LandscapeAsk())


def prepare_next() -> None:
    """Compile what the other plots of the first tab need."""
    from soloc.lab.assets import PLOTLY, asset
    from soloc.lab.training import QuickPathsAsk
    from soloc.lab.views.curves import path_of

    path_of(QuickPathsAsk())
    asset(PLOTLY)


def prepare_rest(say: Callable[[str], None]) -> None:
    """Compile, one after the other, what a user may ask for next."""
    from soloc.lab.background import BAYES, BAYES_IS_SOFTMAX
    from soloc.lab.views.critical import CriticalAsk, critical_panel
    from soloc.lab.views.landscape import SOFTMAX_MAP

    time.sleep(_HEAD_START)
    critical_panel(CriticalAsk())
    for program in (BAYES, SOFTMAX_MAP, BAYES_IS_SOFTMAX):
        say(f"preparing in the background: {program.name} ...")
        program.prepare().result()
    say("all prepared.")
