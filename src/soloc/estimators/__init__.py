"""For your data: scikit-learn estimators on bags of instances."""

from soloc.estimators.bags import Bags as Bags
from soloc.estimators.regressor import SingleLocationRegressor as SingleLocationRegressor
