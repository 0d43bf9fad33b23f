"""All weights of the catalogue by class name, as in `from soloc.weights import Sparsemax`."""

from typing import TYPE_CHECKING, Any

from soloc.predictors.catalogue import WEIGHTS
from soloc.predictors.normalised import NormalisedKernel
from soloc.predictors.pointwise import Pointwise
from soloc.predictors.weight import Weight

if TYPE_CHECKING:
    from soloc.predictors.normalised import *  # noqa: F403
    from soloc.predictors.pointwise import *  # noqa: F403

_BASES = (Weight, Pointwise, NormalisedKernel)  #: what a weight of one's own derives from


def __getattr__(name: str) -> Any:
    for entry in WEIGHTS.values():
        if entry.kind.__name__ == name:
            return entry.kind
    raise AttributeError(f"soloc.weights has no {name}; it has {', '.join(__dir__())}.")


def __dir__() -> list[str]:
    return sorted(kind.__name__ for kind in (*_BASES, *(entry.kind for entry in WEIGHTS.values())))
