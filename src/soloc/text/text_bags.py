"""Bags whose instances are words: they remember the texts and where in them each word stands."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from soloc.estimators.bags import Bags


class TextBags(Bags):
    """One bag per text, one instance per word; `names` are the words, `spans` their first and last
    characters.

    The text of bag i is `texts[i]`; word number j of all words stands at `spans[j, 0]:spans[j, 1]`
    of its text.
    """

    def __init__(
        self,
        values: Any,
        offsets: Any,
        *,
        texts: Sequence[str],
        spans: np.ndarray,
        names: Sequence[str],
        ids: Sequence[Hashable] | None = None,
        labels: Any = None,
        features: Sequence[str] | None = None,
    ) -> None:
        super().__init__(values, offsets, names=names, ids=ids, labels=labels, features=features)
        self.texts = list(texts)
        self.spans = np.asarray(spans, dtype=np.intp)

    def __getitem__(self, index: Any) -> "TextBags":
        bags = super().__getitem__(index)
        if isinstance(index, tuple):
            index = index[0]
        chosen = np.atleast_1d(np.arange(len(self))[index])
        rows = np.concatenate([np.arange(self.offsets[i], self.offsets[i + 1]) for i in chosen])
        return TextBags(
            bags.values,
            bags.offsets,
            texts=[self.texts[i] for i in chosen],
            spans=self.spans[rows],
            names=bags.names or [],
            ids=bags.ids,
            labels=bags.labels,
            features=bags.features,
        )

    def with_values(self, values: np.ndarray, features: Sequence[str] | None = None) -> "TextBags":
        """The same words with other vectors."""
        return TextBags(
            values,
            self.offsets,
            texts=self.texts,
            spans=self.spans,
            names=self.names or [],
            ids=self.ids,
            labels=self.labels,
            features=features,
        )

    def spans_of(self, position: int) -> np.ndarray:
        """First and last characters of the words of a bag, (words, 2)."""
        return self.spans[self.offsets[position] : self.offsets[position + 1]]

    def word_at(self, characters: np.ndarray) -> np.ndarray:
        """Position within its bag of the word that covers a character of each text; -1 where none
        does.
        """
        found = np.full(len(self), -1)
        for i, character in enumerate(characters):
            spans = self.spans_of(i)
            inside = np.flatnonzero((spans[:, 0] <= character) & (character < spans[:, 1]))
            if len(inside):
                found[i] = inside[0]
        return found
