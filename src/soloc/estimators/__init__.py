"""For your data: scikit-learn estimators on bags of instances."""

from soloc.estimators.auto.classifier import (
    SingleLocationAutoClassifier as SingleLocationAutoClassifier,
)
from soloc.estimators.auto.regressor import (
    SingleLocationAutoRegressor as SingleLocationAutoRegressor,
)
from soloc.estimators.bags import Bags as Bags
from soloc.estimators.classifier import SingleLocationClassifier as SingleLocationClassifier
from soloc.estimators.columns import ColumnWarning as ColumnWarning
from soloc.estimators.diagnostics import Diagnostics as Diagnostics
from soloc.estimators.diagnostics import PointingWarning as PointingWarning
from soloc.estimators.explain import Explanation as Explanation
from soloc.estimators.files import load as load
from soloc.estimators.network.classifier import (
    SingleLocationNetworkClassifier as SingleLocationNetworkClassifier,
)
from soloc.estimators.network.regressor import (
    SingleLocationNetworkRegressor as SingleLocationNetworkRegressor,
)
from soloc.estimators.regressor import SingleLocationRegressor as SingleLocationRegressor
from soloc.estimators.token_transformer import TokenTransformer as TokenTransformer
