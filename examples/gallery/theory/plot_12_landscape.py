"""
What does the landscape of the risk look like?
==============================================

The exact risk over the two overlaps that matter, κ = k·k* (where to look) and ν = v·v* (what to
read off), with ten training runs that end in one of two equal minima. A table names all critical
points, two swapped minima among them, which lie outside this picture.
"""

import jax
import matplotlib.pyplot as plt
import numpy as np

from soloc import Erf, SingleLocation, population_path
from soloc.dynamics.landscape import landscape
from soloc.dynamics.starts import uniform_on_manifold
from soloc.risk.risk_map import risk_map

task, weight = SingleLocation(d=400, L=10), Erf(lam=0.1)
axis_of_both = np.linspace(-1.0, 1.0, 81)
risk = risk_map(task, weight, axis_of_both).risk
start = uniform_on_manifold(task.d, 10, jax.random.key(0))
path = population_path(task, weight, start, steps=12_000, step_size=4e-3)

# %%
# All critical points that Newton's method finds, lowest risk first.
points = landscape(task, weight, starts=60)
print(points[["name", "kind", "kappa", "nu", "eta", "risk"]].round(3).to_string(index=False))

# %%
figure, axis = plt.subplots(figsize=(5.6, 4.6), layout="constrained")
levels = axis.contourf(axis_of_both, axis_of_both, risk, 24, cmap="cividis")
figure.colorbar(levels, label="exact risk")
axis.plot(path.kappa, path.nu, color="white", lw=1)
axis.plot(path.kappa[-1], path.nu[-1], "o", color="tab:orange", label="training ends")
axis.set(xlabel="κ = k·k*", ylabel="ν = v·v*", aspect="equal")
axis.legend(loc="lower right")
plt.show()
