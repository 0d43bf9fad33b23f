"""`soloc cache`: where compiled programs are kept from one command to the next, and clear them."""

from argparse import Namespace
from typing import Any


def add(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "cache",
        help="where compiled programs are kept between commands, and how to clear them",
        description=(
            "Programs that JAX compiles are kept in your cache folder, so that the second command"
            " does not compile. JAX_COMPILATION_CACHE_DIR names another folder;"
            " JAX_ENABLE_COMPILATION_CACHE=0 turns this off."
        ),
    )
    parser.add_argument("--clear", action="store_true", help="throw all of them away")
    parser.set_defaults(run=run)


def run(options: Namespace) -> int:
    """Say where they are and how many."""
    from soloc.runs.compiled import clear, default_folder, holds

    folder = default_folder()
    kept = (clear if options.clear else holds)(folder)
    text = f"{kept.programs} compiled programs, {kept.bytes / 2**20:.1f} MiB"
    print(f"{folder}: {text}{' thrown away' if options.clear else ''}")
    return 0
