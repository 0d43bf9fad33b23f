"""
Single-location regression from zero
====================================

One token of a sequence decides the answer and nobody says which. We draw such a sequence, watch
linear regression fail, let attention find the token, and train it, in five minutes and without a
GPU.
"""

# %%
# The problem
# -----------
# A sequence has :math:`L` tokens :math:`X_1, \dots, X_L` in :math:`\mathbb{R}^d`. One of them, at
# a random place :math:`J`, leans along a direction :math:`k^*`, and the answer reads it off along
# another:
#
# .. math::
#
#     X_J \sim N(m\,k^*, \gamma^2 I), \quad X_l \sim N(0, I), \quad Y = X_J \cdot v^* + \varepsilon.
#
# Whoever is to predict :math:`Y` sees the tokens, and neither :math:`J` nor the directions.
import jax
import matplotlib.pyplot as plt
import numpy as np

from soloc import SingleLocation

task = SingleLocation(d=40, L=10, gamma=1.0, eps=0.1, signal=4.0)
truth = task.truth(jax.random.key(0))
batch = task.sample(truth, jax.random.key(1), 5_000)
print("tokens", batch.tokens.shape, "answers", batch.answers.shape)

figure, axis = plt.subplots(figsize=(7, 2.6), layout="constrained")
axis.imshow(batch.tokens[0].T, cmap="RdBu_r", vmin=-4, vmax=4, aspect="auto", interpolation="none")
axis.set(xlabel="token", ylabel="coordinate", title="one sequence: which token decides?")
plt.show()

# %%
# Linear regression has nothing to hold on to
# -------------------------------------------
# It weighs all places alike, for each is decisive as often as any other. With more data it does
# not get better than ``linear_risk``, which is exact.
from soloc import bayes_risk, linear_risk, null_risk

flat, answers = batch.tokens.reshape(5_000, -1), np.asarray(batch.answers)
slope, *_ = np.linalg.lstsq(flat[:4_000], answers[:4_000], rcond=None)
error = np.mean((flat[4_000:] @ slope - answers[4_000:]) ** 2)
print(f"least squares on 4,000 sequences {error:.2f}, with infinitely many {linear_risk(task):.2f}")
print(f"no answer {null_risk(task):.2f}, the best possible {bayes_risk(task):.3f}")

# %%
# Attention looks along one direction
# -----------------------------------
# A score :math:`X_l \cdot k` for each token, a weight from the scores, an answer from the weighted
# values:
#
# .. math:: T(X) = \sum_l p_l(X k)\; X_l \cdot v, \qquad p = \mathrm{softmax}(\lambda X k).
#
# With :math:`k = k^*`, :math:`v = v^*` and :math:`\lambda = m` the weights are the posterior of
# the place.
k, v = np.asarray(truth.k), np.asarray(truth.v)
scores = batch.tokens @ k
weights = np.exp(4.0 * (scores - scores.max(axis=1, keepdims=True)))
weights /= weights.sum(axis=1, keepdims=True)
said = np.sum(weights * (batch.tokens @ v), axis=1)
print(f"simulated risk of attention {np.mean((said - answers) ** 2):.3f}")
apart = np.abs(weights - task.posterior(truth, batch.tokens)).max()
print(f"weights minus posterior, at most {apart:.0e}")

figure, axis = plt.subplots(figsize=(7, 2.4), layout="constrained")
decisive = np.arange(10) == batch.location[0]
axis.bar(range(10), weights[0], color=np.where(decisive, "tab:orange", "tab:gray"))
axis.set(xlabel="token", ylabel="attention", title="the same sequence; orange decides")
plt.show()

# %%
# The same number without a simulation
# ------------------------------------
# The risk depends on :math:`k` and :math:`v` only through their overlaps with the truth, such as
# :math:`\kappa = k \cdot k^*` and :math:`\nu = v \cdot v^*`. soloc computes it exactly, at any
# dimension.
from soloc import Overlaps, Softmax, population_risk

print(f"exact risk {population_risk(task, Softmax(4.0), Overlaps(kappa=1.0, nu=1.0)):.4f}")
kappa = np.linspace(0, 1, 50)
figure, axis = plt.subplots(figsize=(6, 3.2), layout="constrained")
axis.plot(kappa, population_risk(task, Softmax(4.0), Overlaps(kappa=kappa, nu=1.0)))
axis.axhline(bayes_risk(task), color="gray", ls=":", label="Bayes")
axis.set(xlabel="κ: how well k is aligned with k*", ylabel="exact risk")
axis.legend()
plt.show()

# %%
# Training
# --------
# Gradient descent on that risk moves five numbers instead of eight hundred. From random directions
# both alignments rise, first what to read off, then where to look.
from soloc import Erf, population_path
from soloc.dynamics.starts import uniform_on_manifold

wide = SingleLocation(d=400, L=10)
start = uniform_on_manifold(wide.d, 10, jax.random.key(2))
path = population_path(wide, Erf(lam=0.1), start, steps=12_000, step_size=4e-3)
path.figure()

# %%
# Where to go from here
# ---------------------
# * your own data: the next tutorial, *Your bags in ten minutes*;
# * every figure of the paper: ``soloc reproduce``;
# * sliders instead of scripts: ``soloc lab``.
path
