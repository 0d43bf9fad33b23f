"""
Do two heads share the work?
============================

Two kinds of decisive tokens and two heads. One head for each kind looks natural and is worse than
sum and difference: trained heads share both kinds, exactly computed at any dimension.
"""

import jax
import matplotlib.pyplot as plt
import numpy as np

from soloc import Erf, Gram, Heads, SeveralLocations, excess_risk, population_path
from soloc.dynamics.head_starts import heads_on_manifold

task = SeveralLocations(d=400, L=10, kinds=2)
k1, k2, v1, v2 = np.eye(4)
turn = np.array([[1, 1], [1, -1]]) / np.sqrt(2)
truth = ([k1, k2], [v1, v2])
pairs = Gram.of(*truth, *truth)
code = Gram.of(turn @ truth[0], turn @ truth[1], *truth)
lam = np.linspace(0.02, 0.2, 25)
risks = {
    name: [float(excess_risk(task, Heads((Erf(x), Erf(x))), state)) for x in lam]
    for name, state in {"one head for each kind": pairs, "sum and difference": code}.items()
}

# %%
# Training from random starts ends near the shared code.
heads = Heads((Erf(0.065), Erf(0.065)))
start = heads_on_manifold(task.d, 2, 2, 6, jax.random.key(0))
path = population_path(task, heads, start, steps=12_000, step_size=4e-3)
print("excess risk at the end:", *(f"{risk:.4f}" for risk in sorted(path.risk[-1])))

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained", sharey=True)
for name, risk in risks.items():
    left.plot(lam, risk, label=f"{name}: least {min(risk):.4f}")
left.set(xlabel="inverse temperature λ", ylabel="excess risk", ylim=(0, 0.8))
left.legend()
right.plot(path.steps, path.risk, lw=1, color="tab:gray")
right.axhline(min(risks["one head for each kind"]), color="tab:blue", ls="--")
right.axhline(min(risks["sum and difference"]), color="tab:orange", ls="--")
right.set(xlabel="step of training, six runs at λ = .065")
plt.show()
