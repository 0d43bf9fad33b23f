"""The site: `make docs`. Everything comes from this folder, examples/ and the docstrings."""

import os
import sys
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # many small examples: threads only wait
os.environ.setdefault("MPLBACKEND", "agg")
sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from soloc.runs.compiled import keep_compiled
from soloc.version import __version__

keep_compiled()  # what JAX compiled for one example serves the next build

project, author, release = "soloc", "The soloc founders", __version__
project_copyright = "The soloc founders, BSD-3-Clause"

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "mathml",
    "opening",
    "plain_docstrings",
    "program_says",
    "source_pages",
]
exclude_patterns = ["_build", "_ext"]
templates_path: list[str] = []
highlight_language = "text"  # indented blocks are what a program prints
suppress_warnings = ["config.cache"]  # the gallery is configured by functions

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
html_math_renderer = "mathml"

autodoc_typehints = "none"  # numpydoc's sections say it
autodoc_member_order = "bysource"
add_module_names = False
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

html_theme = "pydata_sphinx_theme"
html_title = "soloc"
html_static_path = ["_static"]
html_css_files = ["soloc.css"]
html_favicon = "_static/favicon.svg"
html_show_sourcelink = False
html_copy_source = False
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {
        "text": "soloc",
        "image_light": "_static/favicon.svg",
        "image_dark": "_static/favicon.svg",
    },
    "navbar_end": ["theme-switcher"],
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "navigation_with_keys": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": [], "glossary": [], "notation": []}

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


sphinx_gallery_conf = {
    "examples_dirs": ["../examples/tutorials", "../examples/gallery"],
    "gallery_dirs": ["tutorials", "gallery"],
    "filename_pattern": "/plot_",
    "within_subsection_order": "FileNameSortKey",
    "image_scrapers": ("last_figure.scraper",),  # as a notebook does
    "ignore_repr_types": r"matplotlib|plotly",
    "first_notebook_cell": (
        "# soloc is not on PyPI yet: run `pip install .` in a checkout of its source first\n"
        "# ('.[text]' for examples with words, '.[networks]' for standard layers)\n"
        "%matplotlib inline"
    ),
    "download_all_examples": False,
    "remove_config_comments": True,
    "min_reported_time": 30,
    "show_memory": False,
    "show_signature": False,
    "reset_modules": (),
    "capture_repr": ("_repr_html_", "__repr__"),
    "matplotlib_animations": False,
    "only_warn_on_example_error": False,
    "abort_on_example_error": True,
    "nested_sections": False,
    "write_computation_times": False,
}
