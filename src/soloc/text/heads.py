"""Attention heads of a transformer as pointers: which word does the first token look at?"""

import numpy as np

from soloc.text.contextual import word_of_piece
from soloc.text.text_bags import TextBags
from soloc.text.transformer import Transformer


def head_attention(transformer: Transformer, bags: TextBags, batch_size: int = 64) -> np.ndarray:
    """Attention from the first token to every word, (layers, heads, words of all bags).

    Pieces of a word are summed; special pieces and punctuation are no words, so the weights of a
    text sum to less than one.
    """
    heads = int(transformer.network.config.num_attention_heads)
    out = np.zeros((transformer.layers, heads, len(bags.values)), dtype=np.float32)
    for batch in transformer.read(bags.texts, [], batch_size, attention=True):
        weights = np.stack(batch.attentions)  # (layers, texts, heads, pieces)
        for i, row in enumerate(batch.rows):
            owner = word_of_piece(batch.offsets[i], bags.spans_of(row))
            for piece in np.flatnonzero(owner >= 0):
                out[:, :, bags.offsets[row] + owner[piece]] += weights[:, i, :, piece]
    return out


def pointed_words(attention: np.ndarray, bags: TextBags) -> np.ndarray:
    """Position of the word with the largest weight in each bag, (layers, heads, bags)."""
    return np.stack(
        [
            attention[:, :, start:stop].argmax(axis=2)
            for start, stop in zip(bags.offsets[:-1], bags.offsets[1:], strict=True)
        ],
        axis=2,
    )
