from __future__ import annotations

import json

import pytest

import dagscape as ds
from cli.running import run


@pytest.fixture
def posterior(tmp_path):
    post = ds.posterior(ds.local_scores(ds.load_network("asia").sample(200, seed=1)))
    post.save(tmp_path / "post.json")
    return tmp_path / "post.json"


def test_accuracy_is_that_of_the_function(capfd, posterior, tmp_path):
    code, out, err = run(capfd, "accuracy", posterior, "builtin:asia", "--json", "-o", tmp_path / "found.json")
    assert (code, err) == (0, "")
    expected = ds.edge_accuracy(ds.load_result(posterior), ds.load_network("asia"))
    assert json.loads(out)["auc"] == expected.auc
    assert ds.load_result(tmp_path / "found.json") == expected
    code, out, _ = run(capfd, "accuracy", posterior, "builtin:asia", "--feature", "adjacencies", "--bins", 4)
    assert code == 0
    assert "8 of 28 pairs are true" in out
    assert "0.25 to 0.5" in out


def test_a_network_and_an_edge_list_are_taken(capfd, tmp_path):
    (tmp_path / "edges.csv").write_text("from,to\nasia,tub\nsmoke,lung\n")
    code, out, _ = run(capfd, "accuracy", "builtin:asia", tmp_path / "edges.csv", "--json")
    assert code == 0
    assert json.loads(out)["positives"] == 2


@pytest.mark.slow
def test_the_plot(capfd, posterior, tmp_path):
    pytest.importorskip("matplotlib")
    assert run(capfd, "accuracy", posterior, "builtin:asia", "--plot", tmp_path / "roc.svg")[0] == 0
    assert "ROC curve of edges" in (tmp_path / "roc.svg").read_text()


def test_what_has_no_probabilities_is_refused(capfd, posterior, tmp_path):
    ds.load_dataset("iris").describe().save(tmp_path / "summary.json")
    code, _, err = run(capfd, "accuracy", tmp_path / "summary.json", "builtin:asia")
    assert code == 2
    assert "which has no probabilities of edges" in err
    assert run(capfd, "accuracy", posterior, "builtin:cancer")[0] == 2
    assert run(capfd, "accuracy", posterior, "builtin:asia", "--plot", tmp_path / "roc.txt")[0] == 2


def test_messages_name_the_arguments_of_the_command(capfd, posterior, tmp_path):
    code, _, err = run(capfd, "accuracy", posterior, "builtin:cancer")
    assert code == 2
    assert f"TRUTH does not have the variables of RESULT {str(posterior)!r}" in err
    rows = ds.load_network("asia").sample(1000, seed=1)
    ds.posterior(ds.local_scores(rows), "orders").save(tmp_path / "orders.json")
    code, _, err = run(capfd, "accuracy", tmp_path / "orders.json", "builtin:asia", "--feature", "ancestors")
    assert code == 2
    assert "with 'dagscape posterior DATA --over orders --ancestors'" in err
    study = ds.sensitivity(rows, ess=[1.0, 2.0], structure_prior="uniform", max_parents=2)
    study.save(tmp_path / "study.json")
    code, _, err = run(capfd, "accuracy", tmp_path / "study.json", "builtin:asia")
    assert code == 2
    assert "which has no probabilities of edges: give a result of 'posterior', 'best', 'modes'" in err


@pytest.mark.parametrize("command", ["modes", "learn"])
def test_other_results_are_taken(capfd, tmp_path, command):
    ds.load_network("asia").sample(1000, seed=1).to_frame().to_csv(tmp_path / "asia.csv", index=False)
    assert run(capfd, command, tmp_path / "asia.csv", "-o", tmp_path / "found.json", "--quiet")[0] == 0
    code, out, _ = run(capfd, "accuracy", tmp_path / "found.json", "builtin:asia")
    assert code == 0
    assert "share that is true, in 10 bins" in out
