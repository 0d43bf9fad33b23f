"""
What would my own nonlinearity do?
==================================

Any function of a score becomes an attention with an exact risk, an exact gradient and exact
training. Here an algebraic sigmoid is put beside erf and tanh.
"""

import jax
import matplotlib.pyplot as plt
import numpy as np

from soloc import Erf, Overlaps, Pointwise, SingleLocation, Tanh, excess_risk

task, truth = SingleLocation(d=400, L=10), Overlaps(kappa=1.0, nu=1.0)


def bend(x):
    return x / (1 + x * x) ** 0.5


lam = np.logspace(-2, 1, 60)
weights = {"erf": Erf(lam), "tanh": Tanh(lam), "x / √(1 + x²)": Pointwise.of(bend, lam=lam)}
risks = {name: excess_risk(task, weight, truth) for name, weight in weights.items()}

# %%
# Gradients go through everything, the temperature included.
slope = jax.grad(lambda weight: excess_risk(task, weight, truth))(Pointwise.of(bend, lam=0.1))
print(f"d excess / d λ at λ = .1: {float(slope.lam):.4f}")

# %%
figure, axis = plt.subplots(figsize=(6, 3.8), layout="constrained")
for name, risk in risks.items():
    axis.plot(lam, risk, label=f"{name}: least {risk.min():.4f}")
axis.set(xscale="log", yscale="log", xlabel="inverse temperature λ", ylabel="risk above Bayes")
axis.legend()
plt.show()
