"""A view: what is asked, how it is answered, and where its panel stands on the page.

A view is one file with a body, a function from the body to a `Panel` and a `View`, registered by
one line; routes, schema, tabs, controls and the panel on the page follow from it. Only a view that
is more than controls and a plot brings a script, `page/views/<name>.js`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, get_type_hints

from fastapi import APIRouter

from soloc.lab.body import Body, Part, parts_of
from soloc.lab.panel import Panel
from soloc.lab.work.jobs import Job

#: Work of a job: gets the question and the job to report to, returns the last event.
Work = Callable[[Any, Job], dict[str, Any]]


class Tab(NamedTuple):
    """A tab of the page; views that name the same one share it."""

    name: str
    title: str


class Look(NamedTuple):
    """How a panel stands on the page."""

    height: str = "360px"
    narrow_height: str | None = None  #: on a phone
    half: bool = False  #: beside another panel, where there is room
    hidden: bool = False  #: it has no place of its own: what it finds is drawn into other panels
    rest: int = 0  #: milliseconds for which the hand must rest before it asks again


def _never(ask: Any) -> bool:
    return False


def _always() -> bool:
    return True


@dataclass(frozen=True)
class View:
    """One view of the lab."""

    name: str  #: in addresses, in the page and in `?hide=`
    tab: Tab
    title: str
    summary: str  #: of its address, in the schema
    draw: Callable[[Any], Panel] | None  #: from the question; None where `router` answers itself
    job: Work | None = None  #: what takes seconds, told bit by bit
    seconds: float = 60.0  #: that the job may compute
    slow: Callable[[Any], bool] = _never  #: which questions take longer than a slider should wait
    path: str = ""  #: of its address, when it is not /api/<name>
    with_table: bool = False  #: whether the page gets the table, too
    look: Look = field(default_factory=Look)
    intro: str = ""  #: what the panel says before there is an answer
    bodies: tuple[type[Body], ...] = ()  #: with controls, besides the question
    facts: Callable[[], dict[str, Any]] = dict  #: more that its script must know
    available: Callable[[], bool] = _always
    router: APIRouter | None = None  #: more addresses
    #: bytes of the largest bodies, by address, where they are more than a question
    largest: dict[str, int] = field(default_factory=dict)

    @property
    def address(self) -> str:
        """Where the question goes."""
        return self.path or f"/api/{self.name}"

    @property
    def job_address(self) -> str:
        """Where the question of the job goes."""
        return f"/api/jobs/{self.address.removeprefix('/api/')}"

    @property
    def ask(self) -> type[Body] | None:
        """The body of the question."""
        return None if self.draw is None else asked_by(self.draw)

    @property
    def fills(self) -> bool:
        """Whether the job answers the same question, more fully."""
        return self.job is not None and asked_by(self.job) is self.ask

    def parts(self) -> list[Part]:
        """The controls of the view, by body."""
        bodies = ([self.ask] if self.ask else []) + list(self.bodies)
        return [part for body in bodies for part in parts_of(body)]


def asked_by(function: Callable[..., Any]) -> type[Body]:
    """The body that a function takes first."""
    return next(hint for name, hint in get_type_hints(function).items() if name != "return")


VIEWS: dict[str, View] = {}


def register(view: View) -> View:
    """Add a view; a name that is taken, or a control that means two things, is refused."""
    if view.name in VIEWS:
        raise ValueError(f"`name` must be new among the views of the lab, got {view.name!r}.")
    known = {
        control.name: control
        for other in VIEWS.values()
        for part in other.parts()
        for control in part.controls
    }
    for part in view.parts():
        for control in part.controls:
            if known.get(control.name, control) != control:
                raise ValueError(
                    f"`{control.name}` of the view {view.name} must be the same control as in the"
                    " other views, or have another name."
                )
    VIEWS[view.name] = view
    return view
