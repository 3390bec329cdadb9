from __future__ import annotations

import json

import numpy as np
import pytest

import dagscape as ds
from cli.running import run
from dagscape.posterior.cpu import backend, seconds
from dagscape.posterior.sum_plan import SumSize


def test_posterior_of_a_table(capfd, tmp_path):
    fixed = ("--settings", "fixed")
    code, out, err = run(
        capfd, "posterior", "builtin:tic-tac-toe", "--max-parents", 3, *fixed, "-o", tmp_path / "post.json"
    )
    assert (code, err) == (0, "")
    assert "Posterior over dags" in out
    assert "error estimate" in out
    assert "not shown" in out
    saved = ds.load_result(tmp_path / "post.json")
    direct = ds.posterior(ds.local_scores(ds.load_dataset("tic-tac-toe"), max_parents=3))
    np.testing.assert_array_equal(saved.edges, direct.edges)


def test_posterior_as_json_has_the_same_names(capfd):
    code, out, _ = run(capfd, "posterior", "builtin:tic-tac-toe", "--max-parents", 2, "--over", "orders", "--json")
    assert code == 0
    document = json.loads(out)
    assert document["over"] == "orders"
    assert len(document["edges"]) == len(document["variables"]) == 10
    assert document["ancestors"] is None


def test_back_ends(capfd):
    common = ("posterior", "builtin:tic-tac-toe", "--max-parents", 2, "--over", "orders")
    assert run(capfd, *common, "--backend", "cpu")[:2] == run(capfd, *common)[:2]
    code, _, err = run(capfd, *common, "--backend", "gpu")
    assert code == 2
    assert "'gpu' is not one of 'auto', 'cpu'" in err


def test_posterior_of_a_score_file(capfd, tmp_path):
    path = tmp_path / "scores.jkl"
    ds.write_scores(ds.FamilyTable({"a": {(): -1.0, ("b",): -0.5}, "b": {(): -1.0}}), path)
    code, out, err = run(capfd, "posterior", path, "--threshold", 0)
    assert code == 0
    assert "families are missing" in err
    assert "b" in out


def test_options_for_tables_are_refused_with_score_files(capfd, tmp_path):
    path = tmp_path / "scores.jkl"
    ds.write_scores(ds.FamilyTable({"a": {(): -1.0, ("b",): -0.5}, "b": {(): -1.0, ("a",): -0.5}}), path)
    code, _, err = run(capfd, "posterior", path, "--prior", "per-size")
    assert code == 2
    assert "--prior needs a table of data" in err
    assert run(capfd, "plan", path)[0] == 2
    assert run(capfd, "posterior", path, "--threads", 1)[0] == 0


def test_too_many_variables_are_refused_before_scoring(capfd, tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text(",".join(f"v{i}" for i in range(60)) + "\n" + ",".join("a" * 60) + "\n" + ",".join("b" * 60) + "\n")
    code, _, err = run(capfd, "posterior", path, "--max-parents", 2, "--method", "exact", "--quiet")
    assert code == 4
    assert "exact sums over orders with few parents fit up to" in err


@pytest.mark.slow
def test_paths(capfd, tmp_path):
    path = ("top-left-square", "Class", "middle-middle-square")
    common = ("posterior", "builtin:tic-tac-toe", "--max-parents", 3, "--settings", "fixed")
    expected = ds.posterior(ds.local_scores(ds.load_dataset("tic-tac-toe"), max_parents=3), via="all")
    code, out, err = run(capfd, *common, "--via", *path, "--via", *path[1:], path[0], "-o", tmp_path / "post.json")
    assert (code, err) == (0, "")
    rows = [line.split() for line in out.splitlines()[-2:]]
    assert rows == [
        [*path, f"{expected.via(*path):.4f}"],
        [*path[1:], path[0], f"{expected.via(*path[1:], path[0]):.4f}"],
    ]
    np.testing.assert_array_equal(ds.load_result(tmp_path / "post.json").paths, expected.paths)
    code, out, _ = run(capfd, *common, "--via-all", "--json")
    assert code == 0
    np.testing.assert_array_equal(json.loads(out)["paths"], expected.paths)
    code, out, _ = run(capfd, *common, "--via-all", "--threshold", 0.7)
    assert code == 0
    likely = np.sort(expected.paths[expected.paths >= 0.7])[::-1]
    shown = [line.split()[3] for line in out.rpartition("from ")[2].splitlines()[1:] if line.split()[3:]]
    assert shown[: len(likely)] == [f"{value:.4f}" for value in likely]
    assert out.endswith(f"\n{10 * 9 * 8 - len(likely)} paths below 0.7 not shown\n")


def test_wrong_paths(capfd):
    common = ("posterior", "builtin:tic-tac-toe", "--max-parents", 2)
    for arguments, message in (
        (["--via", "top-left-squar", "Class", "middle-middle-square"], "did you mean 'top-left-square'?"),
        (["--via", "Class", "Class", "middle-middle-square"], "--via holds ('Class', 'Class', 'middle-middle-square')"),
        (["--via-all", "--over", "orders"], "sums over orders have no path relations: use --over dags"),
    ):
        code, out, err = run(capfd, *common, *arguments)
        assert (code, out) == (2, "")
        assert message in err


def test_the_prior_alone(capfd):
    common = ("posterior", "builtin:tic-tac-toe", "--prior-only", "--settings", "fixed")
    code, out, err = run(capfd, *common)
    assert (code, err) == (0, "")
    assert out.startswith("Prior over dags: error estimate")
    code, out, _ = run(capfd, *common, "--json")
    expected = ds.posterior(ds.local_scores(ds.load_dataset("tic-tac-toe")), prior=True)
    assert json.loads(out)["edges"] == expected.edges.tolist()


def test_json_has_what_the_table_shows(capfd):
    common = ("posterior", "builtin:tic-tac-toe", "--max-parents", 2)
    shown = run(capfd, *common)[1].splitlines()[0]
    document = json.loads(run(capfd, *common, "--json")[1])
    assert f"log evidence {document['log_evidence']:,.4f}" in shown
    assert document["log_evidence"] == document["log_total"] - document["log_prior_total"]


def test_slow_paths_are_announced(capfd, monkeypatch):
    """One --via takes minutes where the plain posterior takes seconds: say so before the work starts."""
    monkeypatch.setattr(backend, "dag_seconds", lambda size, run: 600.0)
    monkeypatch.setattr("dagscape.cli.commands.posterior._SURELY_QUICK", 4)
    cut = ("--discretize", "quantile:2", "--via", "class", "petal_width", "petal_length")
    _, _, err = run(capfd, "posterior", "builtin:iris", *cut)
    assert "warning: paths through a third variable take 4^5 steps, about 10 min here for each setting; " in err
    assert "4^5" not in run(capfd, "posterior", "builtin:iris", *cut[:2])[2]
    assert "4^5" not in run(capfd, "posterior", "builtin:iris", *cut, "-q")[2]
    assert "4^n steps" in run(capfd, "posterior", "--help")[1]
    assert "3^5 steps; 4^5 with paths" in run(capfd, "plan", "builtin:iris", *cut[:2], "--task", "posterior")[1]


def test_the_time_of_paths_grows_fourfold_with_a_variable(monkeypatch):
    monkeypatch.setattr(seconds, "_trial_seconds", lambda run, n, *_: 4.0**n)
    monkeypatch.setattr(seconds, "_PREPARATION_SECONDS", 0.0)
    found = [seconds.dag_seconds(SumSize(n, n - 1, 2, with_paths=True), None) for n in (3, 12, 17)]
    assert found == [4.0**3, 4.0**12, 4.0**17]


@pytest.mark.parametrize("option", [("--settings", "average"), ("--settings", "best"), ("--cut-weights", "equal")])
def test_scores_have_their_settings(capfd, tmp_path, option):
    scores = str(tmp_path / "iris.jkl")
    assert run(capfd, "score", "builtin:iris", "--discretize", "quantile:2", "-o", scores)[0] == 0
    assert run(capfd, "posterior", scores)[0] == 0
    code, out, err = run(capfd, "posterior", scores, *option)
    told = f"dagscape: {option[0]} needs a table of data: the scores in {scores!r} are used as they are\n"
    assert (code, out, err) == (2, "", told)
