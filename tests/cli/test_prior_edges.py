"""``--prior-edges``: prior knowledge about edges from a table."""

from __future__ import annotations

import json
import math

import pytest

import dagscape as ds
from cli.running import run


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b,c\n" + "0,0,1\n1,1,0\n0,0,0\n1,0,1\n1,1,1\n" * 4)
    return path


def written(tmp_path, text, name="known.csv"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_log_odds_and_probabilities(tmp_path):
    odds = ds.read_prior_edges(written(tmp_path, "child,parent,log_odds,source\nb,a,1.5,me\nc,a,-inf,you\n"))
    assert odds == {("a", "b"): 1.5, ("a", "c"): -math.inf}
    assert ds.read_prior_edges(written(tmp_path, "parent\tchild\tlog_odds\na\tb\t2\n", "known.tsv")) == {("a", "b"): 2}
    likely = ds.read_prior_edges(written(tmp_path, "parent,child,probability\na,b,0.5\nb,a,0\nb,c,0.9\nc,a,1\n"))
    assert likely == {
        ("a", "b"): 0,
        ("b", "a"): -math.inf,
        ("b", "c"): pytest.approx(math.log(9)),
        ("c", "a"): math.inf,
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("parent,child\na,b\n", "must have the columns parent, child, and one of log_odds and probability"),
        ("parent,child,log_odds,probability\na,b,1,1\n", "and one of log_odds and probability"),
        ("from,to,log_odds\na,b,1\n", "it has 'from', 'to', 'log_odds'"),
        ("parent,child,log_odds\na,b,x\n", r"has 'x' in the column 'log_odds' \(line 2\); it must be a number"),
        ("parent,child,probability\na,b,1.5\n", "must be a number between 0 and 1"),
        ("parent,child,probability\na,b,nan\n", "must be a number between 0 and 1"),
        ("parent,child,log_odds\na,b,1\na,b,2\n", r"'a' -> 'b' twice \(line 3\)"),
        ("parent,child,log_odds\na,,1\n", r"an empty cell in the column 'child' \(line 2\)"),
    ],
)
def test_wrong_tables_are_refused(tmp_path, text, message):
    with pytest.raises(ds.InvalidData, match=message):
        ds.read_prior_edges(written(tmp_path, text))


def test_posterior(capfd, table, tmp_path):
    known = written(tmp_path, "parent,child,log_odds\na,b,2\nc,a,-inf\n")
    code, out, _ = run(
        capfd, "posterior", table, "--settings", "fixed", "--prior", "per-size", "--prior-edges", known, "--json"
    )
    scores = ds.local_scores(ds.read_data(table), structure_prior=["per-size", ds.read_prior_edges(known)])
    assert code == 0
    assert json.loads(out)["edges"] == ds.posterior(scores).edges.tolist()
    assert json.loads(out)["score_info"]["structure_prior"] == scores.info.structure_prior
    _, out, _ = run(capfd, "score", table, "--prior-edges", known)
    assert "prior edge log-odds (sha" in out


def test_other_commands(capfd, table, tmp_path):
    known = written(tmp_path, "parent,child,probability\na,b,0.9\n")
    for command in (["best", "-k", 2], ["learn"], ["score"], ["plan"], ["bootstrap", "--samples", 2]):
        code, _, err = run(capfd, command[0], table, *command[1:], "--prior-edges", known)
        assert code == 0, err
    study = tmp_path / "study.json"
    code, _, err = run(
        capfd, "sensitivity", table, "--prior-edges", known, "--prior", "uniform,per-size", "--ess", 1,
        "--max-parents", "none", "-o", study,
    )  # fmt: skip
    assert code == 0, err
    names = [setting.structure_prior for setting in ds.load_result(study).settings]
    assert names[0].startswith("edge log-odds (sha ")
    assert names[1] == f"per-size + {names[0]}"


def test_errors(capfd, table, tmp_path):
    known = written(tmp_path, "parent,child,probability\na,b,1\n")
    code, _, err = run(capfd, "posterior", table, "--prior-edges", known)
    assert code != 0
    assert (
        "--prior-edges gives the edge 'a' -> 'b' the log-odds inf; for an edge that every network has, use --req" in err
    )
    unknown = written(tmp_path, "parent,child,probability\na,z,0.5\n")
    assert "--prior-edges names 'z'" in run(capfd, "posterior", table, "--prior-edges", unknown)[2]
    code, _, err = run(capfd, "plan", table, "--task", "mmpc", "--prior-edges", known)
    assert code != 0
