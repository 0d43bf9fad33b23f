"""
When do more tokens help?
=========================

Tokens that share a hidden rule: attention infers the rule, and the error falls with every token.
That is the opposite of one decisive token, which more tokens only hide.
"""

import matplotlib.pyplot as plt
import numpy as np

from soloc import SingleLocation, bayes_risk
from soloc.predictors.key_query import SoftmaxAttention
from soloc.risk.latent_error import error_given_keys, softmax_floor
from soloc.tasks.exchangeable_latent import ExchangeableLatent

task, rng = ExchangeableLatent(), np.random.default_rng(0)
lengths = [4, 8, 16, 32, 64, 128, 256]


def errors(weights_of, L, draws=200):
    """Mean over keys and queries; given those, the error is exact."""
    keys, query = task.key_law.draw(rng, draws, L), task.key_law.draw(rng, draws)
    return error_given_keys(task, keys, query, weights_of(keys, query)).mean()


bayes = [errors(task.bayes_weights, L) for L in lengths]
warm = [errors(SoftmaxAttention(0.5).weights, L) for L in lengths]

# %%
figure, axis = plt.subplots(figsize=(6.2, 3.8), layout="constrained")
axis.plot(lengths, bayes, "o-", label="a shared rule, Bayes")
axis.plot(lengths, warm, "s-", label="a shared rule, softmax at τ = .5")
axis.axhline(softmax_floor(task, 0.5), color="tab:orange", ls=":", label="its floor, exact")
one = SingleLocation(L=np.array(lengths, float), gamma=1.0, signal=2.5)
axis.plot(lengths, bayes_risk(one), "^-", label="one token decides, Bayes")
axis.set(xscale="log", xlabel="tokens L", ylabel="mean squared error", ylim=(0, None))
axis.legend()
plt.show()
