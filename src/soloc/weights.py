"""All attention weights by name; `soloc` itself has the few that people type most."""

from typing import TYPE_CHECKING

from soloc.lazily import imported_when_used

if TYPE_CHECKING:
    from soloc.predictors.normalised import CosineReweighted as CosineReweighted
    from soloc.predictors.normalised import Entmax15 as Entmax15
    from soloc.predictors.normalised import HardMax as HardMax
    from soloc.predictors.normalised import NormalisedReLU as NormalisedReLU
    from soloc.predictors.normalised import NormalisedSigmoid as NormalisedSigmoid
    from soloc.predictors.normalised import NormalisedSoftplus as NormalisedSoftplus
    from soloc.predictors.normalised import Softmax as Softmax
    from soloc.predictors.normalised import Sparsemax as Sparsemax
    from soloc.predictors.pointwise import Erf as Erf
    from soloc.predictors.pointwise import Exponential as Exponential
    from soloc.predictors.pointwise import Linear as Linear
    from soloc.predictors.pointwise import OnePlusErf as OnePlusErf
    from soloc.predictors.pointwise import OnePlusLinear as OnePlusLinear
    from soloc.predictors.pointwise import Pointwise as Pointwise
    from soloc.predictors.pointwise import ReLU as ReLU
    from soloc.predictors.pointwise import Sigmoid as Sigmoid
    from soloc.predictors.pointwise import Softplus as Softplus
    from soloc.predictors.pointwise import Tanh as Tanh

__getattr__, __all__ = imported_when_used(
    __name__,
    {
        "soloc.predictors.normalised": (
            "CosineReweighted Entmax15 HardMax NormalisedReLU NormalisedSigmoid NormalisedSoftplus"
            " Softmax Sparsemax"
        ),
        "soloc.predictors.pointwise": (
            "Erf Exponential Linear OnePlusErf OnePlusLinear Pointwise ReLU Sigmoid Softplus Tanh"
        ),
    },
)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
