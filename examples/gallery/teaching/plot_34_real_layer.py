"""
Does a standard attention layer find it too?
============================================

A layer with free query, key, value and output matrices, trained by Adam on fresh sequences. It is
the simplified predictor in disguise, so its risk is known exactly, without a test set.
"""

import jax
import matplotlib.pyplot as plt
import optax

from soloc import SingleLocation, bayes_risk, linear_risk
from soloc.networks import StandardAttention, exact_risk, train

task = SingleLocation(d=16, L=6, gamma=1.0, eps=0.3)
found = train(
    lambda key: StandardAttention(16, key, p=4),
    task,
    optax.adam(1e-2),
    steps=400,
    key=jax.random.key(0),
    seeds=2,
    batch=32,
)
risks = [exact_risk(found.network(run), task, found.truth(run)) for run in range(2)]
print("exact risks:", *(f"{risk:.3f}" for risk in risks), f"Bayes: {bayes_risk(task):.3f}")

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
for _, run in found.table.groupby("run"):
    left.plot(run.step, run.risk, color="tab:blue")
    right.plot(run.step, run.key_alignment, color="tab:orange")
    right.plot(run.step, run.value_alignment, color="tab:green")
left.axhline(linear_risk(task), color="gray", ls="--", label="linear regression")
left.axhline(bayes_risk(task), color="black", ls=":", label="Bayes")
left.set(xlabel="step of Adam", ylabel="exact risk")
left.legend()
right.set(xlabel="step of Adam", ylabel="alignment with the truth", ylim=(0, 1.05))
right.legend(right.lines[:2], ["key", "value"])
plt.show()
