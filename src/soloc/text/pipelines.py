"""Whole models of text: the usual pipeline, and the one fitted to rated sentences."""

from functools import cache, lru_cache
from typing import Any

from sklearn.pipeline import Pipeline

from soloc.estimators.classifier import SingleLocationClassifier
from soloc.estimators.regressor import SingleLocationRegressor
from soloc.text.generator import rated_sentences
from soloc.text.kernel import WordKernel
from soloc.text.text_tokens import STATIC, TextTokens
from soloc.text.words import WORD

RATED_ALPHA = 2.0  # scores of rated sentences carry no noise, so little is shrunk


def text_pipeline(
    model: str = STATIC, layer: int = -1, *, classes: bool = False, **parameters: Any
) -> Pipeline:
    """From strings to scores (or classes): word vectors, kernel features for static ones,
    single-location attention.

    `parameters` are those of the estimator, such as `alpha` and `loss`.
    """
    estimator = (SingleLocationClassifier if classes else SingleLocationRegressor)(**parameters)
    steps: list[tuple[str, Any]] = [("tokens", TextTokens(model, layer))]
    if model == STATIC:
        steps.append(("kernel", WordKernel()))
    return Pipeline([*steps, ("attention", estimator)])


def rated_pipeline() -> Pipeline:
    """The usual pipeline on static vectors with what suits scores without noise."""
    return text_pipeline(alpha=RATED_ALPHA, loss="squared", value_alpha="auto")


@lru_cache(maxsize=2)
def fit_rated_sentences(n: int = 2000, random_state: int = 0) -> Pipeline:
    """The usual pipeline on static vectors, fitted to `n` rated sentences in a few seconds."""
    data = rated_sentences(n, random_state=random_state)
    return rated_pipeline().fit(data.texts, data.scores)


@cache
def rated_words() -> frozenset[str]:
    """Every word of the rated sentences that `fit_rated_sentences` reads, in small letters."""
    texts = rated_sentences(2000, random_state=0).texts
    return frozenset(word.lower() for text in texts for word in WORD.findall(text))
