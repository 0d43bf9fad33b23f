"""How to cite the paper and this software."""

from importlib import metadata

PAPER = """@inproceedings{marion2025attention,
  title     = {Attention layers provably solve single-location regression},
  author    = {Marion, Pierre and Berthier, Rapha{\\"e}l and Biau, G{\\'e}rard and Boyer, Claire},
  booktitle = {International Conference on Learning Representations},
  year      = {2025},
  note      = {arXiv:2410.01537}
}"""


def software() -> str:
    """BibTeX entry of the installed version of soloc."""
    return f"""@software{{soloc,
  title   = {{soloc: a laboratory and toolkit for single-location regression}},
  author  = {{{{The soloc founders}}}},
  version = {{{version()}}}
}}"""


def version() -> str:
    """Installed version of soloc; "source" when it runs from a checkout, not installed."""
    try:
        return metadata.version("soloc")
    except metadata.PackageNotFoundError:
        return "source"
