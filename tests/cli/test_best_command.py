from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import dagscape as ds
from cli.running import run, table_rows
from dagscape.scores.search_planning import SearchSize

ODD_NAMES = ["[red]a", "b, c", "[/bold]d", "e → f"]


def write_table(path, names, rows):
    quoted = ['"' + name + '"' for name in names]
    path.write_text("\n".join([",".join(quoted), *(",".join(map(str, row)) for row in rows)]) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def table(tmp_path):
    return write_table(tmp_path / "table.csv", "abcd", np.random.default_rng(1).integers(0, 2, (40, 4)).tolist())


@pytest.fixture
def odd_table(tmp_path):
    """Names that a console or a list might misinterpret; the second column depends on the first."""
    rng = np.random.default_rng(1)
    rows = [[int(a), int(a ^ (rng.random() < 0.05)), *rng.integers(0, 2, 2)] for a in rng.integers(0, 2, 60)]
    return write_table(tmp_path / "odd.csv", ODD_NAMES, rows)


def without_times(document):
    provenance = {name: value for name, value in document["provenance"].items() if name not in ("seconds", "call")}
    return document | {"provenance": provenance}


def test_the_ten_best_classes(capfd):
    code, out, err = run(capfd, "best", "builtin:tic-tac-toe", "--settings", "fixed")
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == (
        "The best 10 equivalence classes, 67 DAGs in all; 10 or more share the best score; the list ends inside a tie"
    )
    rows = table_rows(out, ["rank", "score", "times", "less", "share", "of", "list", "DAGs", "edges"])
    assert [row[0] for row in rows] == [str(rank) for rank in range(1, 11)]
    assert {row[1] for row in rows} == {"-9,423.0683"}
    assert {row[2] for row in rows} == {"1.00"}
    assert sum(int(row[4]) for row in rows) == 67
    assert "In all of them (1 edge): Class → middle-middle-square" in out
    assert "Where they differ: 22 pairs of variables" in out
    assert "In none of them: 22 pairs of variables" in out


def test_the_table_is_that_of_the_result(capfd, table):
    best = ds.k_best(table, 6, "dags", score="bic")
    code, out, _ = run(capfd, "best", table, "--score", "bic", "-k", 6, "--space", "dags")
    assert code == 0
    rows = table_rows(out, ["rank", "score", "times", "less", "share", "of", "list", "edges"])
    assert len(rows) == 6
    for row, expected in zip(rows, best.to_frame().itertuples(index=False), strict=True):
        assert row == [
            str(expected.rank),
            f"{expected.score:,.4f}",
            f"{expected.times_less:,.2f}",
            f"{expected.share:.4f}",
            str(expected.edges),
        ]
    assert "undirected" not in out


def test_agreement_is_that_of_the_result(capfd, table):
    best = ds.k_best(table, 30)
    frame = best.agreement()
    code, out, _ = run(capfd, "best", table, "-k", 30)
    assert code == 0
    differ = frame[frame["adjacent"] == "some"]
    rows = table_rows(out, ["pair", "edge", "→", "←", "undirected", "absent"])
    assert [row[0].rstrip(",") for row in rows] == differ["source"].tolist()
    assert [row[1] for row in rows] == differ["target"].tolist()
    for row, expected in zip(rows, differ.itertuples(index=False), strict=True):
        counts = (expected.forward, expected.backward, expected.undirected, expected.absent)
        assert row[2:] == [f"{expected.probability:.4f}", *map(str, counts)]


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ([], {}),
        (["-k", 3], {"k": 3}),
        (["-k", 25, "--space", "dags"], {"k": 25, "space": "dags"}),
        (["--within", 20], {"within": 20.0}),
        (["--within", 1e3, "-k", 4, "--space", "dags"], {"within": 1e3, "k": 4, "space": "dags"}),
        (["-k", 10_000], {"k": 10_000}),
    ],
)
def test_json_is_the_result(capfd, table, arguments, options):
    code, out, err = run(capfd, "best", table, "--json", "--threads", 1, "--settings", "fixed", *arguments)
    assert (code, err) == (0, "")
    scores = ds.local_scores(ds.read_data(table))
    best = ds.k_best(scores, threads=1, **options).with_total(ds.posterior(scores))
    assert without_times(json.loads(out)) == without_times(best.to_dict())


def test_options_of_scores_reach_the_search(capfd, table, tmp_path):
    tiers = tmp_path / "tiers.json"
    tiers.write_text('[["a"], ["b", "c"]]')
    code, out, _ = run(
        capfd, "best", table, "--score", "k2", "--max-parents", 2, "--prior", "per-size", "--require", "a", "d",
        "--forbid", "c", "b", "--tiers", tiers, "--space", "dags", "--json", "--threads", 1,
    )  # fmt: skip
    assert code == 0
    scores = ds.local_scores(
        ds.read_data(table), "k2", max_parents=2, structure_prior="per-size", required=[("a", "d")],
        forbidden=[("c", "b")], tiers=[["a"], ["b", "c"]],
    )  # fmt: skip
    best = ds.k_best(scores, space="dags", threads=1).with_total(ds.posterior(scores))
    assert without_times(json.loads(out)) == without_times(best.to_dict())


def test_within_lists_all_that_are_near(capfd):
    code, out, _ = run(capfd, "best", "builtin:tic-tac-toe", "--within", 1, "--settings", "fixed")
    assert code == 0
    assert out.startswith("The best 16 equivalence classes, 104 DAGs in all; 16 share the best score\n")
    assert "… 6 more" in out


def test_rows_shown(capfd, table):
    best = ds.k_best(table, 30)
    differ = int((best.agreement()["adjacent"] == "some").sum())
    header = ["rank", "score", "times", "less", "share", "of", "list", "DAGs", "edges"]
    _, out, _ = run(capfd, "best", table, "-k", 30, "--show", 2)
    assert len(table_rows(out, header)) == 2 + 1
    assert "… 28 more" in out
    assert f"… {differ - 2} more" in out
    _, out, _ = run(capfd, "best", table, "-k", 30, "--show", 100)
    assert len(table_rows(out, header)) == 30
    assert "more" not in out
    code, out, _ = run(capfd, "best", table, "-k", 30, "--show", 0)
    assert code == 0
    assert "rank" not in out
    assert out.startswith("The best 30 equivalence classes")


def test_headings(capfd, tmp_path):
    two = write_table(tmp_path / "two.csv", "ab", [[0, 0], [0, 1], [1, 1], [1, 1], [0, 0]])
    assert run(capfd, "best", two)[1].startswith("The best 2 equivalence classes, 3 DAGs in all; there are no others\n")
    assert run(capfd, "best", two, "-k", 1)[1].startswith("The best 1 equivalence class, ")
    one = write_table(tmp_path / "one.csv", "a", [[0], [1]])
    code, out, _ = run(capfd, "best", one, "--space", "dags")
    assert code == 0
    assert out.startswith("The best 1 DAG; there are no others\n")
    assert "In all of them (0 edges): (none)" in out
    code, out, _ = run(capfd, "best", "builtin:tic-tac-toe", "-k", 1, "--settings", "fixed")
    assert out.startswith("The best 1 equivalence class, 7 DAGs in all; 1 or more share the best score; the list ends")


def test_networks_that_are_far_less_probable(capfd, tmp_path):
    path = write_table(tmp_path / "copies.csv", "abc", [[v, v, v] for v in (0, 1)] * 2000)
    code, out, err = run(capfd, "best", path, "-k", 11)
    assert (code, err.startswith("dagscape: warning: 'a', 'b' and 'c' say the same in every row: ")) == (0, True)
    rows = table_rows(out, ["rank", "score", "times", "less", "share", "of", "list", "DAGs", "edges"])[:10]
    assert rows[0][2] == "1.00"
    assert rows[-1][2].startswith("10^")
    assert rows[-1][3] == "0.0000"


@pytest.mark.parametrize("space", ["classes", "dags"])
def test_the_best_one_is_drawn(capfd, tmp_path, odd_table, space):
    best = ds.k_best(ds.local_scores(ds.read_data(odd_table)), space=space)
    for ending in (".dot", ".svg"):
        path, direct = tmp_path / f"best{ending}", tmp_path / f"direct{ending}"
        code, out, err = run(capfd, "best", odd_table, "--settings", "fixed", "--space", space, "--draw", path)
        assert (code, err) == (0, "")
        assert "rank" in out
        ds.draw(best, direct)
        assert path.read_bytes() == direct.read_bytes()
        # The class of the first network, with a remark about the others.
        drawn = ds.draw(best.cpdags[0])
        assert all(line in ds.draw(best) for line in re.findall("<title>.*?</title>", drawn))
    assert ET.parse(tmp_path / "best.svg").getroot().tag.endswith("svg")
    dot = (tmp_path / "best.dot").read_text(encoding="utf-8")
    assert all(name in dot for name in ODD_NAMES)


def test_the_whole_result_is_written(capfd, tmp_path, table):
    path = tmp_path / "best.json"
    code, out, err = run(capfd, "best", table, "-k", 30, "--show", 1, "-o", path)
    assert (code, err) == (0, "")
    assert "… 29 more" in out
    saved = ds.load_result(path)
    assert saved.networks == ds.k_best(table, 30).networks
    # Both at the same time: tables for people, JSON for programs.
    _, out, _ = run(capfd, "best", table, "-k", 30, "-o", path, "--json")
    assert json.loads(out) == json.loads(path.read_text(encoding="utf-8"))


def test_names_are_data(capfd, odd_table):
    code, out, err = run(capfd, "best", odd_table)
    assert (code, err) == (0, "")
    for name in ODD_NAMES:
        assert name in out
    # Names with a comma are quoted in lists.
    assert "'b, c'" in out
    best = ds.k_best(ds.local_scores(ds.read_data(odd_table)), 3, "dags")
    code, out, _ = run(capfd, "best", odd_table, "-k", 3, "--space", "dags")
    agreed = set(best.networks[0].edges)
    for network in best.networks:
        agreed &= set(network.edges)
    for parent, child in agreed:
        assert f"{parent} → {child}" in " ".join(out.split())


def test_score_files(capfd, tmp_path, table):
    scores = ds.local_scores(ds.read_data(table))
    for name in ("scores.npz", "scores.jkl", "scores.jkl.gz"):
        ds.write_scores(scores, tmp_path / name)
    code, out, _ = run(capfd, "best", tmp_path / "scores.npz", "--json")
    assert code == 0
    assert json.loads(out)["networks"] == ds.k_best(scores).to_dict()["networks"]
    expected = ds.k_best(scores, space="dags").to_dict()["networks"]
    for name in ("scores.jkl", "scores.jkl.gz"):
        code, out, err = run(capfd, "best", tmp_path / name, "--space", "dags", "--json")
        assert (code, err) == (0, "")
        assert json.loads(out)["networks"] == expected
    code, _, err = run(capfd, "best", tmp_path / "scores.jkl")
    assert code == 2
    assert "Use --space dags" in err
    code, _, err = run(capfd, "best", tmp_path / "scores.npz", "--score", "bic")
    assert code == 2
    assert "--score needs a table of data" in err


def test_missing_families_are_told(capfd, tmp_path):
    path = tmp_path / "pruned.jkl"
    ds.write_scores(ds.FamilyTable({"a": {(): -1.0, ("b",): -0.5}, "b": {(): -1.0}}), path)
    code, out, err = run(capfd, "best", path, "--space", "dags")
    assert code == 0
    assert out.startswith("The best 2 DAGs")
    assert err == (
        "dagscape: warning: families are missing from the scores, and the networks that have them from the list\n"
    )
    assert run(capfd, "best", path, "--space", "dags", "--quiet")[2] == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-k", "0"], "0 is not in the range"),
        (["-k", "two"], "not a valid integer"),
        (["--within", "0.5"], "--within is 0.5; it must be a Bayes factor"),
        (["--within", "nan"], "--within is nan"),
        (["--within", "near"], "not a valid float"),
        (["--space", "trees"], "is not one of"),
        (["--show", "-1"], "-1 is not in the range"),
        (["--draw", "best.jpg"], "cannot tell the format"),
        (["--draw", "no/where.svg"], "there is no folder"),
        (["-o", "no/where.json"], "there is no folder"),
        (["--space", "classes", "--score", "k2"], "classes cannot be ranked: k2 differs between members of a class"),
        (["--space", "classes", "--require", "a", "b"], "Use --space dags"),
        (["--network", "best.xx"], "cannot tell the format"),
        (["--max-parents", "-1"], "--max-parents is -1"),
        (["--threads", "0"], "--threads is 0"),
        (["--max-memory", "much"], "--max-memory is 'much'"),
    ],
)
def test_wrong_usage_gives_exit_code_2(capfd, tmp_path, monkeypatch, table, arguments, message):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capfd, "best", table, *arguments)
    assert code == 2
    assert not out
    assert message in err
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]


@pytest.mark.parametrize("arguments", [["--score", "k2"], ["--require", "a", "b"]])
def test_dags_are_ranked_where_classes_cannot_be(capfd, table, tmp_path, arguments):
    """Like modes, best needs no option for experiments and other scores that distinguish members of a class."""
    code, out, err = run(capfd, "best", table, *arguments, "-k", 3, "-o", tmp_path / "best.json")
    assert code == 0
    assert err.startswith("dagscape: ranking DAGs, not equivalence classes: ")
    assert (out, "") == run(capfd, "best", table, *arguments, "-k", 3, "--space", "dags")[1:]
    assert run(capfd, "best", table, *arguments, "-k", 3, "--quiet") == (0, out, "")
    assert ds.load_result(tmp_path / "best.json").space == "dags"
    ds.write_graph(ds.load_result(tmp_path / "best.json").networks[0], tmp_path / "truth.csv")
    code, out, err = run(capfd, "compare", tmp_path / "best.json", tmp_path / "truth.csv", "--json")
    assert json.loads(out)["level"] == "dags"
    assert err.startswith("dagscape: comparing DAGs, because the result distinguishes members of a class")
    arguments = (tmp_path / "truth.csv", tmp_path / "best.json", "--level", "classes", "--json")
    code, out, err = run(capfd, "compare", *arguments)
    assert (json.loads(out)["level"], err) == ("classes", "")


def test_bad_data_give_exit_code_3(capfd, tmp_path):
    ring = tmp_path / "ring.jkl"
    ds.write_scores(ds.FamilyTable({"a": {("b",): -1.0}, "b": {("a",): -1.0}}), ring)
    code, out, err = run(capfd, "best", ring, "--space", "dags", "--quiet")
    assert (code, out) == (3, "")
    assert err == "dagscape: every network has an impossible family: there is no best network\n"
    gap = tmp_path / "gap.csv"
    gap.write_text("a,b\n1,?\n0,1\n")
    assert run(capfd, "best", gap)[0] == 3
    assert run(capfd, "best", gap, "--missing", "level")[0] == 0


def test_too_large_gives_exit_code_4(capfd, tmp_path):
    wide = write_table(tmp_path / "wide.csv", [f"v{i}" for i in range(40)], [[0] * 40, [1] * 40])
    code, out, err = run(capfd, "best", wide, "--max-parents", 3, "--quiet", "--max-memory", "8GiB")
    assert (code, out) == (4, "")
    assert "the best networks of 40 variables need 8.0 TiB" in err
    assert "the limit is 8.0 GiB (--max-memory)" in err
    code, _, err = run(capfd, "best", wide, "--quiet")
    assert code == 4
    assert "fits up to" in err


def test_a_list_that_outgrows_the_memory_ends_with_a_word(capfd, tmp_path):
    rows = np.random.default_rng(1).integers(0, 2, (30, 9)).tolist()
    path = write_table(tmp_path / "nine.csv", "abcdefghi", rows)
    scores = ds.local_scores(ds.read_data(path))
    ds.write_scores(scores, tmp_path / "scores.npz")
    limit = SearchSize.like(scores).memory(1) + 500_000
    code, out, err = run(capfd, "best", tmp_path / "scores.npz", "-k", 10**6, "--max-memory", limit, "--threads", 1)
    assert code == 0
    assert "memory ran out, and there are more" in out
    assert err.startswith("dagscape: warning: after ")
    assert "equivalence classes the search has filled" in err
    assert "(--max-memory): the list is correct so far; raise the limit for more" in err


@pytest.mark.parametrize("score", ["k2", "bdeu"])
def test_the_network_is_fitted_as_the_scores_assume(capfd, table, tmp_path, score):
    path = tmp_path / "best.bif"
    arguments = ["--score", score, "--space", "dags", "--network", path]
    code, _, err = run(capfd, "best", table, *arguments, *(["--ess", "4"] if score == "bdeu" else []))
    assert (code, err) == (0, "")
    written, data = ds.read_network(path), ds.read_data(table)
    assert written == ds.Network.fit(written.dag, data, ess=4.0, prior=score)


def test_the_memory_limit_holds_for_reading_scores(capfd, tmp_path):
    ds.write_scores(ds.local_scores(ds.load_dataset("iris"), max_parents=2), tmp_path / "iris.npz")
    with np.load(tmp_path / "iris.npz") as file:
        arrays = dict(file)
    arrays["table0"] = np.zeros(10**7, dtype=np.int64)
    np.savez_compressed(tmp_path / "bomb.npz", **arrays)
    code, out, err = run(capfd, "best", tmp_path / "bomb.npz", "--max-memory", "50MiB")
    assert (code, out) == (4, "")
    assert "bomb.npz' need 76." in err
    assert "the limit is 50.0 MiB (--max-memory)" in err
    code, _, err = run(capfd, "best", tmp_path / "bomb.npz")
    assert code == 3
    assert "bomb.npz' is not a valid score file: table0 has the shape (10000000,)" in err
