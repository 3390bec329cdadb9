"""The commands fit, query, predict, sample and draw on networks with measured variables."""

from __future__ import annotations

import csv
import json

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from cli.running import run

EDGES = "from,to\nkind,size\nkind,width\nsize,width\n"


@pytest.fixture
def tables(tmp_path):
    """Rows of a kind and two numbers that depend on it."""
    generator = np.random.default_rng(0)
    kind = generator.choice(["large", "small"], 300)
    size = np.where(kind == "large", 5.0, 1.0) + generator.normal(size=300)
    width = 2 * size + np.where(kind == "large", 1.0, -1.0) * generator.normal(size=300)
    frame = pd.DataFrame({"kind": kind, "size": size.round(3), "width": width.round(3)})
    frame[:200].to_csv(tmp_path / "train.csv", index=False)
    frame[200:].to_csv(tmp_path / "new.csv", index=False)
    (tmp_path / "edges.csv").write_text(EDGES)
    return tmp_path


@pytest.fixture
def model(capfd, tables):
    fit = ["fit", tables / "train.csv", "--network", tables / "edges.csv", "--score", "dg-bge"]
    code, out, err = run(capfd, *fit, "-o", tables / "model.json")
    assert (code, err) == (0, "")
    assert "fitted to 200 rows: 3 variables, 2 of them measured, 3 edges" in " ".join(out.split())
    return tables / "model.json"


def test_the_model_is_that_of_python(capfd, tables, model):
    data = ds.read_data(tables / "train.csv", kind="mixed")
    dag = ds.read_graph(tables / "edges.csv")
    assert ds.read_network(model) == ds.ConditionalGaussianNetwork.fit(dag, data)
    fit = ["fit", tables / "train.csv", "--network", tables / "edges.csv", "--score", "auto"]
    code, out, _ = run(capfd, *fit, "--parameter-prior", "none", "--cpts", "--json")
    assert code == 0
    expected = ds.ConditionalGaussianNetwork.fit(dag, data, "ml")
    document = json.loads(out)
    assert document["kind"] == "conditional-gaussian-network"
    assert document["regressions"]["width"]["coefficients"] == expected.regressions["width"].coefficients.tolist()
    code, out, _ = run(capfd, *fit, "--cpts")
    assert code == 0
    assert "kind = large" in out
    assert "standard error" in out
    code, _, err = run(capfd, *fit, "--parameter-prior", "k2")
    assert (code, err) == (
        2,
        "dagscape: --parameter-prior k2 is for discrete data: leave it out, or use none for least squares\n",
    )


def test_an_optimal_network_of_numbers(capfd, tables):
    fit = ["fit", tables / "train.csv", "--drop", "kind", "--score", "bge", "--alpha-mu", "2", "--nu", "0"]
    code, out, err = run(capfd, *fit, "-o", tables / "numbers.json")
    assert (code, err) == (0, "")
    assert "An optimal network under bge, fitted to 200 rows: 2 variables, all of them measured, 1 edge" in out
    network = ds.read_network(tables / "numbers.json")
    data = ds.read_data(tables / "train.csv", kind="numeric", drop=["kind"])
    assert network == ds.GaussianNetwork.fit(network.dag, data, alpha_mu=2.0, nu=0.0)
    code, _, err = run(capfd, *fit, "-o", tables / "numbers.bif")
    assert code == 2
    assert "this one has measured variables, such as 'size': its name must end in .json or .json.gz" in err


def test_queries(capfd, model):
    network = ds.read_network(model)
    code, out, err = run(capfd, "query", model, "width", "--given", "size=2.5", "--json")
    assert (code, err) == (0, "")
    document, found = json.loads(out), network.query("width", {"size": 2.5})
    assert (document["mean"], document["sd"]) == (found.mean, found.sd)
    assert document["quantiles"]["97.5%"] == found.quantile(0.975)
    assert document["log_density"] == network.log_density({"size": 2.5})
    assert [part["weight"] for part in document["components"]] == found.weights.tolist()
    code, out, _ = run(capfd, "query", model, "width", "--do", "size=2.5")
    assert f"{network.query('width', do={'size': 2.5}).mean:.6g}" in out
    code, out, _ = run(capfd, "query", model, "kind", "--given", "width=4", "--json")
    probabilities = [entry["probability"] for entry in json.loads(out)["probabilities"]]
    assert probabilities == network.query("kind", {"width": 4}).tolist()
    code, out, _ = run(capfd, "query", model, "kind", "--do", "width=4", "--json")
    assert json.loads(out)["do"] == {"width": "4"}
    assert [entry["probability"] for entry in json.loads(out)["probabilities"]] == network.cpts["kind"].tolist()


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--most-probable"], "--most-probable is for discrete networks; "),
        (["kind", "width"], "a network with measured variables takes one TARGET at a time, not 2"),
        (["width", "--given", "size=big"], "--given has 'big' for 'size', which is measured: give a number"),
        (["width", "--do", "size=big"], "--do has 'big' for 'size', which is measured: give a number"),
        (["width", "--do", "size=1", "--given", "size=1"], "--do has 'size', which is also in the evidence"),
        (["width", "--do", "size"], "--do is 'size'; it must be VARIABLE=VALUE"),
    ],
)
def test_questions_that_make_no_sense(capfd, model, arguments, problem):
    code, out, err = run(capfd, "query", model, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"dagscape: {problem}")


def test_discrete_networks_may_be_set_too(capfd):
    code, out, _ = run(capfd, "query", "builtin:asia", "smoke", "--do", "lung=yes", "--json")
    assert code == 0
    assert [entry["probability"] for entry in json.loads(out)["probabilities"]] == [0.5, 0.5]


def test_predictions_of_numbers(capfd, tables, model):
    new = pd.read_csv(tables / "new.csv")
    expected = ds.read_network(model).predict(new, "width")
    code, out, err = run(capfd, "predict", model, tables / "new.csv", "--target", "width")
    assert code == 0
    rows = list(csv.DictReader(out.splitlines()))
    assert [[float(cell) for cell in row.values()] for row in rows] == expected.to_numpy().tolist()
    apart = expected["mean"] - new["width"]
    rmse, mae = np.sqrt((apart**2).mean()), apart.abs().mean()
    assert err == f"root mean squared error {rmse:.6g}, mean absolute error {mae:.6g} in 100 rows\n"
    code, out, err = run(capfd, "predict", model, tables / "new.csv", "--target", "width", "--json")
    document = json.loads(out)
    assert document["mean"] == expected["mean"].tolist()
    assert document["rmse"] == pytest.approx(rmse, rel=1e-12)
    assert err == ""
    (tables / "words.csv").write_text("size,width\n1.5,wide\n")
    code, _, err = run(capfd, "predict", model, tables / "words.csv", "--target", "width")
    assert code == 0
    assert "errors are not computed" in err


def test_predictions_of_classes(capfd, tables, model):
    new = pd.read_csv(tables / "new.csv")
    expected = ds.read_network(model).predict(new, "kind")
    code, out, err = run(capfd, "predict", model, tables / "new.csv", "--target", "kind")
    rows = list(csv.DictReader(out.splitlines()))
    assert [[float(row["P(large)"]), float(row["P(small)"])] for row in rows] == expected.to_numpy().tolist()
    assert err.startswith("accuracy 0.9")
    assert code == 0


def test_samples(capfd, tables, model):
    code, out, _ = run(capfd, "sample", model, "-n", "50", "--seed", "3")
    assert code == 0
    (tables / "drawn.csv").write_text(out)
    drawn = ds.read_data(tables / "drawn.csv", kind="mixed")
    expected = ds.read_network(model).sample(50, seed=3)
    np.testing.assert_array_equal(drawn.values, expected.values)
    assert run(capfd, "sample", model, "-n", "50", "--seed", "3")[1] == out


def test_drawings(capfd, tables, model):
    assert run(capfd, "draw", model, "-o", tables / "model.svg")[0] == 0
    assert "standardised coefficients" in (tables / "model.svg").read_text()
    code, out, _ = run(capfd, "compare", model, tables / "edges.csv", "--json")
    assert code == 0
    assert json.loads(out)["shd"] == 0


def test_learned_networks_are_fitted(capfd, tables):
    learn = ["learn", tables / "train.csv", "--drop", "kind", "--score", "bge", "--alpha-mu", "2"]
    code, _, err = run(capfd, *learn, "--network", tables / "learned.json")
    assert (code, err) == (0, "")
    network = ds.read_network(tables / "learned.json")
    data = ds.read_data(tables / "train.csv", kind="numeric", drop=["kind"])
    assert network == ds.GaussianNetwork.fit(network.dag, data, alpha_mu=2.0)
    code, _, err = run(capfd, *learn, "--network", tables / "learned.bif")
    assert code == 2
    assert "must be a .json file: other formats cannot be fitted to a table of numbers" in err


def test_degrees_of_freedom_count_what_the_score_counts(capfd, tables):
    """The score dg-bge counts the column of the levels of kind, too; regressions count measured variables."""
    data = ds.read_data(tables / "train.csv", kind="mixed")
    given = ["--network", tables / "edges.csv", "--json"]
    for score, alpha_w in (("dg-bge", "7"), ("cg", "6")):
        code, out, err = run(capfd, "fit", tables / "train.csv", "--score", score, "--alpha-w", alpha_w, *given)
        assert (code, err) == (0, "")
        expected = ds.ConditionalGaussianNetwork.fit(ds.read_graph(tables / "edges.csv"), data, alpha_w=6.0)
        assert json.loads(out)["regressions"]["width"]["sd"] == expected.regressions["width"].sd.tolist()
    code, _, err = run(capfd, "fit", tables / "train.csv", "--score", "dg-bge", "--alpha-w", "4", *given)
    assert (code, err) == (2, "dagscape: --alpha-w is 4; with 3 columns, it must be greater than 4\n")
    forbidden = ["--forbid", "size", "kind", "--forbid", "width", "kind"]
    learn = ["learn", tables / "train.csv", "--score", "dg-bge", "--alpha-w", "7", *forbidden]
    code, _, err = run(capfd, *learn, "--network", tables / "learned.json")
    assert (code, err) == (0, "")
    found = ds.read_network(tables / "learned.json")
    assert found == ds.ConditionalGaussianNetwork.fit(found.dag, data, alpha_w=6.0)


def test_the_automatic_score_of_mixed_tables_keeps_to_what_can_be_fitted(capfd, tables):
    """Under dg-bge, the number is a parent of the class, which has no regression."""
    generator = np.random.default_rng(8)
    x = generator.normal(size=200)
    y = generator.normal(size=200)
    kind = np.where(x + y > 0, "high", "low")
    pd.DataFrame({"x": x, "y": y, "kind": kind}).to_csv(tables / "sum.csv", index=False)
    code, _, err = run(capfd, "fit", tables / "sum.csv", "--score", "dg-bge")
    assert (code, "is discrete and has a measured parent" in err) == (3, True), err
    code, out, err = run(capfd, "fit", tables / "sum.csv", "--score", "auto", "-o", tables / "sum.json")
    assert (code, "An optimal network under cg, fitted to 200 rows: 3 variables" in " ".join(out.split())) == (0, True)
    assert err == (
        "dagscape: the score is 'cg', because 2 of 3 variables are measured, and the others are discrete: in networks "
        "with regressions, discrete variables have discrete parents only\n"
    )
    data = ds.read_data(tables / "sum.csv", kind="mixed")
    best = ds.optimal_network(ds.local_scores(data, score="cg")).network
    assert ds.read_network(tables / "sum.json") == ds.ConditionalGaussianNetwork.fit(best, data)
    code, out, _ = run(capfd, "fit", tables / "sum.csv", "--score", "auto", "--columns", "x,y", "--quiet")
    assert (code, "An optimal network under bge" in out) == (0, True)
