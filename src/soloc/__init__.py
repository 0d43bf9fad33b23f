"""soloc: one token of a sequence decides the answer, and nobody says which."""

from typing import TYPE_CHECKING

from soloc.lazily import imported_when_used
from soloc.version import __version__ as __version__

if TYPE_CHECKING:
    from soloc.dynamics.descent import descend as descend
    from soloc.dynamics.path import Path as Path
    from soloc.dynamics.population_path import population_path as population_path
    from soloc.dynamics.sgd_path import sgd_path as sgd_path
    from soloc.estimators.auto.classifier import (
        SingleLocationAutoClassifier as SingleLocationAutoClassifier,
    )
    from soloc.estimators.auto.regressor import (
        SingleLocationAutoRegressor as SingleLocationAutoRegressor,
    )
    from soloc.estimators.bags import Bags as Bags
    from soloc.estimators.classifier import SingleLocationClassifier as SingleLocationClassifier
    from soloc.estimators.files import load as load
    from soloc.estimators.regressor import SingleLocationRegressor as SingleLocationRegressor
    from soloc.estimators.token_transformer import TokenTransformer as TokenTransformer
    from soloc.predictors.heads import Heads as Heads
    from soloc.predictors.normalised import Softmax as Softmax
    from soloc.predictors.pointwise import Erf as Erf
    from soloc.predictors.pointwise import Linear as Linear
    from soloc.predictors.pointwise import Pointwise as Pointwise
    from soloc.predictors.pointwise import Tanh as Tanh
    from soloc.risk.baselines import bayes_risk as bayes_risk
    from soloc.risk.baselines import linear_risk as linear_risk
    from soloc.risk.baselines import log_bayes_excess as log_bayes_excess
    from soloc.risk.baselines import null_risk as null_risk
    from soloc.risk.gram import Gram as Gram
    from soloc.risk.monte_carlo import monte_carlo_bayes_risk as monte_carlo_bayes_risk
    from soloc.risk.monte_carlo import monte_carlo_risk as monte_carlo_risk
    from soloc.risk.overlaps import Overlaps as Overlaps
    from soloc.risk.population import excess_risk as excess_risk
    from soloc.risk.population import log_excess_risk as log_excess_risk
    from soloc.risk.population import population_risk as population_risk
    from soloc.risk.score import score as score
    from soloc.runs.sweep import sweep as sweep
    from soloc.tasks.lengths import LengthLaw as LengthLaw
    from soloc.tasks.max_location import MaxLocation as MaxLocation
    from soloc.tasks.several_locations import SeveralLocations as SeveralLocations
    from soloc.tasks.single_location import SingleLocation as SingleLocation

__getattr__, __all__ = imported_when_used(
    __name__,
    {
        "soloc.dynamics.descent": "descend",
        "soloc.dynamics.path": "Path",
        "soloc.dynamics.population_path": "population_path",
        "soloc.dynamics.sgd_path": "sgd_path",
        "soloc.estimators.auto.classifier": "SingleLocationAutoClassifier",
        "soloc.estimators.auto.regressor": "SingleLocationAutoRegressor",
        "soloc.estimators.bags": "Bags",
        "soloc.estimators.classifier": "SingleLocationClassifier",
        "soloc.estimators.files": "load",
        "soloc.estimators.regressor": "SingleLocationRegressor",
        "soloc.estimators.token_transformer": "TokenTransformer",
        "soloc.predictors.heads": "Heads",
        "soloc.predictors.normalised": "Softmax",
        "soloc.predictors.pointwise": "Erf Linear Pointwise Tanh",
        "soloc.risk.gram": "Gram",
        "soloc.risk.monte_carlo": "monte_carlo_bayes_risk monte_carlo_risk",
        "soloc.risk.overlaps": "Overlaps",
        "soloc.risk.baselines": "bayes_risk linear_risk log_bayes_excess null_risk",
        "soloc.risk.population": "excess_risk log_excess_risk population_risk",
        "soloc.risk.score": "score",
        "soloc.runs.sweep": "sweep",
        "soloc.tasks.lengths": "LengthLaw",
        "soloc.tasks.max_location": "MaxLocation",
        "soloc.tasks.several_locations": "SeveralLocations",
        "soloc.tasks.single_location": "SingleLocation",
    },
)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
