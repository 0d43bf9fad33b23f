"""Names of a package that are imported when first used: nobody waits for libraries that another
user needs.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def imported_when_used(
    package: str, homes: Mapping[str, str]
) -> tuple[Callable[[str], Any], list[str]]:
    """`__getattr__` and `__all__` of a package, from the names (apart by spaces) that each module
    gives it.
    """
    home = {name: module for module, names in homes.items() for name in names.split()}

    def get(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(home[name]), name)

    return get, [*home]
