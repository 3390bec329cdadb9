"""``dagscape reproduce``: the list, results in a folder, JSON and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.running import run
from dagscape.cli.commands import reproduce as reproduce_module
from dagscape.report.paper_pages import write_times
from dagscape.report.papers import render_times
from dagscape.studies.papers.registry import ITEMS
from dagscape.studies.papers.reproducing import reproduce
from dagscape.studies.papers.sources import Sources

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"

needs_shared = pytest.mark.skipif(not SHARED.exists(), reason="the shared data are not beside the checkout")


def test_the_list_has_every_table_and_figure(capfd):
    code, out, err = run(capfd, "reproduce", "--list")
    assert (code, err) == (0, "")
    for name in ITEMS:
        assert name in out
    assert "SHA-256" in out


def test_the_list_as_json(capfd):
    code, out, _ = run(capfd, "reproduce", "munteanu2000", "--list", "--json")
    assert code == 0
    document = json.loads(out)
    assert [item["name"] for item in document["items"] if item["computed"]] == [
        f"munteanu2000-table-{i}" for i in range(1, 5)
    ]
    assert {"name", "sha256", "published", "licence", "conversion"} == set(document["sources"][0])


@needs_shared
def test_results_go_to_a_folder(capfd, tmp_path):
    options = ("--quick", "--data", SHARED, "-o", tmp_path / "results", "--quiet")
    folder = tmp_path / "results" / "quick"
    code, out, err = run(capfd, "reproduce", "munteanu2000-table-1", *options)
    assert (code, err) == (0, "")
    assert "Table 1: GreedyBN against EQ1" in out
    assert "at the quick scale" in out
    # Findings are those of the full run.
    assert "Found:" not in out
    page = (folder / "munteanu2000.md").read_text(encoding="utf-8")
    assert "## Table 1: " in page
    assert "## Table 2: " not in page
    assert "30 runs took" in out
    assert "this command made 30 in" in " ".join(out.split())
    # Times are a page only when everything is run.
    assert not (folder / "times.md").exists()
    lines = (folder / "runs" / "munteanu2000.jsonl").read_bytes()
    # The second table shows the same runs, and the page has both.
    code, out, _ = run(capfd, "reproduce", "munteanu2000-table-2", *options, "--json")
    assert code == 0
    document = json.loads(out)
    assert document["seconds"] > 0
    (item,) = document["items"]
    assert (item["name"], item["scale"], item["runs"]) == ("munteanu2000-table-2", "quick", 30)
    assert item["earlier"] == 30
    assert (folder / "runs" / "munteanu2000.jsonl").read_bytes() == lines
    page = (folder / "munteanu2000.md").read_text(encoding="utf-8")
    assert page.index("## Table 1: ") < page.index("## Table 2: ")


@needs_shared
def test_the_page_of_times_counts_each_study_once(tmp_path):
    items = [ITEMS[f"munteanu2000-table-{i}"] for i in (1, 2)]
    sources = Sources(SHARED)
    first = list(reproduce(items[:1], tmp_path, sources=sources, scale="quick"))
    done = list(reproduce(items, tmp_path, sources=sources, scale="quick"))
    assert [item.earlier for item in (*first, *done)] == [0, 30, 30]
    write_times(render_times(done, seconds=1.0), tmp_path)
    page = (tmp_path / "times.md").read_text(encoding="utf-8")
    assert page.startswith("# Times\n")
    assert "| munteanu2000 | 2 | 30 | 30 |" in page
    assert "30 runs took" in page
    assert "this command made 0 in 1.0 s" in page


def test_missing_data_are_named(capfd, tmp_path):
    code, out, err = run(capfd, "reproduce", "munteanu2000-table-1", "--quick", "-o", tmp_path)
    assert code == 2
    assert "nothing could be run without networks/javabayes_asia.bif, networks/javabayes_cancer.bif: give" in err
    assert "left out, because the data are not at hand: networks/javabayes_asia.bif" in " ".join(out.split())


def test_wrong_usage(capfd, tmp_path):
    code, _, err = run(capfd, "reproduce", "munteanu2000")
    assert (code, "-o DIR" in err) == (2, True)
    code, _, err = run(capfd, "reproduce", "munteanu2000-table-9", "-o", tmp_path)
    assert (code, "--list" in err) == (2, True)
    (tmp_path / "file").write_text("")
    code, _, err = run(capfd, "reproduce", "munteanu2000", "-o", tmp_path / "file" / "folder")
    assert (code, "cannot make the folder" in err) == (2, True)
    code, _, err = run(capfd, "reproduce", "munteanu2000", "-o", tmp_path, "--data", tmp_path / "nowhere")
    assert (code, "nowhere" in err) == (2, True)


def test_items_without_anything_to_compute_say_so(capfd, tmp_path):
    code, out, _ = run(capfd, "reproduce", "munteanu2000-figure-1", "-o", tmp_path)
    assert code == 0
    assert "there is nothing to compute" in out


def test_interruptions_say_how_to_go_on(capfd, tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(reproduce_module, "reproduce", interrupted)
    code, _, err = run(capfd, "reproduce", "munteanu2000", "-o", tmp_path)
    assert code == 130
    assert "finished runs are kept; the same command goes on from there" in err
