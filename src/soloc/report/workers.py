"""What cells and figures need, imported once by the server that their processes come from."""

from soloc.runs.processes import start_server

PRELOADED = (
    "soloc.experiments.registry",
    "soloc.runs.cells",
    "soloc.report.drawings",
    "soloc.figures.export",
)


def start() -> None:
    """Start the server; it imports while the caller goes on."""
    start_server(PRELOADED)
