from __future__ import annotations

import importlib
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import settings

# The time of an example depends more on the machine than on the code.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")


def pytest_configure() -> None:
    """Remove what the tests would inherit from whatever started them.

    A shell that starts them in the background makes them ignore Ctrl-C, and processes of pytest-xdist get the width of
    a terminal.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.pop("COLUMNS", None)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data sets beside the repository."""
    folder = Path(__file__).resolve().parents[1].parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"the shared data sets are not there: {folder}")
    return folder


@pytest.fixture
def import_benchmark(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], ModuleType]]:
    """Return a function that imports a module of ``benchmarks``, which is no part of the package, by its name."""
    root = Path(__file__).resolve().parents[1]
    if not (root / "benchmarks").exists():
        pytest.skip("source distributions have no benchmarks")
    monkeypatch.syspath_prepend(root)
    yield lambda name: importlib.import_module(f"benchmarks.{name}")
    for name in [name for name in sys.modules if name.partition(".")[0] == "benchmarks"]:
        del sys.modules[name]
