"""
Which temperature is best?
==========================

The temperature at which each attention does best at the truth, against length. A weight that looks
at one score at a time must sharpen as tokens are added; softmax keeps λ = m, where it is the
posterior.
"""

import matplotlib.pyplot as plt
import numpy as np

from soloc import Erf, Overlaps, SingleLocation, Softmax, Tanh, bayes_risk, excess_risk
from soloc.risk.best_temperature import best_temperature

lengths = np.array([2, 4, 8, 16, 32, 64, 128, 256, 512])
task = SingleLocation(d=400, L=lengths.astype(float), gamma=1.0, signal=4.0)
truth = Overlaps(1.0, 1.0)
best = {
    kind.__name__: best_temperature(
        lambda lam, kind=kind: np.asarray(excess_risk(task, kind(lam), truth)), 1e-3, 20.0, levels=4
    )
    for kind in (Erf, Tanh, Softmax)
}

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
for name, found in best.items():
    left.plot(lengths, found.lam, "o-", label=name)
    right.plot(lengths, found.value, "o-", label=name)
right.plot(lengths, bayes_risk(task), "k:", lw=3, label="Bayes")
left.set(xscale="log", yscale="log", xlabel="tokens L", ylabel="best λ")
right.set(xscale="log", xlabel="tokens L", ylabel="risk at the best λ")
left.legend()
right.legend()
plt.show()
