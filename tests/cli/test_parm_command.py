"""``dagscape parm``: pairs of prerequisites by association rules."""

from __future__ import annotations

import json

import pytest

import dagscape as ds
from cli.running import run

STUDENTS = ds.simulate_students("a", 300, items_per_skill=4, seed=4)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    path = tmp_path_factory.mktemp("school")
    STUDENTS.answers.to_frame().to_csv(path / "answers.csv")
    STUDENTS.q_matrix.to_frame().to_csv(path / "q.csv")
    return path / "answers.csv", "--q-matrix", path / "q.csv"


def test_the_table_shows_the_pairs(capfd, files):
    code, out, err = run(capfd, "parm", *files, "--restarts", 2)
    found = ds.parm(STUDENTS.answers, STUDENTS.q_matrix, restarts=2)
    assert (code, err) == (0, "")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert lines[0] == f"{len(found.pairs)} pairs of prerequisites among 3 skills, from 300 students"
    assert {tuple(line.split()[:2]) for line in lines if line.endswith(" holds")} == set(found.pairs)


def test_options_reach_the_function(capfd, files, tmp_path):
    given = ["--minsup", 0.1, "--minconf", 0.5, "--minprob", 0.3, "--structure", "empty", "--tolerance", "1e-4"]
    path = tmp_path / "found.json"
    code, out, _ = run(capfd, "parm", *files, *given, "--restarts", 1, "--seed", 5, "-o", path, "--json")
    expected = ds.parm(
        STUDENTS.answers, STUDENTS.q_matrix, 0.1, 0.5, 0.3, structure="empty", tolerance=1e-4, restarts=1, seed=5
    )
    assert code == 0
    assert ds.load_result(path) == ds.Parm.from_dict(json.loads(out)) == expected


def test_what_is_wrong_is_said(capfd, files):
    code, _, err = run(capfd, "parm", files[0])
    assert (code, "--q-matrix" in err) == (2, True)
    code, _, err = run(capfd, "parm", *files, "--minprob", 2)
    assert (code, "--minprob" in err) == (2, True)
    code, _, err = run(capfd, "parm", "-", "--q-matrix", "-")
    assert (code, "only one of ANSWERS and --q-matrix can come from standard input" in err) == (2, True)
