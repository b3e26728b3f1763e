"""Configuration of Sphinx: everything is built here, without a network."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE / "_ext")]
os.environ.setdefault("MPLBACKEND", "Agg")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# The derivations run in this process and import symbias as the reader does.
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(HERE.parent), os.environ.get("PYTHONPATH")]))

import symbias  # noqa: E402  (after the path)

project = "symbias"
author = copyright = "The symbias developers"
version = release = symbias.__version__
extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_gallery.gen_gallery", "svg_math", "statement_pages"]
html_theme = "alabaster"
html_static_path = ["_static"]
html_css_files = ["symbias.css"]
html_copy_source = False
html_theme_options = {"page_width": "1200px", "sidebar_width": "240px", "description": "Where gradient flow ends"}
html_sidebars = {"**": ["about.html", "navigation.html", "relations.html", "searchbox.html"]}
exclude_patterns = ["_build", "_ext", "derivations/GALLERY_HEADER.rst"]

napoleon_google_docstring = False
napoleon_custom_sections = ["Accuracy", "Source"]
autodoc_member_order = "bysource"
autodoc_typehints = "none"

sphinx_gallery_conf = {
    "examples_dirs": str(HERE.parent / "derivations"),
    "gallery_dirs": "derivations",
    "filename_pattern": r"\.py$",
    "abort_on_example_error": True,
    "remove_config_comments": True,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,  # its page would fetch a script
    "plot_gallery": "True",
    "capture_repr": (),
    "min_reported_time": 3600,
    "within_subsection_order": "FileNameSortKey",
}
