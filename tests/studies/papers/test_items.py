"""Every table and figure of the papers: recorded in full, and run at the quick scale."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import dagscape as ds
from dagscape.report.blocks import PictureFile
from dagscape.report.papers import render_items, render_reproduced
from dagscape.studies.papers.catalogue import SOURCES
from dagscape.studies.papers.item import Item, PaperNote, PaperPlot, PaperTable, Study
from dagscape.studies.papers.registry import ITEMS, PAPERS
from dagscape.studies.papers.reproducing import chosen_items, reproduce
from dagscape.studies.papers.sources import BUNDLED, Sources

ROOT = Path(__file__).resolve().parents[3]
SHARED = ROOT.parent / "shared" / "data"

COMPUTED = [name for name, item in ITEMS.items() if item.computed]

# How many tables and figures each chapter of the dissertation has.
_DISSERTATION = [
    ("Figure", 1, 3), ("Table", 2, 5), ("Figure", 2, 3), ("Table", 3, 1), ("Figure", 3, 5), ("Table", 4, 3),
    ("Figure", 4, 12), ("Table", 5, 2), ("Figure", 5, 6), ("Table", 6, 3), ("Figure", 6, 13),
]  # fmt: skip

# The numbered tables and figures of each paper, and the experiments of a section that has none.
NUMBERED = {
    "chen2014": ["Table 1", "Figure 1"],
    "tian2009": [*(f"Figure {i}" for i in range(1, 7)), "Table 1"],
    "chen2019": [*(f"Figure {i}" for i in range(1, 5)), "Table 1"],
    "chen2016": [
        *(f"{kind} {chapter}.{i}" for kind, chapter, last in _DISSERTATION for i in range(1, last + 1)),
        "Section 2.6",
    ],
    "munteanu2000": ["Figure 1", "Figure 2", *(f"Table {i}" for i in range(1, 5))],
}


@pytest.mark.parametrize("paper", NUMBERED)
def test_every_numbered_table_and_figure_is_there(paper):
    assert sorted(item.number for item in ITEMS.values() if item.paper == paper) == sorted(NUMBERED[paper])


@pytest.mark.parametrize("name", ITEMS)
def test_records_are_complete(name):
    item = ITEMS[name]
    assert item.paper in PAPERS
    assert re.fullmatch(r"(Table|Figure|Section) \d+(\.\d+)?", item.number)
    assert item.title
    assert item.does
    if item.computed:
        assert item.did
        assert all(re.match(r"[A-Z]", text) and text.endswith(".") for text in (*item.differs, *item.findings))
    if item.study is not None:
        for scale in ("quick", "full"):
            needed = {source for task in item.study.tasks(scale) for source in item.study.needs(task)}
            assert all(source.startswith(BUNDLED) or source in SOURCES for source in needed), needed


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.exists(), reason="the shared data are not beside the checkout")
@pytest.mark.parametrize("name", COMPUTED)
def test_items_run_at_the_quick_scale(name, tmp_path_factory):
    # Items of one study share its runs.
    folder = tmp_path_factory.getbasetemp() / "papers"
    (done,) = reproduce([ITEMS[name]], folder, sources=Sources(SHARED), scale="quick", workers=1)
    assert done.parts
    assert done.left_out == ()
    assert done.other_contents == ()
    for part in done.parts:
        if isinstance(part, PaperTable):
            assert part.rows
            assert {len(row) for row in part.rows} == {len(part.headers)}
    for path in done.plots.values():
        assert (folder / path).read_text(encoding="utf-8").startswith("<?xml")
    assert render_reproduced(done)


def test_tables_whose_data_are_missing_are_left_out_and_named(tmp_path):
    (done,) = reproduce([ITEMS["munteanu2000-table-1"]], tmp_path, sources=Sources(), scale="quick")
    assert done.parts == ()
    assert done.left_out == ("networks/javabayes_asia.bif", "networks/javabayes_cancer.bif")


def plotted(frame):
    assert frame["square"].tolist() == [0, 1, 4]
    yield PaperTable.of("Squares.", ["x", "x²", "share", "word"], [(x, x * x, x / 3, f"x{x}") for x in range(3)])
    yield PaperPlot("", "A line.", lambda figure: figure.add_subplot().plot([0, 1], [0, 1]))
    yield PaperNote("Done.")


def squares(task, _):
    return {"square": task["x"] ** 2}


def test_parts_of_an_item(tmp_path):
    study = Study("squares", lambda _: [{"x": x} for x in range(3)], squares)
    item = Item("chen2016", "Figure 9.9", "Squares", "a", "b", ("c",), study, plotted, ("d",), ("e",))
    (done,) = reproduce([item], tmp_path, sources=Sources(), workers=1)
    assert done.runs == 3
    assert done.plots == {"": "figures/chen2016-figure-9.9.svg"}
    assert (tmp_path / "runs" / "squares.jsonl").exists()
    drawn = (tmp_path / done.plots[""]).read_bytes()
    blocks = render_reproduced(done)
    assert [type(block).__name__ for block in blocks] == [
        "Heading", "Paragraph", "Paragraph", "Paragraph", "Paragraph", "Table", "PictureFile", "Note", "Note", "Note",
        "Note", "Note",
    ]  # fmt: skip
    assert PictureFile("figures/chen2016-figure-9.9.svg", "A line.") in blocks
    document = done.to_dict()
    assert document["tables"][0]["rows"][2] == [2, 4, 2 / 3, "x2"]
    # The same numbers give the same picture.
    (again,) = reproduce([item], tmp_path, sources=Sources(), workers=1)
    assert (tmp_path / again.plots[""]).read_bytes() == drawn


def test_items_are_chosen_by_name_or_paper():
    assert [item.name for item in chosen_items(["munteanu2000-table-3"])] == ["munteanu2000-table-3"]
    assert {item.paper for item in chosen_items(["munteanu2000"])} == {"munteanu2000"}
    assert len(chosen_items([])) == len(ITEMS)
    with pytest.raises(ds.InvalidOption, match=r"there is no table or figure 'munteanu200'.*munteanu2000.*--list"):
        chosen_items(["munteanu200"])


def test_the_list_says_where_data_are_published():
    text = repr(render_items(chosen_items(["munteanu2000"])))
    for name in ("networks/javabayes_alarm.bif", "networks/carstarts.bif"):
        assert name in text
        assert SOURCES[name].sha256 in text


@pytest.mark.parametrize("name", COMPUTED)
def test_the_documentation_shows_every_item(name):
    item = ITEMS[name]
    page = (ROOT / "docs" / "papers" / f"{item.paper}.md").read_text(encoding="utf-8")
    assert f"## {item.number}: " in page
    for picture in re.findall(r"!\[.*\]\((\S+)\)", page):
        assert (ROOT / "docs" / "papers" / picture).exists()
