"""
What if the largest score decides?
==================================

Another task: all tokens look alike, and the answer belongs to the one with the largest score.
Weights that look at one score at a time cannot know which is largest; softmax compares them.
"""

import matplotlib.pyplot as plt
import numpy as np

from soloc import Erf, MaxLocation, Overlaps, Softmax, excess_risk
from soloc.risk.best_temperature import best_of_one

lengths, truth = [2, 4, 8, 16, 32, 64, 128], Overlaps(1.0, 1.0)


def least(kind, L, high):
    value = lambda lam: np.array(  # noqa: E731
        [[excess_risk(MaxLocation(L=L), kind(float(x)), truth)] for x in np.ravel(lam)]
    )
    return best_of_one(value, 0.003, high, points=13).value


risks = {
    "erf, best λ": [least(Erf, L, 5.0) for L in lengths],
    "softmax, λ = 5": [excess_risk(MaxLocation(L=L), Softmax(5.0), truth) for L in lengths],
    "softmax, λ = 20": [excess_risk(MaxLocation(L=L), Softmax(20.0), truth) for L in lengths],
}

# %%
figure, axis = plt.subplots(figsize=(6, 3.8), layout="constrained")
for name, risk in risks.items():
    axis.plot(lengths, risk, "o-", label=name)
axis.axhline(1.0, color="gray", ls=":", label="no answer")
axis.set(xscale="log", xlabel="tokens L", ylabel="exact excess risk", ylim=(0, 1.15))
axis.legend()
plt.show()
