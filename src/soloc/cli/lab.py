"""`soloc lab`: the lab in the browser."""

import argparse
from importlib.util import find_spec
from typing import Any

_NEEDED = ("fastapi", "uvicorn", "plotly")


def add(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "lab",
        help="open the lab in the browser: landscape, training, sequences, your data",
        description="Serve the lab on this machine and open it in the browser; Ctrl-C ends it.",
    )
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        help="address to listen on (default 127.0.0.1: this machine only)",
    )
    parser.add_argument(
        "--port",
        default=8765,
        type=int,
        help="port to listen on, 0 for any free one (default 8765)",
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open the browser")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    if not 0 <= options.port <= 65535:
        raise ValueError(f"`port` must be between 0 and 65535, got {options.port}.")
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise ImportError(
            f"the lab needs `{missing[0]}`; install it with: pip install 'soloc[lab]'"
        )
    from soloc.lab.server.start import start

    start(options.host, options.port, not options.no_browser)
    return 0
