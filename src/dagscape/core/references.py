"""Functions, classes and tables named by where they are defined, and imported when they are needed.

A table of such names can be read quickly, whatever it refers to. Tests find names that refer to nothing.
"""

from __future__ import annotations

from functools import reduce
from importlib import import_module
from typing import Any


def loaded(where: str) -> Any:
    """Return what is defined somewhere in the package: "module:name", without "dagscape.".

    >>> loaded("core.wording:plural")(2, "task")
    '2 tasks'
    """
    module, _, name = where.partition(":")
    return reduce(getattr, name.split("."), import_module(f"dagscape.{module}"))
