"""
Model selection with GridSearchCV
=================================

Bags go through pipelines, grids and cross-validation like any other data. Here a grid chooses the
features of the instances; the last number is that of bags made of other images.
"""

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.kernel_approximation import Nystroem
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

from soloc.datasets import digit_bags
from soloc.estimators import SingleLocationRegressor, TokenTransformer

train = digit_bags(300, key_class=8)
test = digit_bags(500, key_class=8, split="test")
pipeline = Pipeline(
    [
        ("tokens", TokenTransformer(Nystroem(n_components=60, random_state=0))),
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
figure, axis = plt.subplots(figsize=(5, 3.4), layout="constrained")
gamma, score, spread = table.to_numpy(float).T
axis.errorbar(gamma, score, spread, fmt="o-", capsize=3)
axis.axhline(grid.score(test.bags, test.labels), color="gray", ls=":", label="other images")
axis.set(xscale="log", xlabel="gamma of the features", ylabel="R², three folds")
axis.set_xticks(gamma, [f"{x:g}" for x in gamma])
axis.minorticks_off()
axis.legend()
plt.show()
