"""Does a head of a real transformer look at the decisive word, as the fitted attention does?"""

import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd

from soloc.experiments.certificates import Certificate
from soloc.experiments.experiment import Experiment
from soloc.experiments.text.decisive import TRANSFORMER_NEEDS
from soloc.text.generator import rated_sentences
from soloc.text.transformer import load_transformer


@dataclass(frozen=True)
class Config:
    """A transformer, and the sentences: to fit, to choose a head, to test it."""

    model: str = "minilm"
    sentences: int = 4000
    choosing: int = 500
    testing: int = 1000
    seed: int = 0


def run(config: Config) -> pd.DataFrame:
    """One row per head: how often it points at the decisive word, and agreement with the fit."""
    # here: those who only read the table need no estimator
    from soloc.estimators.diagnostics import PointingWarning
    from soloc.text.heads import head_attention, pointed_words
    from soloc.text.pipelines import rated_pipeline

    train = rated_sentences(config.sentences, "train", random_state=config.seed)
    fitted = rated_pipeline().fit(train.texts, train.scores)
    transformer = load_transformer(config.model)
    found = {}
    for split, n in (("seen", config.choosing), ("templates", config.testing)):
        data = rated_sentences(n, split, random_state=config.seed)
        bags = fitted[:-1].transform(data.texts)
        attention = head_attention(transformer, bags)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PointingWarning)
            ours = fitted[-1].locate(bags)
        found[split] = (
            bags,
            bags.word_at(data.starts),
            attention,
            pointed_words(attention, bags),
            ours,
        )
    bags, truth, attention, heads, ours = found["templates"]
    flat = bags.offsets[:-1] + truth
    total = np.add.reduceat(attention, bags.offsets[:-1], axis=2)
    layers, count = heads.shape[:2]
    rows = [
        {
            "layer": layer + 1,
            "head": head,
            "chosen_by": (found["seen"][3][layer, head] == found["seen"][1]).mean(),
            "rate": (heads[layer, head] == truth).mean(),
            "agreement": (heads[layer, head] == ours).mean(),
            "mass": (attention[layer, head, flat] / np.maximum(total[layer, head], 1e-12)).mean(),
        }
        for layer in range(layers)
        for head in range(count)
    ]
    return pd.DataFrame(rows).assign(
        fitted_rate=(ours == truth).mean(), chance=(1 / bags.lengths).mean(), model=config.model
    )


def best_head(table: pd.DataFrame) -> pd.Series:
    """The head that points best on the sentences to choose by."""
    return table.loc[table.chosen_by.idxmax()]


def findings(table: pd.DataFrame) -> str:
    """What the table shows."""
    best = best_head(table)
    return (
        f"Of {len(table)} heads, head {best['head']:.0f} of layer {best['layer']:.0f} looks most at"
        f" the decisive word: it points at it in {best['rate']:.1%} of new sentences (chance"
        f" {best['chance']:.1%}), with {best['mass']:.0%} of the weight that it gives to words. The"
        f" fitted single-location attention does in {best['fitted_rate']:.1%}, and the two name the"
        f" same word in {best['agreement']:.1%}."
    )


def certificates(table: pd.DataFrame) -> list[Certificate]:
    """The best head beats chance clearly; agreement is reported."""
    best = best_head(table)
    return [
        Certificate(
            "A head of the transformer looks at the decisive word",
            f"share of sentences of new templates at whose decisive word layer {best['layer']:.0f},"
            f" head {best['head']:.0f} looks most; the head was chosen on other sentences",
            f"above twice chance ({2 * best['chance']:.3f})",
            f"{best['rate']:.3f}; agreement with the fitted attention {best['agreement']:.3f}",
            bool(best["rate"] > 2 * best["chance"]),
        )
    ]


EXPERIMENT = Experiment(
    name="text_heads",
    question="Does a head of a real transformer look at the decisive word?",
    config=Config(),
    quick=Config(sentences=2000, choosing=500, testing=500),
    run=run,
    findings=findings,
    certificates=certificates,
    seconds=30.0,
    needs=("wordllama", *TRANSFORMER_NEEDS),
    extra="text,transformers",
)
