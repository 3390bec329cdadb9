"""Pages of the documentation that are code: each block begins with the name of its file."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path


def files(page: Path) -> dict[str, str]:
    """The code of a page, by file."""
    text = page.read_text(encoding="utf-8")
    return dict(re.findall(r"^```python\n# (\S+)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE))


def install(page: Path) -> None:
    """Create the modules of a page, or add its lines to existing ones; tests are left to pytest."""
    for path, code in files(page).items():
        if "/test_" not in path:
            install_file(path, code)


def install_file(path: str, code: str) -> None:
    """Create the module of a file, or add its lines to an existing one."""
    name = path.removeprefix("src/").removeprefix("tests/").removesuffix(".py").replace("/", ".")
    try:
        module = import_module(name)
    except ModuleNotFoundError:
        module = sys.modules[name] = module_from_spec(spec_from_loader(name, None))
    exec(compile(code, path, "exec"), module.__dict__)
