"""Missing cells on the command line: drawn by chains, or scored as they are."""

from __future__ import annotations

import json

import numpy as np
import pytest

import dagscape as ds
from cli.running import run


@pytest.fixture
def incomplete(tmp_path):
    frame = ds.load_network("asia").sample(200, seed=1).to_frame().astype(object)
    path = tmp_path / "incomplete.csv"
    frame.mask(np.random.default_rng(2).random(frame.shape) < 0.05).to_csv(path, index=False)
    return path


@pytest.mark.filterwarnings("ignore::dagscape.UnconvergedChains")
def test_missing_cells_are_drawn(capfd, incomplete):
    options = ("--missing", "sample", "--settings", "fixed", "--chains", 2, "--draws", 20, "--max-parents", 2)
    code, out, _ = run(capfd, "posterior", incomplete, *options)
    assert code == 0
    assert "missing cells drawn along with the networks" in out
    code, out, _ = run(capfd, "posterior", incomplete, *options, "--json")
    document = json.loads(out)
    data = ds.read_data(incomplete, missing="keep")
    direct = ds.posterior(data, missing="sample", settings="fixed", chains=2, draws=20, max_parents=2)
    assert document["drawn_cells"] == direct.drawn_cells > 0
    np.testing.assert_array_equal(document["edges"], direct.edges)


def test_sums_do_not_draw_cells(capfd, incomplete):
    code, _, err = run(capfd, "posterior", incomplete, "--missing", "sample", "--method", "exact")
    assert code == 2
    assert "--method is 'exact', but missing cells are drawn by chains: use --method chain" in err


def test_only_some_commands_draw_cells(capfd, incomplete):
    code, _, err = run(capfd, "score", incomplete, "--missing", "sample", "-o", "-")
    assert code == 2
    assert "'sample' is not one of" in err


def test_incomplete_tables_are_scored(capfd, incomplete):
    code, out, _ = run(capfd, "learn", incomplete, "--missing", "keep", "--score", "pnal")
    assert code == 0
    assert "no network has a higher score" in out
    assert run(capfd, "learn", incomplete, "--score", "pnal") == (0, out, "")
    code, _, err = run(capfd, "learn", incomplete, "--score", "pnal", "--missing", "error")
    assert code == 3
    code, _, err = run(capfd, "learn", incomplete, "--missing", "keep", "--score", "pnal", "--method", "ges")
    assert code == 2
    assert "pnal differs between members of a class" in err


@pytest.mark.filterwarnings("ignore::dagscape.UnconvergedChains")
def test_rules_are_compared(capfd, incomplete):
    code, out, _ = run(
        capfd, "sensitivity", incomplete, "--missing-rules", "drop,level", "--ess", 2, "--max-parents", 2
    )
    assert code == 0
    assert "Rules for missing cells" in out
    assert "Between drop and level, " in out
    code, _, err = run(capfd, "sensitivity", incomplete, "--missing-rules", "drop,level", "--ess", "1,2")
    assert code == 2
    assert "--ess has several values; rules for missing cells are compared under one" in err
    code, _, err = run(capfd, "sensitivity", incomplete, "--missing-rules", "drop,gess")
    assert code == 2
    assert "--missing-rules is 'gess'" in err
    code, _, err = run(capfd, "sensitivity", incomplete, "--missing-rules", "drop,level", "--missing", "level")
    assert code == 2
    assert "--missing is not taken with --missing-rules" in err


def test_the_pairs_that_differ_most_are_shown(capfd, incomplete):
    options = ("--ess", 2, "--max-parents", 1, "--columns", "smoke,bronc,dysp")
    code, out, _ = run(capfd, "sensitivity", incomplete, "--missing-rules", "drop,level", *options)
    assert code == 0
    assert "Between drop and level, 1 adjacency crosses 0.5" in out
    data = ds.read_data(incomplete, missing="keep", columns=["smoke", "bronc", "dysp"])
    found = ds.compare_missing(data, ["drop", "level"], ess=2, max_parents=1)
    assert not found.verdict
    assert len(found.changes()) == 1
    for row in found.to_frame().itertuples():
        assert f"{row.drop:.4f}" in out
        assert f"{row.level:.4f}" in out
    code, out, _ = run(capfd, "sensitivity", incomplete, "--missing-rules", "drop", *options)
    assert code == 0
    assert "Drop is the only rule, so that there is nothing to compare it with" in " ".join(out.split())


def test_rules_that_find_one_network_are_told_apart(capfd, incomplete):
    code, out, _ = run(capfd, "sensitivity", incomplete, "--missing-rules", "drop,em,pnal", "--max-parents", 2)
    assert code == 0
    told = "em and pnal are one network each, whose edges count 0, 1/2 or 1; pnal's price of an edge is high with few"
    assert told in " ".join(out.split())
    code, out, _ = run(capfd, "sensitivity", incomplete, "--missing-rules", "drop,em", "--max-parents", 2)
    assert "em is one network, whose edges count 0, 1/2 or 1" in " ".join(out.split())
    assert "price" not in out


def test_networks_are_learned_by_structural_em(capfd, incomplete, tmp_path):
    written, trace = tmp_path / "found.json", tmp_path / "trace.csv"
    options = ("--missing", "em", "--method", "ges", "--starts", 2, "--network", written, "--trace", trace)
    code, out, _ = run(capfd, "learn", incomplete, *options)
    assert code == 0
    data = ds.read_data(incomplete, missing="keep")
    found = ds.learn(data, "ges", missing="em", starts=2)
    assert f"score {found.score:,.4f}" in out
    network = ds.read_network(written)
    assert network == ds.Network.fit(found.network, data, missing="em")
    assert "accept start 1" in trace.read_text()
    code, out, _ = run(capfd, "learn", incomplete, "--missing", "em", "--method", "ges", "--json", "--score", "bic")
    document = json.loads(out)
    assert document["score_info"]["score"] == "bic"
    assert document["details"]["incomplete_rows"] == found.details["incomplete_rows"]
    code, _, err = run(capfd, "learn", incomplete, "--missing", "em", "--score", "bdeu")
    assert code == 2
    assert "--score is 'bdeu'; with --missing em, it must be 'bic'" in err
    code, _, err = run(capfd, "learn", incomplete, "--missing", "drop", "--starts", 2)
    assert code == 2
    assert "--starts is for --missing em" in err


def test_kinds_of_columns_decide_about_the_score(capfd, tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=120)
    table = np.stack([x, x + rng.normal(size=120)], axis=1)
    table[rng.random(table.shape) < 0.1] = np.nan
    path = tmp_path / "numbers.csv"
    ds.NumericData.from_array(table, ["x", "y"], missing="keep").to_frame().to_csv(path, index=False)
    for score in ("auto", "bic-g"):
        code, out, _ = run(capfd, "learn", path, "--missing", "em", "--score", score, "--json")
        assert code == 0
        assert json.loads(out)["score_info"]["score"] == "bic-g"


def test_networks_are_fitted_by_em(capfd, incomplete, tmp_path):
    written = tmp_path / "fitted.json"
    code, out, _ = run(capfd, "fit", incomplete, "--missing", "em", "--network", "builtin:asia", "-o", written)
    assert code == 0
    assert "fitted to 200 rows" in out
    data = ds.read_data(incomplete, missing="keep")
    fitted = ds.Network.fit(ds.load_network("asia").dag, data, missing="em")
    assert ds.read_network(written) == fitted
    code, _, err = run(capfd, "fit", incomplete, "--missing", "em")
    assert code == 2
    assert "--missing em needs --network" in err
