"""Python lines that reproduce a panel: their imports, wherever a name lives."""

from collections.abc import Iterable

import soloc
from soloc import weights


def imports_of(kinds: Iterable[type], names: Iterable[str] = ()) -> list[str]:
    """Lines that import classes, from soloc itself where it offers them, and more names of it."""
    top, elsewhere = set(names), []
    for kind in kinds:
        if getattr(soloc, kind.__name__, None) is kind:
            top.add(kind.__name__)
        else:
            of_weights = getattr(weights, kind.__name__, None) is kind
            home = "soloc.weights" if of_weights else kind.__module__
            elsewhere.append(f"from {home} import {kind.__name__}")
    first = [f"from soloc import {', '.join(sorted(top))}"] if top else []
    return first + sorted(set(elsewhere))
