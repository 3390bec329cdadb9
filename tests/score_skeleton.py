"""A pytest plugin that puts the score of ``docs/adding-a-score.md`` in place."""

from __future__ import annotations

from pathlib import Path

from code_pages import install

PAGE = Path(__file__).resolve().parents[1] / "docs" / "adding-a-score.md"


def pytest_configure() -> None:
    """Called by pytest before it collects tests."""
    install(PAGE)
