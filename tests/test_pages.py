"""The pages of benchmark results: tables, sections that benchmarks replace, and what stands around them."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"


@pytest.fixture
def pages(import_benchmark, monkeypatch, tmp_path):
    module = import_benchmark("pages")
    monkeypatch.setattr(module, "RESULTS", tmp_path)
    return module


def test_tables(pages):
    rows = [["a", 1.2345, 1234567, None], ["bb", float("nan"), 10, "over 5"], ["c", 12345.6, 0, "3.1 ± 0.2"]]
    assert pages.markdown(["x", "y", "z", "note"], rows).splitlines() == [
        "| x   |      y |         z |      note |",
        "| --- |   ---: |      ---: |      ---: |",
        "| a   |   1.23 | 1,234,567 |           |",
        "| bb  |        |        10 |    over 5 |",
        "| c   | 12,346 |         0 | 3.1 ± 0.2 |",
    ]


def test_only_the_section_is_replaced(pages, monkeypatch, capsys):
    page = pages.Page("sums")
    page.path.write_text("# Sums\n\nBy hand.\n", encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["program"])
    page.table("small", "Small ones.", ["n", "seconds"], [[3, 0.5]])
    assert "Small ones." in capsys.readouterr().out
    assert page.path.read_text(encoding="utf-8") == "# Sums\n\nBy hand.\n"
    monkeypatch.setattr(sys, "argv", ["program", "7", pages.WRITE])
    assert pages.words() == ["7"]
    page.table("small", "Small ones.", ["n", "seconds"], [[3, 0.5]])
    page.table("large", "Large ones.", ["n", "seconds"], [[30, 1500.0]])
    page.path.write_text(page.path.read_text(encoding="utf-8") + "\nThe end.\n", encoding="utf-8")
    page.table("small", "Small ones.", ["n", "seconds"], [[4, 0.25]])
    text = page.path.read_text(encoding="utf-8")
    assert text.startswith("# Sums\n\nBy hand.\n")
    assert text.endswith("\nThe end.\n")
    assert text.count("Small ones.") == text.count("Large ones.") == 1
    assert page.rows("small") == [{"n": "4", "seconds": "0.25"}]
    assert page.rows("large") == [{"n": "30", "seconds": "1,500"}]
    assert pages.measured_on() in text


@pytest.mark.usefixtures("import_benchmark")
def test_every_section_is_written_by_its_benchmark():
    """The command in the marker of a section is a benchmark that writes a section with this name to this page."""
    found = sorted(RESULTS.glob("*.md"))
    assert len(found) > 10
    for path in found:
        text = path.read_text(encoding="utf-8")
        sections = re.findall(r"<!-- begin ([\w-]+): python -m benchmarks\.(\w+)[ \w]* -->", text)
        assert text.count("<!-- begin ") == len(sections) == text.count("<!-- end ")
        for section, module in sections:
            source = (ROOT / "benchmarks" / f"{module}.py").read_text(encoding="utf-8")
            assert f'"{section}"' in source, (path.name, section)
            assert f"<!-- end {section} -->" in text


@pytest.mark.usefixtures("import_benchmark")
def test_the_index_lists_every_page():
    listed = set(re.findall(r"\]\((\S+\.md)\)", (RESULTS / "README.md").read_text(encoding="utf-8")))
    assert listed == {path.name for path in RESULTS.glob("*.md")} - {"README.md"}
