"""How Sphinx builds these pages; nothing is fetched while they are built or read."""

from wayword import __version__

project = "Wayword"
author = "The Wayword developers"
copyright = author
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc"]
exclude_patterns = ["_build", "reference/generated"]

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3

# Types stand in the numpydoc sections; signatures stay short.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
default_role = "py:obj"

html_theme = "alabaster"
html_theme_options = {
    "description": "Topic modelling that a person steers",
    "fixed_sidebar": True,
    "page_width": "1080px",
    "sidebar_width": "230px",
    "show_powered_by": False,
}
html_sidebars = {"**": ["about.html", "searchfield.html", "navigation.html"]}
html_copy_source = False
html_show_sourcelink = False
