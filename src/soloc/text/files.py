"""Text models on disk: one soloc model file that also says which vectors it was fitted on."""

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from soloc.estimators.fields import Fields
from soloc.estimators.files import load, save
from soloc.text.kernel import WordKernel
from soloc.text.sentences import bags_of
from soloc.text.text_tokens import TextTokens


def save_text_model(model: Pipeline, path: str | Path, notes: dict[str, Any] | None = None) -> None:
    """Write a fitted text pipeline; nothing in the file can execute."""
    bags_of(model, ["check"])  # refuses what is no text pipeline
    tokens, kernel = model[0], model[1] if isinstance(model[1], WordKernel) else None
    parameters = {name: tokens.get_params()[name] for name in ("layer", "max_words", "batch_size")}
    facts: dict[str, Any] = {
        "text": {"model": str(tokens.model), **parameters},
        "fingerprint": tokens._vectors().fingerprint,
        "kernel": None if kernel is None else {"gamma": kernel.gamma, "most": kernel.most},
        **(notes or {}),
    }
    arrays = {}
    if kernel is not None:
        arrays = {
            "landmarks": kernel.landmarks_,
            "kernel_centre": kernel.centre_,
            "kernel_scale": kernel.scale_,
        }
    save(model[-1], path, facts, arrays)


def load_text_model(path: str | Path) -> Pipeline:
    """The fitted text pipeline in a file written by `save_text_model`."""
    estimator = load(path)
    notes = estimator.notes_
    if "text" not in notes:
        raise ValueError(
            f"{path} was not made from text; use `soloc explain` and `soloc predict` for it."
        )
    try:
        tokens = restored_tokens(notes)
        kernel = None if notes["kernel"] is None else restored_kernel(notes, estimator.more_)
        if kernel is not None and len(kernel.landmarks_) != estimator.n_features_in_:
            raise ValueError("array 'landmarks' must have one word per feature")
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(
            f"{path} is not a whole soloc model file: what it says about text is wrong ({error})."
        ) from None
    if tokens._vectors().fingerprint != notes.get("fingerprint"):
        raise ValueError(
            f"{path} was fitted on other vectors than {notes['text']['model']} gives here; install"
            " the version it was fitted with, or fit again."
        )
    steps: list[tuple[str, Any]] = [("tokens", tokens)]
    if kernel is not None:
        steps.append(("kernel", kernel))
    return Pipeline([*steps, ("attention", estimator)])


def restored_tokens(notes: dict[str, Any]) -> TextTokens:
    """The first step of the pipeline, from the notes of a file; its own checks follow."""
    tokens = TextTokens(**notes["text"])
    if not isinstance(tokens.model, str) or not isinstance(tokens.layer, int) or tokens.cache:
        raise ValueError(f"no such vectors: {notes['text']!r:.80}")
    return tokens


def restored_kernel(notes: dict[str, Any], arrays: dict[str, np.ndarray]) -> WordKernel:
    """The second step of the pipeline, from the notes and arrays of a file."""
    kernel = WordKernel(tuple(notes["kernel"]["gamma"]), notes["kernel"]["most"])
    kernel.refuse_parameters()
    fields = Fields(arrays=arrays)
    landmarks = fields.array("landmarks", (None, None))
    if landmarks.shape[0] < 1 or landmarks.shape[1] < 1:
        raise ValueError("array 'landmarks' must hold at least one word")
    kernel.landmarks_, width = landmarks, landmarks.shape[1]
    kernel.centre_ = fields.array("kernel_centre", (width,))
    kernel.scale_ = fields.array("kernel_scale", (width,), positive=True, finite=False)
    kernel.n_features_in_ = width
    kernel._prepare()
    return kernel
