"""What the page has to know before its first question: tabs, controls with bounds, views."""

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, Field

from soloc.lab.body import Control
from soloc.lab.controls import offered
from soloc.lab.server.assets import names
from soloc.lab.story import TAB as STORY
from soloc.lab.story import steps
from soloc.lab.view import VIEWS, View

router = APIRouter(prefix="/api")


class AboutTab(BaseModel):
    """A tab."""

    name: str
    title: str


class AboutGroup(BaseModel):
    """Controls under one heading."""

    name: str
    title: str
    open: bool
    controls: list[Control]


class AboutPart(BaseModel):
    """Which controls a question carries, and into which field of it they go."""

    into: str | None
    controls: list[str]


class AboutView(BaseModel):
    """A view: what the page needs to ask it, and how its panel looks."""

    name: str
    tab: str
    title: str
    intro: str
    path: str
    job: str | None = Field(description="the address of its job, if it has one")
    fills: bool = Field(description="whether the job answers the same question, more fully")
    parts: list[AboutPart]
    columns: int | None = Field(description="plots side by side where there is room")
    script: bool = Field(description="whether /static/views/<name>.js belongs to it")
    look: dict[str, Any]
    facts: dict[str, Any]


class AboutWeight(BaseModel):
    """What a weight offers."""

    slow: bool
    closed_slopes: bool


class About(BaseModel):
    """Everything the page is built from."""

    tabs: list[AboutTab]
    story: list[dict[str, Any]] = Field(description="the steps of the first tab")
    groups: list[AboutGroup]
    views: list[AboutView]
    weights: dict[str, AboutWeight]


@router.get("/about", summary="Tabs, controls and views of the page")
async def about() -> About:
    """Everything the page is built from."""
    views = [view for view in VIEWS.values() if view.available()]
    tabs = dict.fromkeys([STORY, *(view.tab for view in views)])
    weights = {
        name: AboutWeight(slow=entry.slow, closed_slopes=entry.closed_slopes)
        for name, entry in offered().items()
    }
    return About(
        tabs=[AboutTab(name=tab.name, title=tab.title) for tab in tabs],
        story=steps(),
        groups=_groups(views),
        views=[_described(view) for view in views],
        weights=weights,
    )


def _groups(views: list[View]) -> list[AboutGroup]:
    """All groups in the order in which views name them, each control once."""
    groups: dict[str, AboutGroup] = {}
    for view in views:
        for part in view.parts():
            name, title, is_open = part.group
            group = groups.setdefault(
                name, AboutGroup(name=name, title=title, open=is_open, controls=[])
            )
            for control in part.controls:
                if control.name not in {known.name for known in group.controls}:
                    group.controls.append(control)
    return list(groups.values())


def _described(view: View) -> AboutView:
    columns = None if view.ask is None else view.ask.model_fields.get("columns")
    return AboutView(
        name=view.name,
        tab=view.tab.name,
        title=view.title,
        intro=view.intro,
        path=view.address,
        job=view.job_address if view.job is not None else None,
        fills=view.fills,
        parts=[
            AboutPart(into=part.into, controls=[control.name for control in part.controls])
            for part in view.parts()
        ],
        columns=None if columns is None else columns.default,
        script=f"views/{view.name}.js" in names(),
        look=view.look._asdict(),
        facts=view.facts(),
    )
