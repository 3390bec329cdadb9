"""Functions, classes and tables named by where they are defined, and imported when they are needed.

A table of such names can be read quickly, whatever it refers to. Tests find names that refer to nothing.
"""

from __future__ import annotations

from collections.abc import Callable
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


def lazily(where: str) -> Callable[..., Any]:
    """Return a function that is defined somewhere in the package, and imported when it is first called.

    >>> lazily("core.wording:plural")(1, "task")
    '1 task'
    """

    def called(*arguments: Any, **options: Any) -> Any:
        return loaded(where)(*arguments, **options)

    return called
