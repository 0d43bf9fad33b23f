"""Every objective once, by the name that `loss` takes; a new one joins by one line here."""

from collections.abc import Mapping
from typing import Any

from soloc.closest import did_you_mean
from soloc.estimators.objectives.class_objective import ClassObjective
from soloc.estimators.objectives.latent_classes import LatentClasses
from soloc.estimators.objectives.likelihood import Likelihood
from soloc.estimators.objectives.objective import Objective
from soloc.estimators.objectives.pooled_classes import PooledClasses
from soloc.estimators.objectives.squared import SquaredLoss

NUMBERS: dict[str, type[Objective]] = {"squared": SquaredLoss, "likelihood": Likelihood}
CLASSES: dict[str, type[ClassObjective]] = {
    "cross_entropy": PooledClasses,
    "likelihood": LatentClasses,
}


def register(name: str, objective: type[Objective]) -> None:
    """Let `loss=name` mean this objective, for numbers or for classes, as it was written for."""
    known: dict[str, Any] = CLASSES if issubclass(objective, ClassObjective) else NUMBERS
    if name in known or name == "auto":
        raise ValueError(f"`name` must be new among {', '.join(known)} and auto, got {name!r}.")
    known[name] = objective


def losses_of(loss: object, known: Mapping[str, type[Objective]]) -> list[str]:
    """The losses to try: the one that is named, or those that "auto" compares."""
    if isinstance(loss, str) and loss == "auto":
        return [name for name, objective in known.items() if objective.in_auto]
    if isinstance(loss, str) and loss in known:
        return [loss]
    hint = did_you_mean(str(loss), [*known, "auto"])
    raise ValueError(f"`loss` must be one of {(*known, 'auto')}, got {loss!r}.{hint}")
