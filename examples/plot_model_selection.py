"""
Model selection with GridSearchCV
=================================

Bags go through pipelines, grids and cross-validation like any other data. Here a grid chooses the
features of the instances, while the estimator chooses its penalty and its loss on held-out bags of
its own.
"""

import pandas as pd
from sklearn.kernel_approximation import Nystroem
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

from soloc.datasets import digit_bags
from soloc.estimators import SingleLocationRegressor, TokenTransformer

train = digit_bags(600, key_class=8)
test = digit_bags(1000, key_class=8, split="test")
pipeline = Pipeline(
    [
        ("tokens", TokenTransformer(Nystroem(n_components=100, random_state=0))),
        ("model", SingleLocationRegressor(alpha=1.0)),
    ]
)
grid = GridSearchCV(pipeline, {"tokens__step__gamma": [0.02, 0.1, 0.5]}, cv=3)
grid.fit(train.bags, train.labels)
table = pd.DataFrame(grid.cv_results_)[
    ["param_tokens__step__gamma", "mean_test_score", "std_test_score"]
]
print(table.to_string(index=False))
print(f"R^2 on bags of other images: {grid.score(test.bags, test.labels):.3f}")

# %%
# Everything that "auto" tried is kept as well.
print(SingleLocationRegressor().fit(train.bags, train.labels).selection_.to_string(index=False))
