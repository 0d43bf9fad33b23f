"""`soloc completion SHELL`: what a shell needs to complete commands, options and experiments."""

import argparse
from typing import Any

_BASH = """_soloc() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} words="{commands} --help --version"
    case ${{COMP_WORDS[1]}} in
{cases}
    esac
    [[ $COMP_CWORD -eq 1 ]] && words="{commands} --help --version"
    COMPREPLY=($(compgen -W "$words" -- "$word"))
    [[ ${{#COMPREPLY[@]}} -eq 0 ]] && COMPREPLY=($(compgen -f -- "$word"))
}}
complete -o filenames -F _soloc soloc"""


def add(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "completion",
        help="print what your shell needs to complete soloc",
        description=(
            "Print a script for your shell. bash and zsh: source <(soloc completion bash); fish:"
            " soloc completion fish | source."
        ),
    )
    parser.add_argument("shell", choices=("bash", "zsh", "fish"))
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the script; words are fixed in it, so that completing starts no Python."""
    words = words_of_commands()
    if options.shell == "fish":
        print(_fish(words))
    else:
        zsh = "autoload -U +X bashcompinit && bashcompinit\n" if options.shell == "zsh" else ""
        cases = "\n".join(
            f'        {command}) words="{" ".join(choices)}";;'
            for command, choices in words.items()
        )
        print(zsh + _BASH.format(commands=" ".join(words), cases=cases))
    return 0


def words_of_commands() -> dict[str, list[str]]:
    """What may follow each command: its verbs and options, and the experiments it takes."""
    from soloc.cli import COMMANDS, parser_of
    from soloc.cli.parser import commands_of, options_of
    from soloc.experiments.registry import EXPERIMENTS

    found = {}
    for command, parser in commands_of(parser_of(COMMANDS)).items():
        named = command in ("list", "run", "figure", "reproduce")
        choices = [str(word) for action in parser._actions for word in action.choices or ()]
        found[command] = [*choices, *(EXPERIMENTS if named else ()), *options_of(parser)]
    return found


def _fish(words: dict[str, list[str]]) -> str:
    lines = [
        f"complete -c soloc -n __fish_use_subcommand -a '{' '.join(words)} --help --version'",
    ]
    for command, choices in words.items():
        lines.append(
            f"complete -c soloc -n '__fish_seen_subcommand_from {command}' -a '{' '.join(choices)}'"
        )
    return "\n".join(lines)
