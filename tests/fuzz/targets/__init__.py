"""What is fuzzed: each module has a tuple ``TARGETS`` of targets."""

from __future__ import annotations

import importlib
import pkgutil

from fuzz.harness import Target


def all_targets() -> dict[str, Target]:
    """Return all targets by name."""
    modules = [importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)]
    return {target.name: target for module in modules for target in module.TARGETS}
