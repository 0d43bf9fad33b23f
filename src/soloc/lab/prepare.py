"""What is compiled before it is asked for: the first plots at once, the slower programs behind them."""

from collections.abc import Callable

from soloc.lab.background import BAYES, BAYES_IS_SOFTMAX
from soloc.lab.training import QuickPathsAsk
from soloc.lab.views.critical import CriticalAsk, critical_panel
from soloc.lab.views.curves import curves_panel
from soloc.lab.views.landscape import SOFTMAX_MAP, LandscapeAsk, landscape_panel


def prepare_first() -> None:
    """Compile what the first plot needs."""
    landscape_panel(LandscapeAsk())


def prepare_rest(say: Callable[[str], None]) -> None:
    """Compile, one after the other, what a user may ask for next."""
    curves_panel(QuickPathsAsk())
    critical_panel(CriticalAsk())
    for program in (BAYES, SOFTMAX_MAP, BAYES_IS_SOFTMAX):
        say(f"preparing in the background: {program.name} ...")
        program.prepare().result()
    say("all prepared.")
