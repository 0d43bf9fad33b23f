"""Approximate message passing: the reference learner of the task, in O(n L d) a step.

    w = X k^ - V_k g_k,   z = X v^ - V_v g_v          X.k* and X.v* as others know them
    r_l = softmax_l(m w_l - (Y - z_l)^2 / (2 tau))    tau = eps^2 + V_v
    g_k = m r,   g_v = r (Y - z) / tau                then k^, v^ from X'g, and V = 1 - q

V and the sums c below are the derivatives that make the errors of all tokens look independent.
Tokens have a mean along k*, so that an error of v^ along k* would grow: v^ is kept orthogonal to
k^, and neither is longer than the unit vector it stands for. Predict by softmax(m X k^)' X v^.
Its `q_k`, `q_v` and `risk` are its own running prediction.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from soloc.learning.responsibility import attention_on_decisive
from soloc.maths.numbers import check_real

_ITERATIONS = 200
_SETTLED = 1e-6  # change of both directions in one step; their errors are of order 1/sqrt(d)
_LEAST_NOISE = 1e-3  # that EM believes


class Amp(NamedTuple):
    """What AMP found: posterior means of k and v, their squared norms, and the path to them."""

    key: np.ndarray
    value: np.ndarray
    q_k: float
    q_v: float
    risk: float  #: predicted for new sequences
    signal: float  #: given, or estimated by EM
    noise: float
    converged: bool
    history: pd.DataFrame  #: one row per step: q_k, q_v, risk, signal, noise, change


class _Data(NamedTuple):
    """Sequences laid end to end."""

    x: np.ndarray  #: (tokens, d)
    y: np.ndarray  #: (tokens,) the label of each token's sequence
    starts: np.ndarray  #: (n,)
    lengths: np.ndarray  #: (n,)

    def softmax(self, scores: np.ndarray) -> np.ndarray:
        """Within every sequence."""
        top = np.repeat(np.maximum.reduceat(scores, self.starts), self.lengths)
        r = np.exp(scores - top)
        return r / np.repeat(np.add.reduceat(r, self.starts), self.lengths)


class _State(NamedTuple):
    """What the next step needs."""

    key: np.ndarray
    value: np.ndarray
    g_k: np.ndarray
    g_v: np.ndarray
    V_k: float
    V_v: float
    signal: float
    noise: float


def amp(
    tokens: np.ndarray | Sequence[np.ndarray],
    labels: Any,
    signal: float | None = None,
    noise: float | None = None,
) -> Amp:
    """Learn k* and v* from sequences whose background tokens are standard normal.

    Parameters
    ----------
    tokens : an (n, L, d) array, or n arrays of shape (L_i, d).
    labels : n numbers.
    signal : the strength m of the decisive token; estimated by EM when not given.
    noise : standard deviation of the noise on the labels; estimated by EM when not given.
    """
    data = _laid_end_to_end(tokens, labels)
    for name, number in (("signal", signal), ("noise", noise)):
        if number is not None:
            check_real(name, number, "a number >= 0", 0.0)
    state = _begin(data, signal, noise)
    rows: list[dict[str, float]] = []
    change = np.inf
    while len(rows) < _ITERATIONS and change > _SETTLED:
        new = _step(data, state, signal is None, noise is None)
        change = float(
            np.linalg.norm(new.key - state.key)
            + np.linalg.norm(new.value - state.value)
            + abs(new.signal - state.signal)
            + abs(new.noise - state.noise)
        )
        state = new
        rows.append({**_prediction(data, state), "change": change})
    last = rows[-1]
    return Amp(
        state.key, state.value, last["q_k"], last["q_v"], last["risk"], state.signal, state.noise,
        change <= _SETTLED, pd.DataFrame(rows),
    )  # fmt: skip


def _step(data: _Data, state: _State, learn_signal: bool, learn_noise: bool) -> _State:
    n, d, m = len(data.starts), data.x.shape[1], state.signal
    scores, values = np.stack([state.key, state.value]) @ data.x.T  # the tokens are read once
    w = scores - state.V_k * state.g_k
    z = values - state.V_v * state.g_v
    tau = state.noise**2 + state.V_v
    miss = data.y - z
    r = data.softmax(m * w - miss**2 / (2.0 * tau))
    g_k, g_v = m * r, r * miss / tau
    c_k = m * m * np.sum(r * (1.0 - r))
    c_v = np.sum(r * (1.0 - r) * miss**2) / tau**2 - np.sum(r) / tau
    qhat_k = max((n * m * m - c_k) / d, 0.0)
    qhat_v = max(-c_v / d, 0.0)
    pull_k, pull_v = np.stack([g_k, g_v]) @ data.x
    key = (pull_k - c_k * state.key) / (d * (1.0 + qhat_k))
    value = (pull_v - c_v * state.value) / (d * (1.0 + qhat_v))
    value = value - (value @ key) / max(key @ key, 1e-300) * key
    key, value = _no_longer_than_one(key), _no_longer_than_one(value)
    new_signal, new_noise = m, state.noise
    if learn_signal:
        new_signal = _signal_by_em(r, w, state.V_k, m, n)
    if learn_noise:
        shrink = state.noise**2 / tau
        square = np.sum(r * miss**2) / n * shrink**2 + state.V_v * shrink
        new_noise = max(float(np.sqrt(square)), _LEAST_NOISE)
    return _State(
        key, value, g_k, g_v, 1.0 / (1.0 + qhat_k), 1.0 / (1.0 + qhat_v), new_signal, new_noise
    )


def _no_longer_than_one(mean: np.ndarray) -> np.ndarray:
    """A mean of unit vectors; with nearly no noise and few dimensions AMP would else diverge."""
    return mean / max(float(np.linalg.norm(mean)), 1.0)


def _signal_by_em(r: np.ndarray, w: np.ndarray, V_k: float, m: float, n: int) -> float:
    """Half a step of EM in log m: once data abound k^ answers like 1/m, and a whole step would
    swing from m to m*^2/m for ever.
    """
    whole = np.sum(r * w) / n + V_k * m
    return float(np.sqrt(m * max(whole, 0.25 * m)))


def _begin(data: _Data, signal: float | None, noise: float | None) -> _State:
    """Nothing known of k* and v*; signal and noise from moments where they are not given."""
    n, (count, d) = len(data.starts), data.x.shape
    if signal is None:
        mean = data.x.sum(axis=0) / n
        signal = float(np.sqrt(max(mean @ mean - count * d / n**2, 0.25)))
    if noise is None:
        spread = np.mean(data.y[data.starts] ** 2)
        noise = float(np.sqrt(max(spread - 1.0, 0.05)))
    nothing = np.zeros(d), np.zeros(d), np.zeros(count), np.zeros(count)
    return _State(*nothing, 1.0, 1.0, float(signal), float(noise))


def _prediction(data: _Data, state: _State) -> dict[str, float]:
    q_k, q_v = 1.0 - state.V_k, 1.0 - state.V_v
    lengths, counts = np.unique(data.lengths, return_counts=True)
    masses = [attention_on_decisive(state.signal**2 * q_k, int(L)) for L in lengths]
    risk = state.noise**2 + 1.0 - q_v * float(np.average(masses, weights=counts))
    return {"q_k": q_k, "q_v": q_v, "risk": risk, "signal": state.signal, "noise": state.noise}


def _laid_end_to_end(tokens: Any, labels: Any) -> _Data:
    if isinstance(tokens, np.ndarray) and tokens.ndim == 3:
        lengths, x = np.full(len(tokens), tokens.shape[1]), tokens.reshape(-1, tokens.shape[2])
    else:
        parts = [np.asarray(part) for part in tokens]
        if not parts or any(part.ndim != 2 or len(part) == 0 for part in parts):
            raise ValueError(
                "`tokens` must be an (n, L, d) array or a list of (L_i, d) arrays with at least one"
                f" token each, got {len(parts)} items that are not."
            )
        if len({part.shape[1] for part in parts}) > 1:
            widths = sorted({part.shape[1] for part in parts})
            raise ValueError(f"`tokens` must all have one dimension d, got {widths}.")
        lengths, x = np.array([len(part) for part in parts]), np.concatenate(parts)
    y = np.asarray(labels, dtype=float)
    if y.shape != lengths.shape:
        raise ValueError(
            f"`labels` must hold one number per sequence, {len(lengths)} of them, got an array of"
            f" shape {y.shape}."
        )
    if x.size == 0 or not (np.all(np.isfinite(x)) and np.all(np.isfinite(y))):
        raise ValueError("`tokens` and `labels` must be finite numbers, and at least one of each.")
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    return _Data(x, np.repeat(y, lengths), starts, lengths)
