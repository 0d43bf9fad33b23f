"""Exact errors of simple attentions on noisy recall: values say nothing of keys and query.

Given keys and query, E[(sum_l w_l v_l - v_J)^2] = 1 - 2 E[w_J] + E[sum_l w_l^2].
"""

from soloc.tasks.noisy_recall import NoisyRecall


def uniform_recall_error(L: int) -> float:
    """Error of the mean of the values: 1 - 1/L."""
    return 1.0 - 1.0 / L


def linear_recall_error(task: NoisyRecall, gamma: float, L: int) -> float:
    """Error of linear attention w_l = gamma k_l . q / L.

    E[(k_J.q)^2] = 1 + tau, and E[(k_l.q)^2] = (1 + tau d)/d for the others.
    """
    own, other = 1.0 + task.tau, (1.0 + task.tau * task.d) / task.d
    return 1.0 - 2.0 * gamma / L + (gamma / L) ** 2 * (own + (L - 1) * other)
