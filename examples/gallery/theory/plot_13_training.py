"""
Does training find the truth?
=============================

Projected gradient descent on the exact risk, from starts where k and v see nothing but their own
truths. Every run finds both directions; from the whole sphere about half end elsewhere.
"""

import jax

from soloc import Erf, SingleLocation, population_path
from soloc.dynamics.starts import uniform_on_manifold, uniform_on_sphere

task, weight = SingleLocation(d=400, L=10), Erf(lam=0.1)
start = uniform_on_manifold(task.d, 20, jax.random.key(0))
path = population_path(task, weight, start, steps=12_000, step_size=4e-3)
print(f"least |κ|: {abs(path.kappa[-1]).min():.3f}, least |ν|: {abs(path.nu[-1]).min():.3f}")
path

# %%
# Every path draws itself: each run thin, the median thick.
path.figure()

# %%
# From starts on the whole sphere some runs end in the swapped minimum, k = ±v*.
start = uniform_on_sphere(task.d, 200, jax.random.key(1))
wide = population_path(task, weight, start, steps=12_000, step_size=4e-3)
found = (abs(wide.kappa[-1]) > 0.9) & (abs(wide.nu[-1]) > 0.9)
swapped = abs(wide.eta[-1]) > 0.9
print(f"of 200 runs {found.sum()} find the truth and {swapped.sum()} end swapped")
wide.figure()
