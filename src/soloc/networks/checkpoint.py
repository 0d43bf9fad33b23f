"""Training that was interrupted, in one file of arrays: nothing in it is ever executed."""

import json
import os
import zipfile
from pathlib import Path
from typing import Any

import jax
import numpy as np


def save_checkpoint(
    path: Path, about: dict[str, Any], state: Any, step: int, records: list[dict[str, np.ndarray]]
) -> None:
    """Put the state in place in one move: the file is always whole."""
    arrays: dict[str, Any] = {
        f"leaf_{i}": np.asarray(x) for i, x in enumerate(jax.tree.leaves(state))
    }
    arrays |= {f"record_{name}": np.stack([one[name] for one in records]) for name in records[0]}
    facts = np.frombuffer(json.dumps({**about, "step": step}).encode(), np.uint8)
    partial = path.with_name(path.name + ".part")
    with partial.open("wb") as file:
        np.savez(file, facts=facts, **arrays)
    os.replace(partial, path)


def load_checkpoint(
    path: Path, about: dict[str, Any], state: Any
) -> tuple[Any, int, list[dict[str, np.ndarray]]]:
    """The state, the step and the records of a file that belongs to the same training."""
    try:
        with np.load(path, allow_pickle=False) as file:
            content = {name: file[name] for name in file.files}
        facts = json.loads(content["facts"].tobytes())
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as problem:
        raise ValueError(
            f"`resume` must be a file that `train` wrote, got {path.name}, which cannot be read"
            f" ({problem}); remove it to begin anew."
        ) from None
    step = facts.pop("step", 0)
    leaves, structure = jax.tree.flatten(state)
    other = [name for name in about if facts.get(name) != about[name]]
    fits = len(leaves) == sum(name.startswith("leaf_") for name in content) and all(
        np.shape(x) == content[f"leaf_{i}"].shape for i, x in enumerate(leaves)
    )
    if other or not fits:
        what = ", ".join(other) or "the network"
        raise ValueError(
            f"`resume` must be the file of the same training, got {path.name}, in which {what}"
            " differs; take another file, or remove it to begin anew."
        )
    restored = [jax.numpy.asarray(content[f"leaf_{i}"]) for i in range(len(leaves))]
    names = [name.removeprefix("record_") for name in content if name.startswith("record_")]
    count = len(content["record_step"])
    records = [{name: content[f"record_{name}"][i] for name in names} for i in range(count)]
    return jax.tree.unflatten(structure, restored), int(step), records
