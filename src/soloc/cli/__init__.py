"""The command line: one module per command, each with `add(subparsers)` that registers its own
function.
"""

import argparse
import re
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

COMMANDS = (
    "reproduce",
    "list",
    "run",
    "figure",
    "sweep",
    "risk",
    "samples",
    "fit",
    "predict",
    "explain",
    "text",
    "lab",
)


class Parser(argparse.ArgumentParser):
    """A parser that refuses in one sentence, without the usage, and reads -1e-3 as a number."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._negative_number_matcher = re.compile(r"^-(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$")

    def error(self, message: str) -> NoReturn:
        self.exit(
            2,
            f"{self.prog}: {message[:1].lower()}{message[1:].rstrip('.')}; see {self.prog}"
            " --help.\n",
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; a user's mistake becomes one sentence on standard error and exit code 2."""
    parser = Parser(
        prog="soloc",
        description=(
            "One token decides the answer and nobody says which: exact risks, training and"
            " estimators."
        ),
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    words = sys.argv[1:] if arguments is None else [*arguments]
    # the others need not be imported
    wanted = words[:1] if words and words[0] in COMMANDS else COMMANDS
    for command in wanted:
        import_module(f"soloc.cli.{command}").add(commands)
    options = parser.parse_args(words)
    try:
        return options.run(options) or 0
    except (ValueError, TypeError, OSError, ImportError) as error:
        print(f"soloc {options.command}: {error}", file=sys.stderr)
        return 2
    except RuntimeError as error:  # cells without result have been named; ours are shown whole
        if not hasattr(error, "exit_code"):
            raise
        print(f"soloc {options.command}: {error}", file=sys.stderr)
        return int(error.exit_code)
    except KeyboardInterrupt:
        print(f"soloc {options.command}: interrupted; what was finished is kept.", file=sys.stderr)
        return 130
