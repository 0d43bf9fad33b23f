"""
When should I not trust the pointer?
====================================

A model that predicts well may still point at nothing. On bags where one instance decides, halves
of the data agree on which; on bags where all instances share the label's signal, the model says
so.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from soloc.datasets import make_single_location
from soloc.estimators import Bags, PointingWarning, SingleLocationRegressor

one = make_single_location(n_bags=600, width=10, random_state=0)
rng = np.random.default_rng(0)
shared = [rng.normal(size=(n, 10)) + 1.5 * rng.normal(size=10) for n in rng.integers(5, 15, 600)]
everyone = np.array([bag.mean(axis=0)[0] for bag in shared]) + 0.2 * rng.normal(size=600)

# %%
models = {}
with warnings.catch_warnings():
    warnings.simplefilter("ignore", PointingWarning)
    for name, bags, labels in (
        ("one instance decides", one.bags, one.labels),
        ("all instances share it", Bags.from_list(shared), everyone),
    ):
        models[name] = SingleLocationRegressor().fit(bags, labels), bags
        print(f"{name}:\n{models[name][0].diagnostics_}\n")

# %%
figure, axes = plt.subplots(1, 2, figsize=(9, 3.3), sharey=True, layout="constrained")
with warnings.catch_warnings():
    warnings.simplefilter("ignore", PointingWarning)
    for axis, (name, (model, bags)) in zip(axes, models.items(), strict=True):
        top = [weights.max() for weights in model.attend(bags)]
        axis.hist(top, bins=np.linspace(0, 1, 31))
        axis.set(title=name, xlabel="largest attention weight in a bag")
axes[0].set_ylabel("bags")
plt.show()
