"""The studies of student models: data sets, measures, and how their tables are made."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from dagscape.student.model.simulate import STRUCTURES
from dagscape.studies.papers.chen2016.chapter_6 import comparing, figure_6_4, figure_6_6, figure_6_10, real, simulated
from dagscape.studies.papers.chen2016.chapter_6.items import ITEMS
from dagscape.studies.papers.item import PaperTable
from dagscape.studies.papers.sources import Sources

NOTHING = Sources(None)


def task(**changes):
    return {
        "ranges": "wide", "structure": "a", "students": 150, "set": 1, "kind": "single", "missing": 0.0, **changes
    }  # fmt: skip


def test_all_tables_and_figures_of_the_chapter_are_there():
    numbers = {item.number for item in ITEMS}
    assert numbers == {*(f"Table 6.{k}" for k in range(1, 4)), *(f"Figure 6.{k}" for k in range(1, 14))}


def test_the_full_study_is_that_of_the_paper():
    tasks = list(simulated.tasks("full"))
    whole = [one for one in tasks if not one["missing"] and one["ranges"] == "wide" and one["kind"] == "single"]
    assert len(whole) == 3 * 4 * 10
    assert len({tuple(one.values()) for one in tasks}) == len(tasks)
    assert {one["missing"] for one in tasks} == {0.0, 0.1, 0.2, 0.3, 0.4, 0.5}


def test_students_of_a_set_have_the_same_skills():
    plain, able, multi, few = (simulated.simulated(task(kind=kind)) for kind in ("single", "ability", "multi", "few"))
    gaps = simulated.simulated(task(missing=0.3))
    for other in (able, gaps):
        assert np.array_equal(plain.skills, other.skills)
    assert np.array_equal(np.concatenate(plain.model.skill_tables), np.concatenate(multi.model.skill_tables))
    assert max(map(len, multi.model.item_tables)) > 2
    assert (len(plain.answers.items), len(few.answers.items)) == (18, 9)
    assert simulated.simulated(task(set=2)).skills.tolist() != plain.skills.tolist()


def test_measures_of_a_known_graph():
    truth = STRUCTURES["a"]
    found = ds.Dag.from_edges(truth.variables, [("S1", "S2"), ("S3", "S2")])
    assert simulated.f1(set(found.edges), set(truth.edges)) == 0.5
    # Related: S1 - S2, S2 - S3 of the three pairs; with directions, one of two.
    assert simulated.relation_measures(simulated.ancestor_pairs(found), truth) == {"related": 0.8, "ancestors": 0.4}
    compared = ds.compare(found, truth, level="dags")
    assert compared["f1_adjacency"] == simulated.f1(
        simulated.undirected(found.edges), simulated.undirected(truth.edges)
    )
    assert compared["f1_orientation"] == simulated.f1(set(found.edges), set(truth.edges))


@pytest.mark.parametrize("structure", list(STRUCTURES))
def test_the_baseline_is_the_complete_graph(structure):
    truth = STRUCTURES[structure]
    names = truth.variables
    full = ds.Dag.from_edges(names, [(u, v) for k, v in enumerate(names) for u in names[:k]])
    expected = simulated.f1(simulated.undirected(full.edges), simulated.undirected(truth.edges))
    assert simulated.complete_f1(structure) == pytest.approx(expected)


def test_one_data_set_is_learned_from_with_all_methods():
    found = simulated.work(task(), NOTHING)["found"]
    assert list(found) == ["structural EM", "refined", "PARM", "PARM, independent skills"]
    assert found["refined"]["score"] >= found["structural EM"]["score"]
    assert set(simulated.work(task(kind="multi"), NOTHING)["found"]) == {"structural EM", "refined"}


@pytest.mark.parametrize("strength", [0.95, 0.8, 0.5])
def test_the_area_where_the_rule_fails(strength):
    grid = (np.arange(1000) + 0.5) / 1000
    p, r = np.meshgrid(grid, grid)
    wrong = (figure_6_4.log_ratio(p, r, strength) < 0).mean()
    assert figure_6_4.wrong_share(strength) == pytest.approx(wrong, abs=1e-3)


def frame():
    """Two sets of each: refinement gains 0.2 in F1 and 1 in score, several skills cost 0.1."""
    rows = []
    for structure in ("a", "c"):
        for kind in ("single", "few", "multi"):
            for number in (0, 1):
                first = {"adjacency": 0.5 + 0.1 * number - 0.1 * (kind == "multi"), "score": -10.0}
                first |= {"orientation": 0.4, "related": 0.6, "ancestors": 0.5}
                second = {**first, "adjacency": first["adjacency"] + 0.2, "score": -9.0}
                found = {"structural EM": first, "refined": second}
                if kind == "single":
                    found |= {"PARM": {"related": 0.1 * (1 + number), "ancestors": 0.0}}
                rows.append({**task(structure=structure, set=number, kind=kind), "found": found})
    return pd.DataFrame(rows)


def test_tables_have_means_and_intervals():
    runs = comparing.tidy(frame())
    runs = runs[runs["method"] != "PARM"]
    table = comparing.table(runs, "adjacency", "F1", ("structure", "kind", "method"), "students")
    assert table.headers == ("structure", "kind", "method", "150")
    assert table.rows[0] == ("a", "single", "structural EM", "0.550 ± 0.098")
    assert table.rows[-1] == ("c", "fully connected", "", "0.600")
    change = comparing.paired_gain(runs, "adjacency", "kind", "single", "multi", ("method", "structure"))
    assert set(change.rows) == {(m, s, "-0.100 ± 0.000") for m in ("structural EM", "refined") for s in ("a", "c")}


def test_refinement_and_parm_are_compared_on_the_same_sets():
    *_, refinement = [part for part in figure_6_6.show(frame()) if isinstance(part, PaperTable)]
    assert refinement.rows[0][3:] == (2, pytest.approx(0.2), pytest.approx(0.0), "2 / 0", 2)
    *_, against = [part for part in figure_6_10.show(frame()) if isinstance(part, PaperTable)]
    assert against.rows[0][:4] == ("wide", 150, "structural EM", pytest.approx(0.45))


def test_skills_of_timss_are_merged(tmp_path):
    (tmp_path / "student").mkdir()
    (tmp_path / "student" / "t_qmatrix.csv").write_text("item,N1,N2,D1\ni1,1,0,0\ni2,0,1,1\n")
    (tmp_path / "student" / "t_skillinfo.csv").write_text("skill,content\nN1,N\nN2,N\nD1,D\n")
    (tmp_path / "student" / "t_items.csv").write_text("i1,i2\n1,0\n")
    answers, q_matrix = real.data_set("t:content", Sources(tmp_path))
    assert answers == tmp_path / "student" / "t_items.csv"
    assert q_matrix.to_dict("list") == {"N": [1, 1], "D": [0, 1]}
    assert list(real.needs({"data": "t:content"})) == [
        f"student/t_{name}.csv" for name in ("items", "qmatrix", "skillinfo")
    ]
