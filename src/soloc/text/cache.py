"""Embeddings on disk, by content: what a text and a model decide is computed once.

One safetensors file per text (no pickle, nothing in it can execute), named by a digest of the
model's weights, the layer and the text. Files are written beside their target and renamed; a
damaged one is computed again with a warning; when the folder grows beyond its bound the files that
were not used for longest go first.
"""

import hashlib
import os
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

from soloc.text.extras import needed
from soloc.text.words import TextWarning

VARIABLE = "SOLOC_CACHE"
MOST_BYTES = 2 * 2**30


def default_folder() -> Path:
    """Where embeddings are kept when nobody says: the variable SOLOC_CACHE, else the user's own
    cache folder.
    """
    if VARIABLE in os.environ:
        return Path(os.environ[VARIABLE]) / "embeddings"
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    elif os.name == "nt":
        base = Path(os.environ.get("LOCALAPPDATA", str(Path.home() / "AppData" / "Local")))
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache")))
    return base / "soloc" / "embeddings"


class EmbeddingCache:
    """Arrays by digest in one folder, bounded by `most_bytes`."""

    def __init__(self, folder: Path, most_bytes: int = MOST_BYTES) -> None:
        self.folder, self.most_bytes = folder, most_bytes

    def path(self, *content: str) -> Path:
        """The file of what these strings decide."""
        name = hashlib.sha256("\0".join(content).encode("utf-8", "surrogatepass")).hexdigest()
        return self.folder / name[:2] / f"{name}.safetensors"

    def get(self, path: Path) -> dict[str, np.ndarray] | None:
        """The arrays of a file; None when it is missing, or damaged (with a warning)."""
        try:
            found = needed("safetensors.numpy").load(path.read_bytes())
            os.utime(path)
            return found
        except FileNotFoundError:
            return None
        # the library's own kind of error, and whatever a broken disk says
        except Exception as error:
            warnings.warn(
                f"the cached embedding {path} is damaged and is computed again: {error}",
                TextWarning,
                stacklevel=2,
            )
            return None

    def put(self, path: Path, arrays: dict[str, np.ndarray]) -> None:
        """Write beside the target, then rename: a file is whole or not there."""
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(
                    needed("safetensors.numpy").save(
                        {k: np.ascontiguousarray(v) for k, v in arrays.items()}
                    )
                )
            os.replace(temporary, path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise

    def trim(self) -> None:
        """Delete what was not used for longest until the folder is within its bound."""
        files = [(entry.stat(), entry) for entry in self.folder.glob("*/*.safetensors")]
        total = sum(facts.st_size for facts, _ in files)
        for facts, entry in sorted(files, key=lambda pair: pair[0].st_mtime_ns):
            if total <= self.most_bytes:
                return
            entry.unlink(missing_ok=True)
            total -= facts.st_size
