from __future__ import annotations

import signal
from pathlib import Path

import pytest
from hypothesis import settings

# The time of an example depends more on the machine than on the code.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")


def pytest_configure() -> None:
    """Let Ctrl-C interrupt the tests even if a shell started them in the background, which ignores the signal."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data sets beside the repository."""
    folder = Path(__file__).resolve().parents[1].parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"the shared data sets are not there: {folder}")
    return folder
