"""Static vectors: one vector per word whatever stands around it, from the files inside the package
wordllama.

The package itself is not imported: doing so sets up logging for the whole process and loads a
network library. Its weights (safetensors) and its tokenizer are read where pip put them, so nothing
is ever downloaded.
"""

from functools import cache
from typing import Any

import numpy as np

from soloc.text.extras import needed, package_folder
from soloc.text.fingerprints import file_digest
from soloc.text.words import LONGEST_WORD, Words

STATIC = "wordllama"  # the name of these vectors, for users and in tables
WEIGHTS, TOKENIZER = (
    "weights/l2_supercat_256.safetensors",
    "tokenizers/l2_supercat_tokenizer_config.json",
)
BATCH = 4096  # words that are cut into pieces at once


class StaticVectors:
    """Each word is the mean of the vectors of its pieces; case does not matter."""

    name = STATIC
    places = None  #: every word has a vector, so no text is cut

    def __init__(self) -> None:
        self.tokenizer, self.table = _load()
        self.width = self.table.shape[1]

    @property
    def fingerprint(self) -> str:
        """What decides the vectors."""
        folder = package_folder("wordllama")
        return f"static-{file_digest(folder / WEIGHTS)[:16]}-{file_digest(folder / TOKENIZER)[:16]}"

    def vectors(self, texts: list[Words]) -> list[np.ndarray]:
        """One array (words, width) per text."""
        numbers: dict[str, int] = {}
        rows = [
            [numbers.setdefault(word[:LONGEST_WORD].lower(), len(numbers)) for word in text.words]
            for text in texts
        ]
        table = self._of_words(list(numbers))
        return [table[row] for row in rows]

    def _of_words(self, words: list[str]) -> np.ndarray:
        """The mean of the pieces of each word, (words, width)."""
        out = np.empty((len(words), self.width), dtype=np.float32)
        for start in range(0, len(words), BATCH):
            pieces = self.tokenizer.encode_batch(
                words[start : start + BATCH], add_special_tokens=False
            )
            lengths = np.array([len(piece.ids) for piece in pieces])
            flat = self.table[np.concatenate([piece.ids for piece in pieces])].astype(np.float32)
            sums = np.add.reduceat(flat, np.concatenate([[0], np.cumsum(lengths)[:-1]]))
            out[start : start + BATCH] = sums / lengths[:, None]
        return out


@cache
def _load() -> tuple[Any, np.ndarray]:
    """Tokenizer and table, read once per process."""
    folder = package_folder("wordllama")
    tokenizer = needed("tokenizers").Tokenizer.from_file(str(folder / TOKENIZER))
    table = needed("safetensors.numpy").load_file(str(folder / WEIGHTS))["embedding.weight"]
    return tokenizer, table
