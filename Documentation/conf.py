# SPDX-License-Identifier: GPL-2.0-or-later
"""Sphinx's configuration; "make html" builds the pages."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "sphinx"))

project = "hbs"
author = "the hbs developers"
project_copyright = "the hbs developers"
extensions = ["sphinx.ext.graphviz", "kernel_doc", "page_links"]
exclude_patterns = ["man", "ABI"]
root_doc = "index"
highlight_language = "none"

html_theme = "alabaster"
html_theme_options = {"page_width": "70em", "sidebar_width": "18em", "nosidebar": False}
html_sidebars = {"**": ["about.html", "navigation.html", "searchbox.html"]}
html_copy_source = False
html_show_sourcelink = False
graphviz_output_format = "svg"

# what the headers take from the C library and the kernel
nitpick_ignore = [("c:identifier", name) for name in ("int32_t", "int64_t", "size_t", "uint32_t", "uint64_t")]
