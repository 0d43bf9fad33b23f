"""What is compiled before it is asked for: the first plots at once, the slower programs behind them."""

from collections.abc import Callable

from soloc.lab.views.landscape import LandscapeAsk, landscape_panel


def prepare_first() -> None:
    """Compile what the first plots need."""
    landscape_panel(LandscapeAsk())


def prepare_rest(say: Callable[[str], None]) -> None:
    """Compile, one after the other, what a user may ask for next."""
    say("preparing the other weights in the background ...")
    say("all prepared.")
