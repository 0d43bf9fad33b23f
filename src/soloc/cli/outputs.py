"""Output files of a command: refused before any work where they would replace what is read."""

import os
from pathlib import Path


def check_output(option: str, path: Path, *inputs: Path) -> None:
    """Refuse an output file that is one of the inputs, that lies nowhere, or cannot be written."""
    from soloc.runs.files import check_file  # here: help comes at once

    refuse_input(option, path, *inputs)
    if not os.path.exists(path.parent):
        raise ValueError(
            f"`{option}` must lie in a folder that exists, {path.parent} does not; create it, or"
            " name another one."
        )
    check_file(path)


def refuse_input(option: str, path: Path, *inputs: Path) -> None:
    """Refuse to replace an input, whatever it is called: a link or another spelling is the same."""
    for given in inputs:
        if os.path.exists(path) and os.path.exists(given) and os.path.samefile(path, given):
            raise ValueError(
                f"`{option}` must not be a file that the command reads, got {path}, which is the"
                f" input {given}; name another file."
            )
