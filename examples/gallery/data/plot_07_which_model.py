"""
Which model for my bags?
========================

Mean pooling, linear attention or a network: the automatic estimator fits all three, predicts what
it left out, and keeps the simplest of the best. Here the decisive instance enters through a bend.
"""

import matplotlib.pyplot as plt

from soloc.datasets import make_nonlinear_location, make_single_location
from soloc.estimators import SingleLocationAutoRegressor

sets = {
    "linear in the decisive instance": make_single_location(600, 10, random_state=0),
    "bent": make_nonlinear_location(2000, random_state=0),
}
models = {
    name: SingleLocationAutoRegressor().fit(data.bags, data.labels) for name, data in sets.items()
}
for name, model in models.items():
    print(f"{name}: {model.reason_}")

# %%
figure, axes = plt.subplots(1, 2, figsize=(9, 2.8), layout="constrained")
for axis, (name, model) in zip(axes, models.items(), strict=True):
    scores = model.scores_
    axis.barh(scores.candidate, scores.held_out, xerr=scores.error)
    axis.set(title=name, xlabel="R² on bags left out")
plt.show()
