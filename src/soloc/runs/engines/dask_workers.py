"""What happens on the workers of a cluster, and whether they are the ones we know."""

from collections.abc import Mapping, Sequence
from typing import Any

from soloc.runs.processes import begin_guest
from soloc.runs.worker import Reply, carried_out

_COMPARED = ("soloc", "distributed", "cloudpickle", "numpy", "pandas", "pyarrow", "jax", "jaxlib")
_OF_SCHEDULER = ("soloc", "distributed", "cloudpickle")


def computed(function: bytes, arguments: Sequence[tuple[Any, ...]]) -> list[Reply]:
    """A batch: replies in the order of the arguments; errors are replies, too."""
    begin_guest()
    replies = []
    for each in arguments:
        reply = carried_out(function, each)
        if reply.error is not None:  # its class may not be known where the driver is
            kind = ValueError if isinstance(reply.error, ValueError) else RuntimeError
            reply = reply._replace(error=kind(str(reply.error)))
        replies.append(reply)
    return replies


def check_versions(found: Mapping[str, Any]) -> None:
    """Refuse a scheduler or worker that has other versions than the client."""
    ours = _of(found["client"], _COMPARED)
    others = {"the scheduler": _of(found["scheduler"], _OF_SCHEDULER)}
    for address, answer in found["workers"].items():
        if isinstance(answer, Mapping):  # one that has gone meanwhile answers nothing
            others[f"the worker {address}"] = _of(answer, _COMPARED)
    for who, theirs in others.items():
        different = [
            f"{name} {version or 'missing'} (here {ours[name] or 'missing'})"
            for name, version in theirs.items()
            if version != ours[name]
        ]
        if different:
            raise ValueError(
                f"{who} must have the versions of this machine, got {', '.join(different)}; install"
                " the same there."
            )


def _of(answer: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    packages = answer["packages"]
    python = ".".join(
        str(packages.get("python") or answer["host"].get("python", "")).split(".")[:2]
    )
    return {"python": python, **{name: packages.get(name) for name in names}}
