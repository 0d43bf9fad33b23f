"""From recorded states to the columns of a path: overlaps, risk, distance to the manifold, lam."""

from typing import Any

import numpy as np

from soloc.dynamics.exact import Trainee
from soloc.dynamics.motion import motion_of
from soloc.dynamics.pieces import Record
from soloc.dynamics.schedules import Tabulated
from soloc.risk.baselines import bayes_risk
from soloc.tasks.single_location import SingleLocation

_FLIP_V = np.asarray([1.0, -1.0, -1.0, 1.0, -1.0])  # the overlaps of (k, -v)


def lam_at(record: Record, lam: Tabulated) -> np.ndarray:
    """lam at the recorded steps, (records, runs)."""
    values = np.concatenate([lam.values(int(t), 1) for t in record.steps])
    return np.ascontiguousarray(
        np.broadcast_to(values, (len(record.steps), record.states.shape[-1]))
    )


def above_noise(trained: Trainee, lam: np.ndarray, states: np.ndarray) -> Any:
    """R - eps^2 at states (records, 5 or 7, runs), None without exact risk.

    The last two of 7 are the norms of k and v: |k| multiplies lam. In |v| the risk is quadratic,
    gamma^2 - 2 |v| E[T c] + |v|^2 E[T^2]: the risks at v and -v give both moments.
    """
    if trained.slopes is None:
        return None
    if states.shape[1] == trained.layout.size:
        return trained.excess(lam, np.moveaxis(states, 1, 0))
    overlaps = np.moveaxis(states[:, :5], 1, 0)
    norm_k, norm_v = states[:, 5], states[:, 6]
    here = trained.excess(lam * norm_k, overlaps)
    if np.all(norm_v == 1.0):
        return here
    there = trained.excess(lam * norm_k, _FLIP_V[:, None, None] * overlaps)
    variance = np.asarray(trained.numbers.gamma) ** 2
    correlation, power = 0.25 * (there - here), 0.5 * (here + there) - variance
    return variance - 2.0 * norm_v * correlation + norm_v**2 * power


def describe(
    task: Any,
    trained: Trainee,
    shape: tuple[int, ...],
    record: Record,
    lam: np.ndarray,
    risk_above_noise: np.ndarray | None,
) -> dict[str, np.ndarray]:
    """The columns of a path, each (records, runs)."""
    motion = motion_of(trained.risk.state)
    rows = np.moveaxis(record.states[:, : trained.layout.size], 1, 0)
    state = trained.layout.state(rows)
    columns = motion.numbers(state)
    if risk_above_noise is not None:
        columns["risk"] = risk_above_noise + for_every_run(trained.risk.noise(task), shape)
    columns |= motion.measures(state) | {"lam": lam}
    if record.states.shape[1] > trained.layout.size:
        columns |= {"norm_k": record.states[:, 5], "norm_v": record.states[:, 6]}
    return columns


def bayes_of(task: Any, shape: tuple[int, ...]) -> np.ndarray | None:
    """The Bayes risk of every run; None where it is only simulated."""
    if not isinstance(task, SingleLocation) or task.prior is not None:
        return None
    risk = bayes_risk(task)
    return for_every_run(risk, shape)


def for_every_run(x: Any, shape: tuple[int, ...]) -> np.ndarray:
    """One number for each of the runs of that shape."""
    return np.broadcast_to(np.asarray(x, dtype=float), shape).reshape(-1)


def flattened(trained: Trainee, shape: tuple[int, ...]) -> Trainee:
    """Every leaf one entry for all runs, or one entry per run on its first axis."""
    return trained.mapped(lambda x, axes: per_run(x, shape, axes))


def per_run(x: Any, shape: tuple[int, ...], axes: int = 0) -> Any:
    """One entry, whose last axes are so many, for all runs, or one for each."""
    if np.ndim(x) == axes:
        return np.asarray(x, dtype=float) if axes else float(x)
    entry = np.shape(x)[np.ndim(x) - axes :]
    return np.broadcast_to(np.asarray(x, dtype=float), (*shape, *entry)).reshape(-1, *entry)
