"""
Why neither cold nor hot?
=========================

The same sequence at three temperatures. Too hot, and attention averages over everything; too cold,
and it trusts the largest score even when that is chance. The risk is least in between.
"""

import jax
import matplotlib.pyplot as plt
import numpy as np

from soloc import Overlaps, SingleLocation, Softmax, bayes_risk, population_risk
from soloc.risk.one_sequence import one_sequence

task, truth = SingleLocation(d=400, L=20, gamma=1.0, signal=2.5), Overlaps(1.0, 1.0)
lam = np.logspace(-1, 1.3, 80)
risk = population_risk(task, Softmax(lam), truth)
chosen = (0.5, 2.5, 15.0)

# %%
figure, axes = plt.subplots(1, 4, figsize=(12, 2.9), layout="constrained")
axes[0].plot(lam, risk)
axes[0].axhline(bayes_risk(task), color="gray", ls=":", label="Bayes")
axes[0].plot(chosen, population_risk(task, Softmax(np.array(chosen)), truth), "o")
axes[0].set(xscale="log", xlabel="inverse temperature λ", ylabel="exact risk")
axes[0].legend()
for axis, x in zip(axes[1:], chosen, strict=True):
    seen = one_sequence(task, Softmax(x), truth, jax.random.key(0))
    decisive = np.arange(20) == seen.location
    axis.bar(np.arange(1, 21), seen.weights, color=np.where(decisive, "tab:orange", "tab:gray"))
    axis.set(title=f"λ = {x:g}", xlabel="token", ylim=(0, 1))
plt.show()
