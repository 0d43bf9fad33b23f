"""
What do small batches change?
=============================

Stochastic gradient descent on fresh batches, simulated exactly in law at the price of a few
numbers per token, whatever the dimension. Small batches wander, and too small ones do not arrive
at this step size.
"""

import jax
import matplotlib.pyplot as plt
import numpy as np

from soloc import Erf, SingleLocation, population_path, sgd_path
from soloc.dynamics.starts import uniform_on_manifold

task, weight = SingleLocation(d=400, L=10), Erf(lam=0.1)
start = uniform_on_manifold(task.d, 20, jax.random.key(0))
options = {"steps": 4_000, "step_size": 4e-3}
paths = {
    "all data": population_path(task, weight, start, **options),
    "batches of 40": sgd_path(task, weight, start, jax.random.key(1), batch_size=40, **options),
    "batches of 4": sgd_path(task, weight, start, jax.random.key(1), batch_size=4, **options),
}

# %%
figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True, layout="constrained")
for axis, column, label in zip(axes, ("kappa", "nu"), ("|κ| (where)", "|ν| (what)"), strict=True):
    for name, path in paths.items():
        low, middle, high = np.quantile(np.abs(getattr(path, column)), [0.1, 0.5, 0.9], axis=1)
        axis.plot(path.steps, middle, label=name)
        axis.fill_between(path.steps, low, high, alpha=0.2)
    axis.set(xlabel="step", title=label)
axes[0].set_ylabel("median and 80 % of 20 runs")
axes[1].legend(loc="lower right")
plt.show()
