"""Contextual vectors: the hidden state of a word in its sentence, at a layer of a transformer."""

import numpy as np

from soloc.text.transformer import Transformer, load_transformer
from soloc.text.words import Words


class ContextualVectors:
    """Each word is the mean of the hidden states of its pieces; special pieces and padding belong
    to no word.
    """

    def __init__(self, model: str, layer: int, batch_size: int) -> None:
        self.transformer: Transformer = load_transformer(model)
        count = self.transformer.layers
        if not isinstance(layer, (int, np.integer)) or not -count - 1 <= layer <= count:
            raise ValueError(
                f"`layer` must be an integer from 0 (the embeddings) to {count}, or from -1 back,"
                f" got {layer!r}."
            )
        self.layer = int(layer) % (count + 1)
        self.batch_size = batch_size
        self.width = self.transformer.width

    @property
    def fingerprint(self) -> str:
        """What decides the vectors."""
        return f"{self.transformer.fingerprint}-layer{self.layer}"

    def vectors(self, texts: list[Words]) -> list[np.ndarray]:
        """One array (words, width) per text; words beyond what the transformer reads are left off
        the end.
        """
        out: list[np.ndarray] = [np.empty((0, self.width), dtype=np.float32)] * len(texts)
        # the rest of a long text is not even cut into pieces
        read = [text.text[: text.spans[-1, 1]] for text in texts]
        for batch in self.transformer.read(read, [self.layer], self.batch_size):
            for i, row in enumerate(batch.rows):
                owner = word_of_piece(batch.offsets[i], texts[row].spans)
                out[row] = word_means(batch.states[0][i], owner)
        return out


def word_of_piece(offsets: np.ndarray, spans: np.ndarray) -> np.ndarray:
    """The word in which each piece begins, (pieces,); -1 for those in none: special ones, padding,
    punctuation.
    """
    if not len(spans):
        return np.full(len(offsets), -1)
    word = np.searchsorted(spans[:, 0], offsets[:, 0], side="right") - 1
    inside = (
        (word >= 0)
        & (offsets[:, 0] < spans[np.maximum(word, 0), 1])
        & (offsets[:, 1] > offsets[:, 0])
    )
    return np.where(inside, word, -1)


def word_means(per_piece: np.ndarray, owner: np.ndarray) -> np.ndarray:
    """The mean over the pieces of each word, up to the last that has any; zero for one that the
    model drops.
    """
    count = int(owner.max()) + 1 if len(owner) else 0
    pieces = np.bincount(owner[owner >= 0], minlength=count)
    out = np.zeros((count, per_piece.shape[1]), dtype=np.float32)
    np.add.at(out, owner[owner >= 0], per_piece[owner >= 0])
    out /= np.maximum(pieces, 1)[:, None]
    return out
