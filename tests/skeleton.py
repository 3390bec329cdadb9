"""A pytest plugin that installs the method of ``docs/adding-a-method.md``.

Each block of code in the page begins with the name of its file. The plugin creates a module from it; the record becomes
an entry of the registry. Then it makes the one-line additions that the page lists.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

from code_pages import files, install_file

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "adding-a-method.md"
REGISTRY = "src/dagscape/planning/registry.py"
RECORDS = "    for task in (\n"


def with_record(record: str) -> str:
    """The registry with one more record."""
    source = (ROOT / REGISTRY).read_text(encoding="utf-8")
    assert source.count(RECORDS) == 1
    return source.replace(RECORDS, RECORDS + record)


def add_lines() -> None:
    """Make the one-line additions that the page lists."""
    package: ModuleType = import_module("dagscape")
    package._HOMES.update(single_edges="posterior.single_edges", SingleEdges="posterior.single_edges")
    package.__all__ += ["single_edges", "SingleEdges"]
    import_module("dagscape.report.tables").RENDERERS["single-edges"] = "report.single_edges:render_single_edges"


def pytest_configure() -> None:
    """Called by pytest before it collects tests."""
    parts = files(PAGE)
    # Before any other module reads it.
    assert "dagscape.planning.registry" not in sys.modules
    install_file(REGISTRY, with_record(parts.pop(REGISTRY)))
    for path, code in parts.items():
        if "/test_" not in path:
            install_file(path, code)
    add_lines()
