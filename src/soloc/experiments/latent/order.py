"""Where is the order of tokens that attention does not see? In their positional encoding, or lost.

A signal s_l = z phi(x_l) over the places x_l = l/L of a circle is seen with noise; the question is
its value at one place. Turning the circle by one place permutes the tokens, so that without places
the answer's posterior mean is 0 and the best error is the prior variance, 1, whatever L.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from soloc.experiments.certificates import Certificate, at_most, band
from soloc.experiments.experiment import Experiment
from soloc.experiments.latent.batches import mean_and_error, one_blas_thread
from soloc.maths.harmonics import Harmonics
from soloc.maths.randomness import derived_key, generator
from soloc.predictors.kernel_mean import FeatureKernel, KernelMeanAttention
from soloc.predictors.key_query import UniformAttention
from soloc.tasks.protocol import attend

ENCODED, BARE = "attention, tokens carry their place", "attention, values alone"
SLOTS, SORTED = "weights per slot, no attention", "least squares on sorted values"


@dataclass(frozen=True)
class Config:
    """`sequences` signals at every length, answered in order and shuffled."""

    seed: int = 0
    lengths: tuple[int, ...] = (8, 32, 128)
    sequences: int = 8000
    sigma: float = 0.5


QUICK = Config(sequences=3000)


@one_blas_thread
def run(config: Config) -> pd.DataFrame:
    """One row per length, reader and order: error, its law, largest change by shuffling."""
    rows = []
    for L in config.lengths:
        rng = generator(derived_key(config.seed, "order", L))
        n = config.sequences
        features = Harmonics(2)
        angle = 2 * np.pi * np.arange(L) / L
        circle = np.stack([np.cos(angle), np.sin(angle)], -1)
        latent = rng.standard_normal((n, features.degrees.size))
        values = (latent @ features(circle).T + config.sigma * rng.standard_normal((n, L)))[
            ..., None
        ]
        asked = rng.integers(L, size=n)
        target = np.einsum("nf,nf->n", latent, features(circle[asked]))
        shuffle = np.argsort(rng.random((n, L)), axis=1)
        order = {"in order": np.broadcast_to(np.arange(L), (n, L)), "shuffled": shuffle}
        answers = {
            name: _answers(config, circle, values, asked, target, seats)
            for name, seats in order.items()
        }
        for reader, law in _laws(config, circle).items():
            change = float(
                np.max(np.abs(answers["in order"][reader] - answers["shuffled"][reader]))
            )
            for name in order:
                answer = answers[name][reader]
                error = mean_and_error((answer - target[-len(answer) :]) ** 2)
                rows.append((reader, L, name, *error, law[name], change))
    return pd.DataFrame(
        rows, columns=["reader", "L", "shown", "error", "standard_error", "law", "largest_change"]
    )


def _answers(
    config: Config,
    circle: np.ndarray,
    values: np.ndarray,
    asked: np.ndarray,
    target: np.ndarray,
    seats: np.ndarray,
) -> dict[str, np.ndarray]:
    """What every reader answers when seat i holds the token of place seats[:, i]."""
    n = len(values)
    shown = np.take_along_axis(values, seats[..., None], 1)
    query = circle[asked]
    reader = KernelMeanAttention(FeatureKernel(Harmonics(2)), config.sigma**2)
    by_slot = reader.weights(np.broadcast_to(circle, (n, *circle.shape)), query)
    blank = np.zeros((n, len(circle), 2))
    ordered = np.sort(shown[..., 0], 1)
    half = n // 2
    fitted = np.linalg.lstsq(ordered[:half], target[:half], rcond=None)[0]
    return {
        ENCODED: attend(reader.weights(circle[seats], query), shown)[:, 0],
        BARE: attend(UniformAttention().weights(blank, query), shown)[:, 0],
        SLOTS: attend(by_slot, shown)[:, 0],
        SORTED: ordered[half:] @ fitted,
    }


def _laws(config: Config, circle: np.ndarray) -> dict[str, dict[str, float]]:
    """Exact errors; sum_l phi(x_l) = 0 and Phi'Phi = L C on the circle (L > 4)."""
    L, noise = len(circle), config.sigma**2
    c = Harmonics(2).second_moment
    bayes = noise * np.sum(c / (L * c + noise))
    size = np.sum(c * L * c / (L * c + noise) ** 2)  # |w|^2 of the Bayes weights
    bare, lost = 1 + noise / L, 1 + size * (noise + 1 + 1 / (L - 1))
    return {
        ENCODED: {"in order": bayes, "shuffled": bayes},
        BARE: {"in order": bare, "shuffled": bare},
        SLOTS: {"in order": bayes, "shuffled": lost},
        SORTED: {"in order": 1.0, "shuffled": 1.0},
    }


def _row(table: pd.DataFrame, reader: str, shown: str) -> pd.Series:
    rows = table[(table["reader"] == reader) & (table["shown"] == shown)]
    return rows.loc[rows["L"].idxmax()]


def findings(table: pd.DataFrame) -> str:
    kept, bare, slots = (_row(table, reader, "shuffled") for reader in (ENCODED, BARE, SLOTS))
    return (
        f"Tokens that carry their place can be shuffled: at L = {kept['L']} no answer moves by more"
        f" than {kept['largest_change']:.0e} and the error stays {kept['error']:.4f}, while weights"
        f" tied to slots go from {_row(table, SLOTS, 'in order')['error']:.4f} to"
        f" {slots['error']:.2f}. Without places the order is lost: attention errs by"
        f" {bare['error']:.2f} and least squares on the sorted values by"
        f" {_row(table, SORTED, 'shuffled')['error']:.2f}, against a prior variance of 1."
    )


def certificates(table: pd.DataFrame) -> list[Certificate]:
    encoded = table[table["reader"] == ENCODED]
    exact = table[table["reader"] != SORTED]
    z = float(((exact["error"] - exact["law"]) / exact["standard_error"]).abs().max())
    lost = table[(table["reader"] == SORTED) | (table["reader"] == BARE)]
    least = float((lost["error"] + 4 * lost["standard_error"]).min())
    slots = _row(table, SLOTS, "shuffled")["error"] / _row(table, SLOTS, "in order")["error"]
    return [
        at_most(
            "with a positional encoding shuffling changes no answer",
            "largest change of an answer",
            encoded["largest_change"].max(),
            1e-10,
        ),
        band(
            "every error follows its exact law",
            "largest |z| over readers, orders and lengths",
            z,
            0,
            4.5,
        ),
        band(
            "without an encoding the order is lost",
            "least error + 4 standard errors of what sees values alone (prior variance 1)",
            least,
            1.0,
            np.inf,
        ),
        band(
            "weights tied to slots need the order",
            "error shuffled / in order at the longest L",
            slots,
            10,
            np.inf,
        ),
    ]


EXPERIMENT = Experiment(
    name="latent_order",
    question="Where is the order of tokens that attention does not see?",
    config=Config(),
    quick=QUICK,
    run=run,
    findings=findings,
    certificates=certificates,
    axes=("lengths",),
)
