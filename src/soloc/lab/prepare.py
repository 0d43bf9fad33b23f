"""What is done before it is asked for: the first plots at once, then the back office."""

from collections.abc import Callable

from soloc.lab.office import Office


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


def prepare_office(office: Office, say: Callable[[str], None]) -> None:
    """Open the back office, with everything compiled that its questions need."""
    say("preparing in the background: a process for critical points, training and other long computations ...")
    office.open(_compile_for_office)
    say("all prepared.")


def _compile_for_office() -> None:
    from soloc.lab.training import QuickPathsAsk
    from soloc.lab.views.attentions import AttentionsAsk, attentions_panel
    from soloc.lab.views.critical import CriticalAsk, critical_panel
    from soloc.lab.views.curves import curves_panel

    curves_panel(QuickPathsAsk())
    critical_panel(CriticalAsk())
    attentions_panel(AttentionsAsk())
