"""The name of a result: a digest of what decides it — config (seed included), source code and
library versions.
"""

import ast
import hashlib
import json
import platform
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

LIBRARIES = ("jax", "jaxlib", "numpy", "scipy", "scikit-learn", "pandas", "pyarrow", "matplotlib")


def describe(config: Any) -> Any:
    """A config as plain JSON values; anything that JSON cannot hold exactly is refused."""
    if is_dataclass(config) and not isinstance(config, type):
        return {field.name: describe(getattr(config, field.name)) for field in fields(config)}
    if isinstance(config, (tuple, list)):
        return [describe(value) for value in config]
    if config is None or isinstance(config, (bool, int, float, str)):
        return config
    raise TypeError(
        "`config` must hold numbers, strings, tuples and dataclasses of them, got"
        f" {type(config).__name__}."
    )


def canonical(value: Any) -> str:
    """One spelling per value: sorted keys, no spaces, floats by their shortest exact form."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(value: Any) -> str:
    """Hexadecimal digest (128 bits) of a JSON value."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()[:32]


@cache
def versions() -> dict[str, str]:
    """Versions of what computes: Python and the numerical libraries."""
    found = {"python": platform.python_version()}
    for name in LIBRARIES:
        found[name] = metadata.version(name)
    return found


@cache
def versions_of(modules: tuple[str, ...]) -> dict[str, str]:
    """Versions of the packages that bring these modules; of one that is missing, "missing"."""
    found = {}
    for module in modules:
        name = _package_of(module)
        found[name or module] = metadata.version(name) if name else "missing"
    return found


def _package_of(module: str) -> str | None:
    """The package that brings a module: mostly one of its name, else all are looked through."""
    try:
        found = metadata.metadata(module)
    except metadata.PackageNotFoundError:
        found = None
    if found and "Name" in found:
        return found["Name"]
    return next(iter(_distributions().get(module, [])), None)


@cache
def _distributions() -> Mapping[str, list[str]]:
    return metadata.packages_distributions()


@cache
def revision(source: Path) -> str:
    """The git commit of the checkout that holds `source`, or "unversioned" outside one."""
    command = ["git", "-C", str(source if source.is_dir() else source.parent), "rev-parse", "HEAD"]
    try:
        return subprocess.run(
            command, capture_output=True, text=True, check=True, timeout=10
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return "unversioned"


def code_version(function: Callable[..., Any]) -> str:
    """Digest of the source of the module that defines `function` and of all it imports from its own
    package.
    """
    return _module_version(function.__module__)


@cache
def _module_version(module: str) -> str:
    package = module.split(".")[0]
    found: dict[str, str] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        read = _read(name)
        if read is not None:
            found[name], imported = read
            waiting += [target for target in imported if target.split(".")[0] == package]
    return digest(found)


@cache
def _read(name: str) -> tuple[str, list[str]] | None:
    """Digest of a module's source and the names that it imports; many modules share one, and it is
    parsed once.
    """
    path = _source(name)
    if path is None:
        return None
    text = path.read_bytes()
    return hashlib.sha256(text).hexdigest(), _imports(text)


def _source(name: str) -> Path | None:
    """The file of a module, found next to its loaded top package: looking must import nothing."""
    top, *inner = name.split(".")
    loaded = sys.modules[top]
    if not hasattr(loaded, "__path__"):
        return Path(loaded.__file__) if loaded.__file__ and not inner else None
    for folder in loaded.__path__:
        place = Path(folder).joinpath(*inner)
        for path in (place.with_suffix(".py"), place / "__init__.py"):
            if path.is_file():
                return path
    return None


def _imports(text: bytes) -> list[str]:
    """Names of modules that a source imports; `from a import b` may mean module a.b or a name in a:
    both are listed.
    """
    names: list[str] = []
    waiting: list[ast.AST] = [ast.parse(text)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module is not None and node.level == 0:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif not isinstance(node, ast.expr):  # no expression holds an import, and most are these
            waiting += ast.iter_child_nodes(node)
    return names
