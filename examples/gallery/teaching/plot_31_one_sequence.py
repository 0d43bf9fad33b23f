"""
What does attention see in one sequence?
========================================

Twelve tokens, one of which decides the answer. Along the right direction it stands out, softmax
puts its weight there, and the weights are the posterior: attention is inference.
"""

import jax
import matplotlib.pyplot as plt
import numpy as np

from soloc import Overlaps, SingleLocation, Softmax
from soloc.risk.one_sequence import one_sequence

task = SingleLocation(d=400, L=12, gamma=1.0, signal=4.0)
seen = one_sequence(task, Softmax(4.0), Overlaps(1.0, 1.0), jax.random.key(8))
print(f"answer {seen.answer:.2f}, attention says {seen.prediction:.2f}, Bayes {seen.bayes:.2f}")
print(
    f"largest difference of weights and posterior: {abs(seen.weights - seen.posterior).max():.0e}"
)

# %%
token = np.arange(1, 13)
colours = np.where(token - 1 == seen.location, "tab:orange", "tab:gray")
figure, axes = plt.subplots(1, 3, figsize=(10, 3), layout="constrained")
rows = {"score X·k*": seen.scores, "value X·v*": seen.values, "weight = posterior": seen.weights}
for axis, (name, numbers) in zip(axes, rows.items(), strict=True):
    axis.bar(token, numbers, color=colours)
    axis.set(title=name, xlabel="token", xticks=token)
plt.show()
