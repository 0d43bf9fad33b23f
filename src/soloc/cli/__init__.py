"""The command line: one module per command, each with `add(subparsers)` that registers itself."""

import sys
from collections.abc import Sequence
from importlib import import_module

from soloc.cli.exits import INTERRUPTED, MEANINGS, UNWRITABLE, code_of
from soloc.cli.memory import choose_pool
from soloc.cli.parser import Parser, refuse
from soloc.cli.streams import drop_output, prepare_streams
from soloc.version import __version__

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
    "describe",
    "text",
    "lab",
    "cache",
    "completion",
)


def parser_of(commands: Sequence[str]) -> Parser:
    """The parser of some commands; the others need not be imported."""
    parser = Parser(
        prog="soloc",
        description=(
            "One token decides the answer and nobody says which: exact risks, training and"
            " estimators."
        ),
        epilog=f"Exit codes: {MEANINGS}.",
    )
    parser.add_argument("--version", action="version", version=f"soloc {__version__}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in commands:
        import_module(f"soloc.cli.{command}").add(subparsers)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; what goes wrong becomes a sentence on standard error and an exit code."""
    prepare_streams()
    choose_pool()
    words = sys.argv[1:] if arguments is None else [*arguments]
    known = words[:1] if words and words[0] in COMMANDS else []
    says = " ".join(["soloc", *known])
    try:
        if words and not known and not words[0].startswith("-"):
            refuse(parser_of([]), words[0], "command", COMMANDS)
        options = parser_of(known or COMMANDS).parse(words)
        _keep_compiled()
        code: int = options.run(options) or 0
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # whoever read the output has left: nothing to say, nowhere to say it
        drop_output()
        return UNWRITABLE
    except (ValueError, TypeError, OSError, ImportError, RuntimeError) as error:
        code = code_of(error)
        print(f"{says}: {error}", file=sys.stderr)
        return code
    except KeyboardInterrupt:
        print(f"{says}: interrupted; what was finished is kept.", file=sys.stderr)
        return INTERRUPTED


def _keep_compiled() -> None:
    from soloc.runs.compiled import keep_compiled  # here: help needs none of it

    keep_compiled()
