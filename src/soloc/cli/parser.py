"""The parser of the command line: refuses in one sentence, and suggests what was meant."""

import argparse
import re
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from soloc.closest import did_you_mean


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

    def parse(self, words: Sequence[str]) -> argparse.Namespace:
        """The options in `words`; an unknown one is refused with the closest."""
        options, unknown = self.parse_known_args(words)
        if unknown:
            command = commands_of(self)[options.command]
            kind = "option" if unknown[0].startswith("-") else "argument"
            refuse(command, unknown[0], kind, options_of(command))
        return options


def refuse(parser: Parser, word: str, kind: str, known: Iterable[str]) -> NoReturn:
    """Refuse a word that is none of `known`, with the closest of them."""
    hint = did_you_mean(word.partition("=")[0], known)
    parser.exit(2, f"{parser.prog}: {word!r} is no {kind}.{hint} See {parser.prog} --help.\n")


def commands_of(parser: argparse.ArgumentParser) -> dict[str, Parser]:
    """The subparsers of a parser by name."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def options_of(parser: argparse.ArgumentParser) -> list[str]:
    """The long options that a parser understands, those of its subparsers included."""
    own = [name for name in parser._option_string_actions if name.startswith("--")]
    inner = [name for each in commands_of(parser).values() for name in options_of(each)]
    return sorted({*own, *inner})
