"""Pictures of the gallery: the figure that a block ends with, as a notebook shows it."""

from typing import Any

from matplotlib.figure import Figure
from sphinx_gallery.scrapers import figure_rst, matplotlib_scraper


def scraper(block: Any, block_vars: dict, gallery_conf: dict) -> str:
    """Figures of pyplot, and a figure of soloc's that is the value of the last line."""
    shown = matplotlib_scraper(block, block_vars, gallery_conf)
    names = block_vars["example_globals"]
    last = names.get("___")
    if not isinstance(last, Figure) or last is names.get("__shown__") or hasattr(last, "number"):
        return shown
    names["__shown__"] = last
    path = next(block_vars["image_path_iterator"])
    last.savefig(path, dpi=110)
    return shown + figure_rst([path], gallery_conf["src_dir"])
