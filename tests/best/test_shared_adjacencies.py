"""What all networks of a list join, whatever the directions."""

from __future__ import annotations

import json
from itertools import combinations

import pytest

import dagscape as ds
from cli.running import run
from dagscape.report.best import render_best
from dagscape.report.terminal import terminal_text


def skeleton(dag):
    return {frozenset(edge) for edge in dag.edges}


@pytest.fixture(scope="module")
def scores():
    return ds.local_scores(ds.load_dataset("tic-tac-toe"), max_parents=2)


@pytest.mark.parametrize("space", ["classes", "dags"])
@pytest.mark.parametrize("k", [1, 2, 7, 30])
def test_they_are_the_intersection_of_all_skeletons(scores, space, k):
    best = ds.k_best(scores, k, space)
    skeletons = [skeleton(dag) for dag in best.networks]
    shared = set.intersection(*skeletons)
    assert {frozenset(pair) for pair in best.shared_adjacencies} == shared
    assert all(best.variables.index(u) < best.variables.index(v) for u, v in best.shared_adjacencies)
    none = {frozenset(pair) for pair in combinations(best.variables, 2)} - set.union(*skeletons)
    assert best.absent_adjacencies == len(none)
    frame = best.agreement()
    assert len(shared) == (frame["adjacent"] == "all").sum()
    assert len(none) == (frame["adjacent"] == "none").sum()


def test_directions_that_differ_do_not_hide_what_all_join():
    rows = [[0, 0], [1, 1]] * 20 + [[0, 1], [1, 0]]
    best = ds.k_best(ds.local_scores(ds.Dataset.from_array(rows, ["a", "b"])), 2, "dags")
    assert {dag.edges for dag in best.networks} == {(("a", "b"),), (("b", "a"),)}
    text = " ".join(terminal_text(render_best(best), 100).split())
    assert "In all of them (0 edges): (none)" in text
    assert "Adjacent in all of them, in whatever direction (1 pair): a – b" in text


def test_many_are_counted(scores):
    data = ds.load_network("asia").sample(3000, seed=1)
    names = [f"v{i}" for i in range(9)]
    full = ds.Dag.from_edges(names, list(combinations(names, 2)))
    best = ds.k_best(ds.local_scores(data), 2)
    from dataclasses import replace

    from dagscape.graphs.lists import DagList

    wide = replace(best, variables=tuple(names), networks=DagList.from_dags([full, full]), score_info=None)
    text = " ".join(terminal_text(render_best(wide, 0), 200).split())
    assert "in whatever direction (36 pairs): v0 – v1, " in text
    assert text.split("In none of them")[0].rstrip().endswith("and 16 more")


def test_they_are_in_documents_and_pictures(scores, tmp_path):
    best = ds.k_best(scores, 10)
    document = best.to_dict()
    assert [tuple(pair) for pair in document["shared_adjacencies"]] == list(best.shared_adjacencies)
    assert document["absent_adjacencies"] == best.absent_adjacencies
    best.save(tmp_path / "best.json")
    again = ds.load_result(tmp_path / "best.json")
    assert again.shared_adjacencies == best.shared_adjacencies
    first = skeleton(best.networks[0])
    said = f"all 10 classes of the list have {len(best.shared_adjacencies)} of these {len(first)} adjacencies; not "
    assert best.legend_remarks[0].startswith(said)
    assert said.split(";")[0].split(" have")[0] in ds.draw(best)
    assert "of the list" not in ds.draw(ds.k_best(scores, 1))
    assert ds.draw(again) == ds.draw(best)
    best.draw(tmp_path / "best.dot")
    assert "all 10 classes of the list" in (tmp_path / "best.dot").read_text(encoding="utf-8")


def test_modes_have_them_too(scores):
    found = ds.modes(scores, 3)
    shared = set.intersection(*map(skeleton, found.networks))
    assert {frozenset(pair) for pair in found.shared_adjacencies} == shared
    assert found.to_dict()["absent_adjacencies"] == found.absent_adjacencies


def test_the_command_names_them(capfd, tmp_path):
    code, out, _ = run(capfd, "best", "builtin:tic-tac-toe", "-k", 5, "-o", tmp_path / "best.json")
    document = json.loads((tmp_path / "best.json").read_text(encoding="utf-8"))
    assert code == 0
    count = len(document["shared_adjacencies"])
    assert f"Adjacent in all of them, in whatever direction ({count} pairs): " in out
    assert f"In none of them: {document['absent_adjacencies']} pairs of variables" in out
