"""The landscape: the population risk over the alignments, on any slice of the other overlaps."""

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from soloc.lab.body import Body, Group, Knob
from soloc.lab.controls import Controls, Overlap
from soloc.lab.figures.landscape import landscape_figure
from soloc.lab.lines import imports_of
from soloc.lab.panel import Panel, full, number
from soloc.lab.training import TAB
from soloc.lab.view import Look, View
from soloc.risk.overlaps import Overlaps
from soloc.risk.risk_map import risk_map
from soloc.tasks.single_location import SingleLocation

# alignments along an axis; fewer where every risk is an integral of integrals
GRID, COARSE = 61, 31


class LandscapeAsk(Body):
    """A setting and the slice: values of the overlaps that are zero on the manifold."""

    group: ClassVar[Group] = Group("slice", "Slice off the manifold", open=False)
    setting: Controls = Controls()
    theta: Annotated[Overlap, Knob("θ = v·k*")] = Field(
        default=0.0, description="how much the value looks along the key"
    )
    eta: Annotated[Overlap, Knob("η = k·v*")] = Field(
        default=0.0, description="how much the key looks along the value"
    )
    rho: Annotated[Overlap, Knob("ρ = k·v")] = Field(
        default=0.0, description="how alike key and value are"
    )


def landscape_panel(ask: LandscapeAsk) -> Panel:
    """The exact population risk over (kappa, nu) with the other overlaps held at given values."""
    axis = _axis(ask)
    setting = ask.setting
    risk, possible = risk_map(
        setting.task(), setting.attention(), axis, ask.theta, ask.eta, ask.rho
    )
    if not possible.any():
        raise ValueError(
            "`theta`, `eta` and `rho` must belong to unit vectors k and v for some alignment on"
            f" the grid, got {ask.theta}, {ask.eta} and {ask.rho}; take smaller values."
        )
    if np.isnan(risk).all():
        raise ValueError(
            f"`lam` must be such that the risk of {ask.setting.weight} is a finite number, got"
            f" {ask.setting.lam}; take a smaller lam."
        )
    row, column = _lowest(risk)
    kappa, nu = np.meshgrid(axis, axis)
    on_manifold = ask.theta == ask.eta == ask.rho == 0.0
    where = "on the manifold" if on_manifold else "on this slice off the manifold"
    return Panel(
        figure=landscape_figure(axis, risk),
        table={"kappa": full(kappa.ravel()), "nu": full(nu.ravel()), "risk": full(risk.ravel())},
        python=_python(ask),
        sentence=(
            "Each point is a pair of alignments, how well the key finds the decisive token (kappa)"
            f" and how well the value reads it (nu); colour is the exact population risk {where}."
            f" The lowest point of the grid, {risk[row, column]:.4g}, is at kappa ="
            f" {axis[column]:.2f}, nu = {axis[row]:.2f}."
        ),
        numbers={
            "lowest risk": number(risk[row, column]),
            "at kappa": number(axis[column]),
            "at nu": number(axis[row]),
            "highest risk": number(np.nanmax(risk)),
        },
    )


def _lowest(risk: np.ndarray) -> tuple[int, int]:
    """Where the risk is lowest; of points that tie up to rounding, such as the truth and its mirror
    image, the last.
    """
    tied = np.argwhere(risk <= np.nanmin(risk) * (1.0 + 1e-9))
    return int(tied[-1][0]), int(tied[-1][1])


def _axis(ask: LandscapeAsk) -> np.ndarray:
    return np.linspace(-1.0, 1.0, COARSE if ask.setting.entry.slow else GRID)


def _python(ask: LandscapeAsk) -> str:
    off = "".join(
        f", {name}={getattr(ask, name)!r}" for name in ("theta", "eta", "rho") if getattr(ask, name)
    )
    return "\n".join(
        [
            "import numpy as np",
            *imports_of([ask.setting.entry.kind, Overlaps, SingleLocation], ["population_risk"]),
            "",
            *ask.setting.lines(),
            f"axis = np.linspace(-1, 1, {len(_axis(ask))})",
            "kappa, nu = np.meshgrid(axis, axis)",
            *_only_possible(ask),
            f"risk = population_risk(task, attention, Overlaps(kappa, nu{off}))",
        ]
    )


def _only_possible(ask: LandscapeAsk) -> list[str]:
    """Off the manifold, the lines that keep the alignments which unit vectors can have."""
    if ask.theta == ask.eta == ask.rho == 0.0:
        return []
    return [
        "from soloc.risk.overlaps import residual_gram",
        (
            f"left_k, left_v, cross = residual_gram(kappa, nu, {ask.theta!r}, {ask.eta!r},"
            f" {ask.rho!r})"
        ),
        "possible = (left_k >= 0) & (left_v >= 0) & (left_k * left_v >= cross**2)",
        "kappa, nu = kappa[possible], nu[possible]",
    ]


VIEW = View(
    name="landscape",
    tab=TAB,
    title="Landscape",
    summary="Population risk over the alignments",
    draw=landscape_panel,
    slow=lambda ask: ask.setting.entry.slow,
    look=Look(height="clamp(300px, 34vw, 440px)", half=True),
)
