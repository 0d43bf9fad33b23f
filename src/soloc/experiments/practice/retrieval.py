"""Long-range retrieval: one of 1,000 values by a blurred copy of its key, near or far.

An answer is right when no other value of the sequence is nearer to it.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import erf

from soloc.experiments.certificates import Certificate, at_most
from soloc.experiments.experiment import Experiment
from soloc.experiments.latent.batches import one_blas_thread, pieces
from soloc.experiments.practice.recipes import EXTRA, NEEDS, optimiser
from soloc.maths.randomness import derived_key
from soloc.predictors.key_query import LinearAttention, SoftmaxAttention
from soloc.tasks.noisy_recall import NoisyRecall
from soloc.tasks.protocol import attend

BAYES, LAYER = "softmax, exact", "softmax layer, trained"
ERF, LINEAR = "erf, simplified", "linear attention"
NEAREST = "distance"


@dataclass(frozen=True)
class Config:
    """Keys in d dimensions, values in dv; the decisive token at a distance in one of `bands`."""

    lengths: tuple[int, ...] = (10, 30, 100, 300, 1000)
    bands: int = 6
    sequences: int = 1200  #: at the longest length, and as many at the others
    d: int = 16
    dv: int = 8
    tau: float = 0.01
    p: int = 16
    lam: float = 2.0  #: of erf
    trained_at: int = 1000
    steps: int = 500
    batch: int = 16
    rate: float = 5e-2
    seed: int = 0

    def task(self, L: int) -> NoisyRecall:
        return NoisyRecall(self.d, self.tau, self.dv, L)


@one_blas_thread
def run(config: Config) -> pd.DataFrame:
    """One row per mechanism and length, and per band of distances at the longest: accuracy."""
    form = trained_form(config)
    seen = pd.concat([_answers(config, L, form) for L in config.lengths], ignore_index=True)
    rows = [_summary(seen, ["mechanism", "L"]).assign(part="length")]
    longest = seen[seen.L.max() == seen.L]
    edges = np.geomspace(1.0, longest.L.iloc[0] + 1.0, config.bands + 1)
    band = np.clip(np.digitize(longest.distance, edges) - 1, 0, config.bands - 1)
    middle = np.sqrt(edges[:-1] * edges[1:])
    by_band = longest.assign(band=middle[band])
    rows.append(_summary(by_band, ["mechanism", "L", "band"]).assign(part=NEAREST))
    return pd.concat(rows, ignore_index=True)


def _summary(seen: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    groups = seen.groupby(by, sort=False)
    right, n = groups.right.mean(), groups.size()
    smoothed = (groups.right.sum() + 1.0) / (n + 2.0)  # an error that is never 0
    error = np.sqrt(smoothed * (1.0 - smoothed) / n)
    loss = groups.loss.mean()
    found = pd.DataFrame({"accuracy": right, "error": error, "n": n, "loss": loss})
    return found.reset_index()


def trained_form(config: Config) -> np.ndarray:
    """K'Q of a softmax layer with free matrices, trained on fresh sequences: scores k' K'Q q."""
    import equinox as eqx
    import jax
    import jax.numpy as jnp

    from soloc.networks import train

    class Layer(eqx.Module):
        """softmax(K k_l . Q q) v_l, with tokens as keys, values and a query."""

        K: jax.Array
        Q: jax.Array

        def __call__(self, tokens: Any) -> jax.Array:
            scores = (tokens.keys @ self.K.T) @ (self.Q @ tokens.query)
            return jax.nn.softmax(scores) @ tokens.values

    def begin(key: jax.Array) -> Layer:
        one, other = jax.random.split(key)
        shape, scale = (config.p, config.d), config.d**-0.5
        return Layer(scale * jax.random.normal(one, shape), scale * jax.random.normal(other, shape))

    found = train(
        begin,
        Drawn(config.task(config.trained_at)),  # type: ignore[arg-type]
        optimiser("Adam", config.rate, config.steps, falling=True),
        steps=config.steps,
        key=derived_key(config.seed, LAYER),
        batch=config.batch,
        every=config.steps,
    )
    layer = found.network()
    return np.asarray(jnp.matmul(layer.K.T, layer.Q), float)


class Tokens(NamedTuple):
    """Keys, values and query of sequences."""

    keys: Any
    values: Any
    query: Any


class Recalled(NamedTuple):
    """Sequences with their answers."""

    tokens: Tokens
    answers: Any


@dataclass(frozen=True)
class Drawn:
    """Noisy recall as training draws it: inside a compiled program."""

    task: NoisyRecall

    def truth(self, key: Any) -> tuple[()]:
        return ()

    def sample(self, truth: tuple[()], key: Any, n: int) -> Recalled:
        import jax
        import jax.numpy as jnp

        task = self.task
        for_numbers, for_place = jax.random.split(key)
        sizes = np.cumsum([task.L * task.d, task.L * task.dv])
        # one draw for all: a program that draws is slow to compile
        numbers = jax.random.normal(for_numbers, (n, sizes[-1] + task.d))
        keys, values, blur = jnp.split(numbers, sizes, axis=1)
        keys, values = keys.reshape(n, task.L, -1), values.reshape(n, task.L, -1)
        keys = keys / jnp.linalg.norm(keys, axis=-1, keepdims=True)
        rows, place = jnp.arange(n), jax.random.randint(for_place, (n,), 0, task.L)
        query = keys[rows, place] + jnp.sqrt(task.tau) * blur
        return Recalled(Tokens(keys, values, query), values[rows, place])


def _answers(config: Config, L: int, form: np.ndarray) -> pd.DataFrame:
    """One row per mechanism and sequence: the distance, and whether the answer is right."""
    task, out = config.task(L), []
    for number, size in pieces(config.sequences, L, 100_000):
        drawn = task.sample((), derived_key(config.seed, "asked", L, number), size)
        rows = np.arange(size)
        # places are alike: put the decisive token at a distance whose logarithm is uniform
        u = np.random.default_rng([config.seed, L, number]).random(size)
        distance = np.minimum(np.floor(np.exp(u * np.log(L + 1.0))).astype(int), L)
        keys, values = _moved(drawn, L - distance)
        turned = drawn.query @ form.T
        weights = {
            BAYES: SoftmaxAttention(config.tau).weights(keys, drawn.query),
            LAYER: SoftmaxAttention(1.0).weights(keys, turned),
            ERF: erf(config.lam * np.einsum("nld,nd->nl", keys, drawn.query)),
            LINEAR: LinearAttention(gamma=L / (1.0 + config.tau)).weights(keys, drawn.query),
        }
        for name, each in weights.items():
            answers = attend(each, values)
            if name in (ERF, LINEAR):  # at the scale of least error
                target = values[rows, L - distance]
                answers = answers * (np.sum(answers * target) / np.sum(answers**2))
            off = np.sum((values - answers[:, None]) ** 2, axis=-1)
            right = off.argmin(axis=1) == L - distance
            loss = off[rows, L - distance] / config.dv
            out.append(
                pd.DataFrame(
                    {"mechanism": name, "L": L, "distance": distance, "right": right, "loss": loss}
                )
            )
    return pd.concat(out, ignore_index=True)


def _moved(drawn: Any, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Keys and values with the decisive token swapped to another place."""
    rows = np.arange(len(place))
    keys, values = drawn.keys.copy(), drawn.values.copy()
    for array in (keys, values):
        there = array[rows, place].copy()
        array[rows, place] = array[rows, drawn.latent]
        array[rows, drawn.latent] = there
    return keys, values


def _by_length(table: pd.DataFrame, mechanism: str) -> pd.DataFrame:
    rows = table[(table.part == "length") & (table.mechanism == mechanism)]
    return rows.set_index("L").sort_index()


def spread(table: pd.DataFrame) -> float:
    """Largest |z| of a band of distances against the accuracy of its mechanism over all."""
    bands = table[table.part == NEAREST]
    everywhere = {name: _by_length(table, name).iloc[-1] for name in set(bands.mechanism)}
    return max(
        abs(row.accuracy - everywhere[row.mechanism].accuracy)
        / float(np.hypot(row.error, everywhere[row.mechanism].error))
        for row in bands.itertuples()
    )


def findings(table: pd.DataFrame) -> str:
    """What the table shows."""
    longest = int(table.L.max())
    last = {name: _by_length(table, name).iloc[-1] for name in (BAYES, LAYER, ERF, LINEAR)}
    short = _by_length(table, LINEAR)
    return (
        f"Over {longest:,} tokens the softmax layer, trained, returns the right value in"
        f" {last[LAYER].accuracy:.1%} of sequences, the exact posterior in"
        f" {last[BAYES].accuracy:.1%}, erf in {last[ERF].accuracy:.1%} and linear attention in"
        f" {last[LINEAR].accuracy:.1%} (of {short.index[0]} tokens {short.accuracy.iloc[0]:.0%})."
        f" Distance does not matter to any of them (largest |z| {spread(table):.1f}): what is lost"
        " is lost to the number of other tokens, whose noise linear attention adds up."
    )


def certificates(table: pd.DataFrame) -> list[Certificate]:
    """Distance costs nothing, the layer does as the posterior, linear attention is drowned."""
    bayes, layer, linear = (_by_length(table, name).iloc[-1] for name in (BAYES, LAYER, LINEAR))
    gap = float(bayes.accuracy - layer.accuracy)
    allowed = 0.03 + 3.0 * float(np.hypot(bayes.error, layer.error))
    behind = float(layer.accuracy - linear.accuracy)
    error = float(np.hypot(layer.error, linear.error))
    return [
        at_most(
            "Accuracy does not depend on the distance",
            "largest |z| of a band of distances, over mechanisms",
            spread(table),
            4.5,
        ),
        at_most(
            "A trained softmax layer retrieves as well as the exact posterior",
            "difference in accuracy at the longest length over (.03 + 3 errors)",
            gap / allowed,
            1.0,
        ),
        Certificate(
            "Linear attention does not",
            "accuracy of the softmax layer minus that of linear attention, minus 4 errors",
            "> .3",
            f"{behind - 4.0 * error:.3f}",
            behind - 4.0 * error > 0.3,
        ),
    ]


EXPERIMENT = Experiment(
    name="practice_retrieval",
    question="Can it retrieve one value among a thousand, however far away?",
    config=Config(),
    quick=Config(lengths=(10, 100, 1000), sequences=300, bands=4, trained_at=100, steps=800),
    run=run,
    findings=findings,
    certificates=certificates,
    seconds=20.0,
    needs=NEEDS,
    extra=EXTRA,
)
