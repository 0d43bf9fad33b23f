"""
How much data does it take?
===========================

Risk against the number of sequences per dimension: the best learner (replica), linear regression,
and ridge regression that is told the location (limits). Not knowing where to look costs more than
half of the risk that is left, whatever the data.
"""

import matplotlib.pyplot as plt
import numpy as np

from soloc import SingleLocation
from soloc.learning import bayes_curve, known_location_curve, linear_curve, samples_for

task = SingleLocation(L=8, gamma=1.0, eps=0.3, signal=2.5)
ratios = np.logspace(-0.5, 1.5, 25)
curves = {
    "linear regression, best ridge": linear_curve(task, ratios),
    "nobody learns better": bayes_curve(task, ratios),
    "told the location": known_location_curve(task, ratios),
}
print(f"n/d for a risk of .45: {samples_for(task, 0.45):.2f}")

# %%
figure, axis = plt.subplots(figsize=(6.2, 3.8), layout="constrained")
for name, curve in curves.items():
    axis.plot(curve.samples_per_dimension, curve.risk, label=name)
axis.axvline(samples_for(task, 0.45), color="gray", ls=":")
axis.set(xscale="log", xlabel="samples per dimension n/d", ylabel="risk", ylim=(0, None))
axis.legend()
plt.show()
