"""The commands fit, query and predict."""

from __future__ import annotations

import csv
import gzip
import json
import math

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from cli.running import run


@pytest.fixture
def tables(tmp_path):
    """Rows for training and new ones, in which a class depends on two numbers, and a third column on the class."""
    generator = np.random.default_rng(0)
    size, width = generator.normal(size=(2, 300)).round(2)
    kind = np.where(size + width + generator.normal(0, 0.3, 300) > 0, 1, 0)
    spots = np.where(generator.random(300) < 0.9, kind, 1 - kind)
    frame = pd.DataFrame({"size": size, "width": width, "kind": kind, "spots": np.where(spots, "many, large", "few")})
    frame[:200].to_csv(tmp_path / "train.csv", index=False)
    frame[200:].to_csv(tmp_path / "new.csv", index=False)
    return tmp_path


@pytest.fixture
def model(capfd, tables):
    cut = ["--discretize", "mdl", "--class-column", "kind"]
    code, out, err = run(capfd, "fit", tables / "train.csv", *cut, "-o", tables / "model.json")
    assert (code, err) == (0, "")
    assert out.startswith("An optimal network under bdeu, fitted to 200 rows: 4 variables, ")
    return tables / "model.json"


def test_the_loop_from_raw_numbers_to_predictions(capfd, tables, model):
    """Train on raw numbers, save, and predict other raw rows: the model remembers the cuts."""
    code, out, err = run(capfd, "predict", model, tables / "new.csv", "--target", "kind")
    assert code == 0
    rows = list(csv.DictReader(out.splitlines()))
    assert list(rows[0]) == ["predicted", "P(0)", "P(1)"]
    assert len(rows) == 100
    new = pd.read_csv(tables / "new.csv")
    hits = np.mean([int(row["predicted"]) == kind for row, kind in zip(rows, new["kind"], strict=True)])
    assert hits > 0.75
    losses = [-math.log(float(row[f"P({kind})"])) for row, kind in zip(rows, new["kind"], strict=True)]
    assert err == f"accuracy {hits:.4f}, mean log-loss {np.mean(losses):.4f} in 100 rows\n"
    expected = ds.read_network(model).predict(new, "kind")
    assert [[float(row["P(0)"]), float(row["P(1)"])] for row in rows] == expected.to_numpy().tolist()


def test_columns_may_be_absent_and_cells_missing(capfd, tables, model):
    (tables / "gaps.csv").write_text("size,spots,day\n0.5,few,Mon\n?,few,Tue\n0.5,,Wed\n")
    code, out, err = run(capfd, "predict", model, tables / "gaps.csv", "--target", "kind", "--json")
    assert (code, err) == (0, "dagscape: warning: the table lacks 'width'; not in the model: 'day'\n")
    document = json.loads(out)
    assert document["levels"] == [0, 1]
    network = ds.read_network(model)
    evidence = [{"size": 0.5, "spots": "few"}, {"spots": "few"}, {"size": 0.5}]
    for found, given in zip(document["probabilities"], evidence, strict=True):
        assert found == pytest.approx(network.query("kind", given).tolist(), rel=1e-12)
    assert document["predicted"] == [int(np.argmax(row)) for row in document["probabilities"]]


def test_columns_that_the_model_lacks(capfd, tables, model):
    """A table whose names do not match predicts from nothing: that must not pass in silence."""
    (tables / "near.csv").write_text("Size,widths,spots\n0.5,1,few\n")
    code, _, err = run(capfd, "predict", model, tables / "near.csv", "--target", "kind")
    assert code == 0
    assert "the table lacks 'size', 'width'; not in the model: 'Size', 'widths'; did you mean 'size'?" in err
    assert run(capfd, "predict", model, tables / "near.csv", "--target", "kind", "-q")[2] == ""
    (tables / "fewer.csv").write_text("spots\nfew\n")
    assert run(capfd, "predict", model, tables / "fewer.csv", "--target", "kind")[::2] == (0, "")
    (tables / "other.csv").write_text("Size,colour\n0.5,red\n")
    code, out, err = run(capfd, "predict", model, tables / "other.csv", "--target", "kind")
    assert (code, out) == (3, "")
    assert "has none of the variables of the model ('size', 'width', 'spots'); its columns are 'Size', 'colour'" in err


@pytest.mark.parametrize("ending", ["csv", "tsv.gz"])
def test_predictions_go_to_files(capfd, tables, model, ending):
    path = tables / f"p.{ending}"
    code, out, err = run(capfd, "predict", model, tables / "new.csv", "--target", "spots", "-o", path, "-q")
    assert (code, out, err) == (0, "", "")
    text = gzip.decompress(path.read_bytes()).decode() if ending.endswith("gz") else path.read_text()
    rows = list(csv.reader(text.splitlines(), delimiter="\t" if "tsv" in ending else ","))
    assert rows[0] == ["predicted", "P(few)", "P(many, large)"]
    assert len(rows) == 101


def test_levels_that_the_model_lacks(capfd, tables, model):
    (tables / "odd.csv").write_text("spots,kind\nfew,1\nfewer,0\n")
    code, _, err = run(capfd, "predict", model, tables / "odd.csv", "--target", "kind")
    assert code == 3
    assert (
        "odd.csv' has 'fewer' in column 'spots' at line 3, which is not one of its levels 'few', 'many, large'" in err
    )
    code, out, err = run(capfd, "predict", model, tables / "odd.csv", "--target", "spots")
    assert code == 0
    assert "warning: accuracy is not computed" in err
    assert out.startswith("predicted,P(few),")


def test_a_given_structure_is_fitted(capfd, tables):
    (tables / "edges.csv").write_text("from,to\nkind,spots\n")
    arguments = ["fit", tables / "train.csv", "--discretize", "quantile:2", "--network", tables / "edges.csv"]
    code, out, _ = run(capfd, *arguments, "--parameter-prior", "none", "--json")
    assert code == 0
    document = json.loads(out)
    train = pd.read_csv(tables / "train.csv")
    expected = pd.crosstab(train["kind"], train["spots"], normalize="index")
    assert document["parents"] == {"size": [], "width": [], "kind": [], "spots": ["kind"]}
    assert np.array(document["cpts"]["spots"]) == pytest.approx(expected.to_numpy())
    code, out, _ = run(capfd, *arguments, "--cpts", "-o", tables / "m.bif")
    assert code == 0
    assert "edges.csv', fitted to 200 rows: 4 variables, 1 edge, " in " ".join(out.split())
    assert "kind  spots = few  spots = many, large" in out
    network = ds.read_network(tables / "m.bif")
    assert network.dag.parents("spots") == ("kind",)
    assert network.discretizer is not None
    code, out, _ = run(capfd, "compare", tables / "m.bif", tables / "edges.csv", "--json")
    assert json.loads(out)["shd"] == 0


def test_a_structure_on_some_of_the_columns(capfd, tables, tmp_path):
    ds.write_network(ds.load_network("asia"), tmp_path / "asia.json")
    run(capfd, "sample", tmp_path / "asia.json", "-n", 500, "--seed", 1, "-o", tmp_path / "rows.csv")
    frame = pd.read_csv(tmp_path / "rows.csv").assign(day=lambda rows: np.arange(len(rows)) % 3)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    code, out, _ = run(capfd, "fit", tmp_path / "rows.csv", "--network", "builtin:asia")
    assert code == 0
    assert "8 variables, 8 edges, 18 free parameters" in out


def test_query(capfd):
    code, out, err = run(capfd, "query", "builtin:asia", "lung", "--given", "smoke=yes", "--given", "xray=yes")
    assert (code, err) == (0, "")
    assert [line.split() for line in out.splitlines()] == [
        ["lung", "probability"],
        ["yes", "0.645991"],
        ["no", "0.354009"],
    ]
    code, out, _ = run(capfd, "query", "builtin:asia", "lung", "bronc", "--json")
    document = json.loads(out)
    assert document["targets"] == ["lung", "bronc"]
    assert document["log_probability"] == pytest.approx(0, abs=1e-12)
    assert document["probabilities"][0] == {"lung": "yes", "bronc": "yes", "probability": pytest.approx(0.0315)}


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["lungs"], 2, "the target is 'lungs', which is not a variable; did you mean 'lung'?"),
        (["lung", "--given", "smoke"], 2, "--given is 'smoke'; it must be VARIABLE=VALUE"),
        (["lung", "--given", "smoke=maybe"], 2, "--given has 'maybe' for 'smoke', which is not one of its levels"),
        (["lung", "--given", "smoke=yes", "--given", "smoke=no"], 2, "--given has 'smoke' more than once"),
        (
            ["lung", "--given", "tub=yes", "--given", "either=no"],
            3,
            "tub = yes, either = no has probability 0",
        ),
        (["lung", "--max-memory", "100"], 4, "the limit is 100 bytes (--max-memory)"),
    ],
)
def test_wrong_queries(capfd, arguments, code, sentence):
    found, out, err = run(capfd, "query", "builtin:asia", *arguments)
    assert (found, out) == (code, "")
    assert sentence in err


def test_what_is_not_a_model(capfd, tmp_path):
    scores = ds.local_scores(ds.load_network("asia").sample(50, seed=1))
    ds.k_best(scores, 2).save(tmp_path / "best.json")
    code, _, err = run(capfd, "query", tmp_path / "best.json", "lung")
    assert code == 3
    assert "best.json' is a result, which has no probabilities: run 'dagscape fit DATA --network " in err
    (tmp_path / "edges.csv").write_text("from,to\nlung,xray\n")
    code, _, err = run(capfd, "query", tmp_path / "edges.csv", "lung")
    assert code == 3
    assert "edges.csv' is a list of edges, which has no probabilities: run 'dagscape fit DATA" in err
    (tmp_path / "other.json").write_text("{}")
    code, _, err = run(capfd, "query", tmp_path / "other.json", "lung")
    assert code == 3
    assert "other.json' is not a network of dagscape: it has no kind" in err
    assert "list of edges" not in run(capfd, "query", "--help")[1]
    ds.posterior(scores).save(tmp_path / "posterior.json")
    code, _, err = run(capfd, "query", tmp_path / "posterior.json", "lung")
    assert code == 3
    assert "posterior.json' is a 'posterior' result, not a network: write its consensus network with" in err
    assert err.endswith("'dagscape posterior DATA --consensus model.bif', and give model.bif\n")
    ds.plan(ds.load_dataset("tic-tac-toe")).save(tmp_path / "plan.json")
    code, _, err = run(capfd, "query", tmp_path / "plan.json", "lung")
    assert code == 3
    assert "plan.json' is not a network of dagscape: its kind is 'plan', not 'network'" in err
    assert err.endswith("open the result with dagscape draw, or fit its structure to data with dagscape fit\n")
    ds.load_network("asia").save(tmp_path / "asia.json")
    code, _, err = run(capfd, "describe", tmp_path / "asia.json")
    assert code == 3
    assert err.endswith("asia.json' is a network, not a table of data: read it with dagscape query\n")
    ds.write_scores(scores, tmp_path / "asia.jkl")
    code, _, err = run(capfd, "fit", tmp_path / "asia.jkl")
    assert code == 2
    assert "a network cannot be fitted to a score file: give a table of data" in err
    code, _, err = run(capfd, "fit", "builtin:zoo", "-o", tmp_path / "m.txt")
    assert code == 2
    assert "cannot tell the format of" in err


def test_predictions_have_the_words_of_the_data(capfd, tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n" + "TRUE,1.0\n" * 4 + "FALSE,0.0\n" * 4)
    (tmp_path / "edges.csv").write_text("source,target\na,b\n")
    run(capfd, "fit", tmp_path / "t.csv", "--network", tmp_path / "edges.csv", "-o", tmp_path / "t.json")
    for target, header in (("a", "predicted,P(FALSE),P(TRUE)"), ("b", "predicted,P(0.0),P(1.0)")):
        code, out, _ = run(capfd, "predict", tmp_path / "t.json", tmp_path / "t.csv", "--target", target)
        assert code == 0
        assert out.splitlines()[0] == header
        assert out.splitlines()[1].split(",")[0] == ("TRUE" if target == "a" else "1.0")


def test_experiments_are_not_fitted_as_observations(capfd, tmp_path):
    """Where a variable was set, its value says nothing of its parents: the tables differ."""
    rows = ["0,0,0", "1,1,0", "0,0,0", "1,1,0", "0,1,b", "1,0,b", "0,1,b", "1,0,0"]
    table, best = tmp_path / "t.csv", tmp_path / "best.json"
    table.write_text("\n".join(["a,b,INT", *rows * 3]) + "\n")
    assert run(capfd, "best", table, "--interventions", "INT", "-o", best)[0] == 0
    code, out, err = run(capfd, "fit", table, "--network", best, "--interventions", "INT")
    assert (code, err) == (0, "")
    assert "fitted to 24 rows, 9 of them from experiments: 2 variables" in " ".join(out.split())
    code, out, err = run(capfd, "fit", table, "--network", best)
    assert code == 0
    assert "fitted to 24 rows: 2 variables" in " ".join(out.split())
    assert "best.json' comes from data with 9 rows from experiments" in err
    assert err.endswith("name the column of interventions with --interventions\n")
    code, out, _ = run(capfd, "fit", table, "--interventions", "INT")
    assert "An optimal network under bdeu, fitted to 24 rows, 9 of them from experiments" in " ".join(out.split())
