from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

import dagscape as ds
from cli.running import run


def test_sample_draws_rows(capfd, tmp_path):
    path = tmp_path / "rows.csv"
    code, out, err = run(capfd, "sample", "builtin:asia", "-n", 500, "--seed", 3, "-o", path)
    assert (code, out, err) == (0, "", "")
    assert ds.read_data(path, levels=dict(ds.load_network("asia").levels)) == ds.load_network("asia").sample(
        500, seed=3
    )
    code, out, _ = run(capfd, "sample", "builtin:asia", "-n", 500, "--seed", 3)
    assert out == path.read_text()
    assert len(out.splitlines()) == 501


def test_sampled_rows_are_in_random_order(capfd):
    _, out, _ = run(capfd, "sample", "builtin:sprinkler", "-n", 50, "--seed", 1)
    rows = out.splitlines()[1:]
    assert rows != sorted(rows)


def test_sample_to_a_packed_file(capfd, tmp_path):
    for name in ("a.csv.gz", "b.csv.gz"):
        assert run(capfd, "sample", "builtin:cancer", "--seed", 1, "-o", tmp_path / name)[0] == 0
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()
    assert ds.read_data(tmp_path / "a.csv.gz").m == 1000


def test_compare(capfd, tmp_path):
    asia = ds.load_network("asia")
    data = asia.sample(300, seed=1)
    edge = asia.dag.edges[0]
    ds.write_network(ds.Network.fit(asia.dag.without_edge(*edge), data), tmp_path / "other.bif")
    code, out, _ = run(capfd, "compare", tmp_path / "other.bif", "builtin:asia", "--json")
    assert code == 0
    document = json.loads(out)
    assert (document["kind"], document["a_minus"], document["a_plus"]) == ("comparison", 1, 0)
    code, out, _ = run(capfd, "compare", "builtin:asia", "builtin:asia")
    assert code == 0
    assert "structural Hamming distance" in out
    code, _, err = run(capfd, "compare", "builtin:asia", "builtin:cancer")
    assert code == 2
    assert "do not have the same variables" in err
    assert run(capfd, "compare", "-", "-")[0] == 2


@pytest.mark.slow
def test_draw(capfd, tmp_path):
    code, out, _ = run(capfd, "draw", "builtin:asia", "--title", "<Asia>")
    assert code == 0
    assert ET.fromstring(out).tag.endswith("svg")
    assert "&lt;Asia&gt;" in out
    for name in ("asia.svg", "asia.dot", "asia.png"):
        assert run(capfd, "draw", "builtin:asia", "--class", "-o", tmp_path / name)[0] == 0
        assert (tmp_path / name).stat().st_size > 100
    code, _, err = run(capfd, "draw", "builtin:asia", "-o", tmp_path / "asia.jpg")
    assert code == 2
    assert "cannot tell the format" in err


@pytest.mark.slow
def test_networks_from_standard_input(tmp_path):
    ds.write_network(ds.load_network("survey"), tmp_path / "survey.bif")
    found = subprocess.run(
        [sys.executable, "-m", "dagscape", "compare", "-", "builtin:survey", "--json"],
        input=(tmp_path / "survey.bif").read_bytes(),
        capture_output=True,
        check=True,
    )
    assert json.loads(found.stdout)["shd"] == 0


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["sample", "builtin:nowhere"], 2, "asia"),
        (["sample", "absent.bif"], 2, "cannot read"),
        (["sample", "builtin:asia", "-n", "0"], 2, "not in the range"),
        (["sample", "builtin:asia", "-o", "no/where.csv"], 2, "there is no folder"),
        (["draw", "builtin:asia", "-o", "no/where.svg"], 2, "there is no folder"),
        (["compare", "builtin:asia"], 2, "Missing argument"),
    ],
)
def test_wrong_usage(capfd, tmp_path, monkeypatch, arguments, code, message):
    monkeypatch.chdir(tmp_path)
    found, out, err = run(capfd, *arguments)
    assert found == code
    assert not out
    assert message in err


def test_bad_networks_give_exit_code_3(capfd, tmp_path):
    path = tmp_path / "broken.bif"
    path.write_text("network x {\n} variable a { type discrete [ 2 ] { y, n }; }")
    for command in (["sample", path], ["draw", path], ["compare", path, "builtin:asia"]):
        code, out, err = run(capfd, *command)
        assert (code, out) == (3, "")
        assert len(err.splitlines()) == 1
        assert "broken.bif" in err


def test_half_a_surrogate_pair_is_one_sentence(capfd, tmp_path):
    path = tmp_path / "half.bif"
    path.write_text(r'variable "\ud800" { type discrete [ 2 ] { a, b }; } probability ("\ud800") { table 0.5, 0.5; }')
    code, out, err = run(capfd, "sample", path)
    assert (code, out) == (3, "")
    assert len(err.splitlines()) == 1
    assert "surrogate" in err


def test_samples_by_the_ending_of_the_file(capfd, tmp_path):
    assert run(capfd, "sample", "builtin:asia", "--seed", 1, "-n", 25_000, "-o", tmp_path / "asia.tsv.gz")[0] == 0
    data = ds.read_data(tmp_path / "asia.tsv.gz")
    assert (data.n, data.m) == (8, 25_000)
    code, _, err = run(capfd, "sample", "builtin:asia", "-o", tmp_path / "asia.parquet")
    assert code == 2
    assert "cannot tell the format" in err


def test_levels_from_a_network(capfd, tmp_path):
    asia = ds.load_network("asia")
    ds.write_network(asia, tmp_path / "asia.bif")
    run(capfd, "sample", "builtin:asia", "--seed", 1, "-n", 5, "-o", tmp_path / "few.csv")
    code, out, _ = run(capfd, "score", tmp_path / "few.csv", "--levels", tmp_path / "asia.bif", "--json", "--quiet")
    assert code == 0
    assert json.loads(out)["provenance"]["parameters"]["data"] == asia.sample(5, seed=1).fingerprint


def test_edge_lists(capfd, tmp_path):
    asia = ds.load_network("asia").dag
    ds.write_graph(asia, tmp_path / "asia.csv")
    code, out, _ = run(capfd, "compare", tmp_path / "asia.csv", "builtin:asia")
    assert code == 0
    assert out == run(capfd, "compare", "builtin:asia", "builtin:asia")[1]
    # Variables without edges may be left out, on either side.
    (tmp_path / "few.csv").write_text("from,to\nsmoke,lung\nsmoke,bronc\n")
    for pair in ((tmp_path / "few.csv", "builtin:asia"), ("builtin:asia", tmp_path / "few.csv")):
        code, out, _ = run(capfd, "compare", *pair, "--level", "dags", "--json")
        assert code == 0
        assert json.loads(out)["shd"] == 6
    code, out, _ = run(capfd, "draw", tmp_path / "few.csv", "-o", tmp_path / "few.dot")
    assert (code, out) == (0, "")
    assert '"smoke" -> "bronc"' in (tmp_path / "few.dot").read_text()
    ds.write_graph(asia.to_cpdag(), tmp_path / "class.tsv.gz")
    code, out, _ = run(capfd, "compare", tmp_path / "class.tsv.gz", "builtin:asia")
    assert out.splitlines()[1].split()[:2] == ["shd", "0"]
    assert run(capfd, "draw", tmp_path / "class.tsv.gz", "--class")[0] == 0
    code, _, err = run(capfd, "compare", tmp_path / "class.tsv.gz", "builtin:asia", "--level", "dags")
    assert (code, "--level is 'dags', but an equivalence class with 3 undirected edges" in err) == (2, True)
    (tmp_path / "few.csv").write_text("from,to\nsmoke,lungs\n")
    code, _, err = run(capfd, "compare", tmp_path / "few.csv", "builtin:cancer")
    assert code == 2
    assert "only the first has 'smoke', 'lungs', and only the second has 'metastatic-cancer', " in err


def test_compare_dags(capfd, tmp_path):
    asia = ds.load_network("asia").dag
    turned = asia.without_edge("asia", "tub").with_edge("tub", "asia")
    ds.write_graph(turned, tmp_path / "turned.csv")
    code, out, _ = run(capfd, "compare", tmp_path / "turned.csv", "builtin:asia", "--level", "dags")
    assert code == 0
    values = {line.split()[0]: line.split()[1] for line in out.splitlines()[1:]}
    assert list(values) == list(ds.compare(turned, asia, level="dags"))
    assert (values["shd"], values["reversed"], values["same_direction"]) == ("1", "1", "0.875")
    assert "structural Hamming distance between the DAGs" in out
    code, out, _ = run(capfd, "compare", tmp_path / "turned.csv", "builtin:asia")
    assert "reversed" not in out
    code, _, _ = run(capfd, "compare", tmp_path / "turned.csv", "builtin:asia", "-o", tmp_path / "c.csv")
    assert (tmp_path / "c.csv").read_text().splitlines()[:2] == ["measure,value", "shd,0.0"]
