"""How to cite the paper and this software."""

from soloc.version import __version__

PAPER = """@inproceedings{marion2025attention,
  title     = {Attention layers provably solve single-location regression},
  author    = {Marion, Pierre and Berthier, Rapha{\\"e}l and Biau, G{\\'e}rard and Boyer, Claire},
  booktitle = {International Conference on Learning Representations},
  year      = {2025},
  note      = {arXiv:2410.01537}
}"""


def software() -> str:
    """BibTeX entry of this version of soloc."""
    return f"""@software{{soloc,
  title   = {{soloc: a laboratory and toolkit for single-location regression}},
  author  = {{{{The soloc founders}}}},
  version = {{{__version__}}}
}}"""
