"""A pytest plugin that installs the method of ``docs/adding-a-method.md``.

Each block of code in the page begins with the name of its file. The plugin creates a module from it, or adds its lines
to an existing module. Then it adds the method to the registries, as the page describes.
"""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

PAGE = Path(__file__).resolve().parents[1] / "docs" / "adding-a-method.md"


def files() -> dict[str, str]:
    """The code of the page, by file."""
    return dict(
        re.findall(r"^```python\n# (\S+)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    )


def install(path: str, code: str) -> None:
    """Create or extend the module of a file."""
    name = path.removeprefix("src/").removeprefix("tests/").removesuffix(".py").replace("/", ".")
    try:
        module = import_module(name)
    except ModuleNotFoundError:
        module = sys.modules[name] = ModuleType(name)
    exec(compile(code, path, "exec"), module.__dict__)


def register() -> None:
    """Make the one-line additions that the page lists."""
    from dagscape.planning import loading, plan, registry
    from dagscape.planning.registry import METHODS
    from dagscape.report import tables

    method = registry.SINGLE_EDGES
    METHODS[method.name] = method
    plan.TASKS += (method.name,)
    loading.RESULTS[method.result.kind] = method.result
    tables.RENDERERS[method.result.kind] = import_module("dagscape.report.single_edges").render_single_edges


def pytest_configure() -> None:
    """Called by pytest before it collects tests."""
    for path, code in files().items():
        if "/test_" not in path:
            install(path, code)
    register()
