from __future__ import annotations

import os
import signal
from pathlib import Path

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
