"""Text models on disk: one soloc model file that also says which vectors it was fitted on."""

from pathlib import Path
from typing import Any

from sklearn.pipeline import Pipeline

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
    if not isinstance(notes, dict) or "text" not in notes:
        raise ValueError(
            f"{path} was not made from text; use `soloc explain` and `soloc predict` for it."
        )
    tokens = TextTokens(**notes["text"])
    if tokens._vectors().fingerprint != notes["fingerprint"]:
        raise ValueError(
            f"{path} was fitted on other vectors than {notes['text']['model']} gives here; install"
            " the version it was fitted with, or fit again."
        )
    steps: list[tuple[str, Any]] = [("tokens", tokens)]
    if notes["kernel"] is not None:
        kernel = WordKernel(tuple(notes["kernel"]["gamma"]), notes["kernel"]["most"])
        kernel.landmarks_ = estimator.more_["landmarks"]
        kernel.centre_, kernel.scale_ = (
            estimator.more_["kernel_centre"],
            estimator.more_["kernel_scale"],
        )
        kernel.n_features_in_ = kernel.landmarks_.shape[1]
        kernel._prepare()
        steps.append(("kernel", kernel))
    return Pipeline([*steps, ("attention", estimator)])
