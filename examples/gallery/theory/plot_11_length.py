"""
What does attention gain on long sequences?
===========================================

The exact risk of attention that knows where to look, against the number of tokens. Linear
regression must treat all places alike and has nothing left; softmax attention stays with the Bayes
risk.
"""

import matplotlib.pyplot as plt
import numpy as np

from soloc import Erf, Overlaps, SingleLocation, Softmax, bayes_risk, linear_risk, population_risk
from soloc.risk.best_temperature import best_temperature

lengths = np.round(np.logspace(0.5, 6, 40))
task = SingleLocation(d=10_000, L=lengths, gamma=1.0, signal=6.0)  # forty tasks at once
truth = Overlaps(kappa=1.0, nu=1.0)
best = best_temperature(lambda lam: population_risk(task, Erf(lam), truth), 1e-4, 3.0)
risks = {
    "linear regression": linear_risk(task),
    "erf attention, best temperature": best.value,
    "softmax attention, λ = 6": population_risk(task, Softmax(6.0), truth),
    "Bayes": bayes_risk(task),
}

# %%
# A million tokens cost what ten cost: nothing is simulated.
figure, axis = plt.subplots(figsize=(6.5, 4), layout="constrained")
for (name, risk), style in zip(risks.items(), ("-", "-.", "-", ":"), strict=True):
    axis.plot(lengths, risk, style, lw=4 if name == "Bayes" else 2, label=name)
axis.set(xscale="log", xlabel="number of tokens L", ylabel="risk", ylim=(0, 1.1))
axis.legend()
plt.show()
