"""Commands for classes, lists and classifiers: members, average, iter-best, mmpc, classify."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from cli.running import run


@pytest.fixture
def table(tmp_path):
    ds.load_network("asia").sample(300, seed=1).to_frame().to_csv(tmp_path / "asia.csv", index=False)
    return tmp_path / "asia.csv"


def test_mmpc(capfd, table, tmp_path):
    code, out, err = run(capfd, "mmpc", table, "--alpha", 0.01, "--json", "-o", tmp_path / "pc.json")
    assert (code, err) == (0, "")
    expected = ds.mmpc(ds.read_data(table), 0.01)
    assert json.loads(out)["strengths"] == expected.strengths.tolist()
    assert ds.load_result(tmp_path / "pc.json") == expected
    code, out, _ = run(capfd, "mmpc", table, "--not-symmetric")
    assert code == 0
    assert "parents and children" in out
    assert run(capfd, "mmpc", table, "--alpha", 0)[0] == 2
    assert run(capfd, "mmpc", tmp_path / "none.csv")[0] == 2


def test_mmpc_of_numbers(capfd, tmp_path):
    path = tmp_path / "numbers.csv"
    rng = np.random.default_rng(1)
    x = rng.normal(size=100)
    frame = pd.DataFrame({"x": x, "y": x + rng.normal(size=100), "label": ["a", "b"] * 50})
    frame.to_csv(path, index=False)
    code, out, err = run(capfd, "mmpc", path, "--test", "fisher-z", "--drop", "label")
    assert (code, err) == (0, "")
    assert "1 pair of neighbours, by 2 Fisher's z tests of independence at level 0.05" in out
    code, out, _ = run(capfd, "mmpc", path, "--test", "mi-cg", "--json", "-q")
    assert code == 0
    assert json.loads(out)["strengths"] == ds.mmpc(ds.MixedData.from_frame(frame)).strengths.tolist()
    assert json.loads(out)["test"] == "mi-cg"
    assert json.loads(run(capfd, "mmpc", path, "--json", "-q")[1])["test"] == "mi-cg"
    assert json.loads(run(capfd, "mmpc", path, "--discretize", "auto", "--json", "-q")[1])["test"] == "g2"
    for test, taken in (("fisher-z", "numbers"), ("mi-cg", "mixed tables")):
        code, _, err = run(capfd, "mmpc", path, "--test", test, "--drop", "label", "--discretize", "quantile:3")
        assert code == 2
        assert f"--discretize is for discrete data, and --test {test} takes {taken}" in err
    code, out, _ = run(capfd, "plan", path, "--task", "mmpc", "--test", "mi-cg")
    assert code == 0
    assert "3 variables, 100 rows" in out


def test_members(capfd, tmp_path):
    code, out, _ = run(capfd, "members", "builtin:asia", "--limit", 2)
    assert code == 0
    assert "Equivalence class of 6 DAGs" in out
    assert "4 more members not shown" in out
    code, out, _ = run(capfd, "members", "builtin:asia", "--json", "-o", tmp_path / "m.npz")
    document = json.loads(out)
    assert (document["size"], len(document["networks"])) == (6, 6)
    assert ds.load_result(tmp_path / "m.npz") == ds.class_members(ds.load_network("asia"))
    code, out, _ = run(capfd, "members", "builtin:asia", "--limit", 0, "--json")
    assert json.loads(out)["networks"] == []
    assert run(capfd, "members", "builtin:asia", "--limit", -1)[0] == 2


@pytest.mark.parametrize("feature", ["blankets", "v-structures"])
def test_average(capfd, tmp_path, table, feature):
    best = ds.k_best(ds.local_scores(ds.read_data(table)), 5)
    best.save(tmp_path / "best.json")
    code, out, _ = run(capfd, "average", tmp_path / "best.json", "--feature", feature, "--weights", "classes", "--json")
    assert code == 0
    expected = ds.feature_averages(best, feature, "classes")
    assert json.loads(out)["probabilities"] == expected.probabilities.tolist()
    code, out, _ = run(capfd, "average", tmp_path / "best.json", "--feature", feature, "--show", 1)
    assert code == 0
    assert "not shown" in out
    assert run(capfd, "average", "builtin:asia")[0] == 2


def test_average_of_samples(capfd, tmp_path, table):
    drawn = ds.sample_dags(ds.local_scores(ds.read_data(table)), 100, seed=1)
    drawn.save(tmp_path / "drawn.npz")
    code, out, _ = run(capfd, "average", tmp_path / "drawn.npz", "--feature", "ancestors", "--json")
    assert code == 0
    assert json.loads(out)["errors"] == ds.feature_averages(drawn, "ancestors").errors.tolist()
    code, out, _ = run(capfd, "average", tmp_path / "drawn.npz")
    assert code == 0
    assert out.splitlines()[2].split()[-2:] == ["probability", "error"]
    assert run(capfd, "curves", tmp_path / "drawn.npz")[0] == 0


def test_iter_best(capfd, table):
    scores = ds.local_scores(ds.read_data(table))
    code, out, err = run(capfd, "iter-best", table, "--settings", "fixed", "-n", 5, "--json")
    assert (code, err) == (0, "")
    best = ds.k_best(scores, 5)
    documents = [json.loads(line) for line in out.splitlines()]
    assert [document["score"] for document in documents] == pytest.approx(best.scores.tolist())
    assert [document["edges"] for document in documents] == best.networks.to_edges()
    classes = [network.to_cpdag() for network in best]
    assert [document["dags"] for document in documents] == [kind.size() for kind in classes]
    assert [document["undirected"] for document in documents] == [
        [list(edge) for edge in kind.undirected_edges] for kind in classes
    ]
    lines = run(capfd, "iter-best", table, "--settings", "fixed", "-n", 5)[1].splitlines()
    for line, kind in zip(lines, classes, strict=True):
        *_, size, edges = line.split("\t")
        assert int(size) == kind.size()
        expected = [f"{a} -> {b}" for a, b in kind.directed_edges] + [f"{a} - {b}" for a, b in kind.undirected_edges]
        assert edges.split(", ") == expected
    assert any(kind.undirected_edges for kind in classes)
    code, out, _ = run(capfd, "iter-best", table, "--settings", "fixed", "-n", 3, "--space", "dags")
    rank, score, less, edges = out.splitlines()[2].split("\t")
    expected = ds.k_best(scores, 3, "dags").to_frame()
    assert (rank, less) == ("3", f"{expected['times_less'][2]:.4g}")
    assert float(score) == pytest.approx(expected["score"][2], abs=1e-4)
    assert " -> " in edges
    code, _, err = run(capfd, "iter-best", table, "-n", 1, "--score", "k2")
    assert code == 0
    assert "listing DAGs, not equivalence classes" in err
    assert run(capfd, "iter-best", table, "-n", 0)[0] == 2


def test_iter_best_ends_when_there_are_no_more(capfd, tmp_path):
    (tmp_path / "two.csv").write_text("a,b\n0,1\n1,0\n1,1\n")
    code, out, _ = run(capfd, "iter-best", tmp_path / "two.csv", "--quiet")
    assert code == 0
    assert len(out.splitlines()) == 2


def test_classify(capfd, tmp_path, table):
    code, out, _ = run(
        capfd, "classify", table, "--target", "dysp", "--method", "naive", "--cv", 3, "--json",
        "-o", tmp_path / "c.json", "--network", tmp_path / "model.json",
    )  # fmt: skip
    assert code == 0
    expected = ds.classify_rows(ds.read_data(table).to_frame(), "dysp", "naive", cv=3)
    document = json.loads(out)
    assert document["rows"] == 300
    assert sum(map(sum, document["confusion"])) == 300
    assert document["mean_accuracy"] > 0.6
    assert len(document["accuracy"]) == len(expected.accuracy)
    assert ds.load_result(tmp_path / "c.json").method == "naive"
    assert run(capfd, "predict", tmp_path / "model.json", table, "--target", "dysp", "--quiet")[0] == 0
    code, out, _ = run(capfd, "classify", table, "--target", "dysp", "--method", "tan", "--test", table)
    assert code == 0
    assert "accuracy of the baseline" in out
    code, _, err = run(capfd, "classify", table, "--target", "dysp", "--method", "naive", "--tabu-length", 3)
    assert code == 2
    assert "is an option of tabu" in err
    assert run(capfd, "classify", table, "--target", "nobody")[0] == 2


def test_classify_chooses_columns_and_warns_of_identifiers(capfd, tmp_path, table):
    frame = ds.read_data(table).to_frame()
    frame.to_csv(table, index=False)
    path = tmp_path / "numbered.csv"
    frame.assign(id=[f"p{i}" for i in range(300)]).to_csv(path, index=False)
    naive = ("--target", "dysp", "--method", "naive", "--cv", 3, "--json")
    plain = json.loads(run(capfd, "classify", table, *naive)[1])
    code, out, err = run(capfd, "classify", path, *naive)
    assert code == 0
    assert "'id' has 300 distinct values in 300 rows, as identifiers do: leave it out with --drop 'id'" in err
    assert json.loads(out)["variables"] == [*plain["variables"], "id"]
    chosen = ",".join(name for name in plain["variables"] if name != "dysp")
    for options in (["--drop", "id"], ["--drop-suspicious"], ["--columns", chosen], ["--drop", "id", "--test", path]):
        shown = naive if "--test" not in options else ("--target", "dysp", "--method", "naive", "--json")
        found = json.loads(run(capfd, "classify", path, *shown, *options)[1])
        assert sorted(found["variables"]) == sorted(plain["variables"])
        if "--test" not in options and "--columns" not in options:
            assert found["confusion"] == plain["confusion"]
    code, _, err = run(capfd, "classify", path, *naive, "--drop", "dysp")
    assert (code, err) == (2, "dagscape: --drop leaves out 'dysp', which is the target\n")


def test_classify_drops_rows_with_missing_cells(capfd, tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("a,c\n" + "x,0\ny,1\n" * 10 + ",1\n")
    naive = ("--target", "c", "--method", "naive", "--cv", 2, "--json")
    assert json.loads(run(capfd, "classify", path, *naive)[1])["rows"] == 21
    code, out, err = run(capfd, "classify", path, *naive, "--missing", "drop")
    assert (code, json.loads(out)["rows"]) == (0, 20)
    assert "1 of 21 rows" in err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--target", "petal_length"], "the target is 'petal_length', which holds decimals and is no class"),
        (["--target", "class", "--cv", 500], "--cv is 500; there are only 150 rows"),
        (["--target", "class", "--cv", 5, "--test", "builtin:iris"], "--cv has no effect with --test: leave it out"),
        (["--target", "class", "--bins", 4], "--bins has no effect with --discretize mdl: leave it out"),
    ],
)
def test_classify_refuses_what_cannot_be_meant(capfd, options, words):
    code, _, err = run(capfd, "classify", "builtin:iris", "--method", "naive", *options)
    assert code == 2
    assert words in err
