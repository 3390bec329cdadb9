import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

import dagscape

project = "dagscape"
author = "The dagscape developers"
copyright = "The dagscape developers"
version = release = dagscape.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinxcontrib.bibtex"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"dagscape {release}"

bibtex_bibfiles = ["references.bib"]
bibtex_default_style = "alpha"
bibtex_reference_style = "label"

autodoc_default_options = {"members": True, "inherited-members": False}
autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False


myst_enable_extensions = ["dollarmath"]
# Headings have anchors, as on code hosts, so that pages can link to a section.
myst_heading_anchors = 3

_BIBLIOGRAPHY = (Path(__file__).parent / "references.bib").read_text(encoding="utf-8")
_KEYS = frozenset(re.findall(r"^@\w+\{(\w+),", _BIBLIOGRAPHY, re.MULTILINE))

# Where a public name is defined, and the name under which these pages document it.
_PUBLIC = {
    f"{thing.__module__}.{thing.__qualname__}": f"dagscape.{name}"
    for name in dagscape.__all__
    if hasattr(thing := getattr(dagscape, name), "__qualname__")
}


def _cite(match: re.Match[str]) -> str:
    return f":cite:p:`{match[1]}`" if match[1] in _KEYS else match[0]


def _one_name_each(lines: list[str]) -> list[str]:
    """Repeat the fields that napoleon makes of ``rows, columns : int`` among attributes, for each of the names."""
    fields = re.split(r"(?m)^(?=:)", "\n".join(lines))
    repeated: list[str] = []
    for field in fields:
        shared = re.match(r":(ivar|vartype) (\w+(?:, \w+)+):", field)
        names = shared[2].split(", ") if shared else []
        repeated += [field.rstrip("\n").replace(shared[2], name, 1) + "\n" for name in names] or [field]
    return "".join(repeated).split("\n")


def link_docstring(
    app: Sphinx,
    what: str,
    name: str,
    thing: Any,
    options: Any,
    lines: list[str],
) -> None:
    """Turn the docstrings' ``[key]_`` into citations, and the places of definitions into public names."""
    lines[:] = _one_name_each(lines)
    for i, line in enumerate(lines):
        line = re.sub(r"\[([a-z]+\d{4})\]_?", _cite, line)
        line = re.sub(r"(?<=`~)dagscape(?:\.\w+)+", lambda match: _PUBLIC.get(match[0], match[0]), line)
        # The n of a shape is no reference to an attribute of that name.
        if line.startswith((":type ", ":vartype ")):
            line = re.sub(r"(?<!`)\((?:n, )+n\)(?!`)", r"``\g<0>``", line)
        # |G| is the size of a set, not a substitution.
        lines[i] = re.sub(r"\|(\w+)\|", r"\|\1\|", line)


def check_reference(app: Sphinx, env: BuildEnvironment) -> None:
    """Warn, and so fail the build, where a public name is documented nowhere."""
    documented = {name for name, *_ in env.domains["py"].get_objects()}
    for name in dagscape.__all__:
        if not name.startswith("__") and f"dagscape.{name}" not in documented:
            logging.getLogger(__name__).warning("dagscape.%s is not in the reference", name)


def setup(app: Sphinx) -> None:
    """Connect the two functions above."""
    app.connect("autodoc-process-docstring", link_docstring)
    app.connect("env-check-consistency", check_reference)
