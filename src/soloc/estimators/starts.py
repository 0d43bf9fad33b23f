"""Starts: keys from moments of the data, whose sign and scale the objective decides, then random
ones.

    v0 from the ridge regression of y on bag means:        E[Y sum_l X_l] is proportional to v
    k0 from S^-1 sum_i y_i sum_l (z_il.v0) z_il:           E[Y sum_l (X_l.v) X_l] is proportional to
    k

with z centred and S the covariance of instances. The first never failed in a pilot; random ones
sometimes localise nothing.
"""

from collections.abc import Callable, Iterator

import numpy as np

from soloc.estimators.tokens import Tokens

MIDDLE, OTHER_SCALES = 1.5, (0.5, 4.0)  # standard deviations of the scores over instances
COVARIANCE_ROWS = 20  # instances per feature from which the covariance is estimated


def start_directions(
    tokens: Tokens, y: np.ndarray, slope: np.ndarray, count: int, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """`count` key directions, each with scores of unit standard deviation over the instances.

    `slope` (d,) or (d, outputs) is that of the mean-pool ridge, `y` the centred labels, (n,) or (n,
    outputs).
    """
    whiten = instance_whitener(tokens)
    moment = second_moment(tokens, y, slope)
    outputs = slope.reshape(len(slope), -1)
    candidates = [whiten(moment), outputs[:, np.argmax((outputs**2).sum(axis=0))]]
    candidates += [rng.standard_normal(len(slope)) for _ in range(count - 2)]
    for candidate in candidates[:count]:
        scores = tokens.scores(candidate)
        deviation = float(scores.std(dtype=np.float64))
        if np.isfinite(deviation) and deviation > 1e-12:
            yield candidate / deviation


def best_scale(value: Callable[[np.ndarray], float], direction: np.ndarray) -> np.ndarray:
    """The direction with the sign that an objective prefers at a middle scale, then with the scale
    it prefers."""
    found = {sign * MIDDLE: value(sign * MIDDLE * direction) for sign in (1, -1)}
    sign = np.sign(min(found, key=lambda scale: found[scale]))
    found |= {sign * scale: value(sign * scale * direction) for scale in OTHER_SCALES}
    return min(found, key=lambda scale: found[scale]) * direction


def second_moment(tokens: Tokens, y: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """sum_i y_i sum_l (z_il.v0) z_il, summed over outputs."""
    values = tokens.values(slope)
    labels = np.repeat(y.astype(tokens.dtype), tokens.lengths, axis=0)
    per_instance = values * labels
    return tokens.adjoint(per_instance if per_instance.ndim == 1 else per_instance.sum(axis=1))


def instance_whitener(tokens: Tokens):
    """Multiplication by the inverse covariance of instances, estimated from evenly spaced ones and
    shrunk.
    """
    d = tokens.x.shape[1]
    if d > 1000:
        return lambda vector: vector
    step = max(1, tokens.count // (COVARIANCE_ROWS * d))
    rows = tokens.standard(slice(None, None, step))
    rows -= rows.mean(axis=0)
    covariance = rows.T @ rows / len(rows)
    covariance[np.diag_indices(d)] += (
        0.05 * max(np.trace(covariance) / d, 1e-12) + d / len(rows) * 0.05
    )
    return lambda vector: np.linalg.solve(covariance, vector)
