"""``dagscape modes``: tables, JSON, options and exit codes."""

from __future__ import annotations

import json

import pytest

import dagscape as ds
from cli.running import run


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "asia.csv"
    ds.load_network("asia").sample(200, seed=1).to_frame().to_csv(path, index=False)
    return path


def scores_of(path):
    return ds.local_scores(ds.read_data(path))


def test_the_table_is_that_of_the_result(capfd, rows):
    code, out, err = run(capfd, "modes", rows, "--settings", "fixed", "-k", 3, "--truth", "builtin:asia")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "3 modes (delta 3) of 3 equivalence classes, 7.3 edges apart on average"
    found = ds.modes(scores_of(rows), 3)
    distances = [ds.compare(network, ds.load_network("asia"))["shd"] for network in found.networks]
    for line, score, distance, order in zip(lines[3:6], found.scores, distances, found.orders, strict=True):
        cells = line.split(maxsplit=6)
        assert (cells[1], cells[5]) == (f"{score:,.4f}", str(distance))
        assert cells[6].strip() == ", ".join(order)
    assert "In all of them (" in out
    assert "Where they differ: " in out


def test_json_is_the_result(capfd, rows, tmp_path):
    written = ("-o", tmp_path / "m.json")
    code, out, _ = run(
        capfd, "modes", rows, "--settings", "fixed", "--delta", 1, "-k", 4, "--distinct", "class", "--json", *written
    )
    assert code == 0
    (tmp_path / "printed.json").write_text(out)
    expected = ds.modes(scores_of(rows), 4, 1, distinct="class")
    assert ds.load_result(tmp_path / "printed.json") == ds.load_result(tmp_path / "m.json")
    assert ds.load_result(tmp_path / "printed.json").networks == expected.networks
    assert json.loads(out)["orders"] == [list(order) for order in expected.orders]


def test_equivalent_modes_are_told(capfd, rows):
    code, out, _ = run(capfd, "modes", rows, "--delta", 0, "-k", 4)
    assert code == 0
    assert "Some are equivalent: --distinct class keeps one network of each class." in out
    _, out, _ = run(capfd, "modes", rows, "--delta", 0, "-k", 4, "--distinct", "class")
    assert "Some are equivalent" not in out


def test_there_are_no_others(capfd, rows):
    _, out, _ = run(capfd, "modes", rows, "--settings", "fixed", "--delta", 5, "-k", 9)
    assert out.startswith("2 modes (delta 5) of 2 equivalence classes, 9.0 edges apart on average; there are no others")


def test_running_out_of_time_is_told(capfd, rows):
    code, out, err = run(capfd, "modes", rows, "--max-seconds", 1e-9)
    assert code == 1
    assert (out, err) == ("", "dagscape: the search ran out of time before it proved any mode\n")
    _, out, _ = run(capfd, "modes", rows, "--max-seconds", 1e-9, "--json")
    assert json.loads(out)["stopped"] == "time"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--delta", 9], 2, "0<=x<=8"),
        (["-k", 0], 2, "x>=1"),
        (["--bound", "exact", "--groups", 2], 2, "use --bound patterns"),
        (["--groups", 9], 2, "--groups is 9; it must be an integer from 1 to 8, or a list of groups"),
        (["--truth", "builtin:survey"], 2, "variables"),
        (["--truth", "nowhere.bif"], 2, "nowhere.bif"),
        (["-o", "no/such/folder/x.json"], 2, "no/such/folder"),
        (["--max-memory", "1KiB"], 4, "the limit is 1.0 KiB (--max-memory)"),
    ],
)
def test_wrong_usage(capfd, rows, arguments, code, message):
    found, out, err = run(capfd, "modes", rows, *arguments)
    assert (found, out) == (code, "")
    assert message in err


def test_score_files(capfd, rows, tmp_path):
    scores = scores_of(rows)
    ds.write_scores(scores, tmp_path / "asia.npz")
    code, out, _ = run(capfd, "modes", tmp_path / "asia.npz", "-k", 2, "--json")
    assert code == 0
    assert json.loads(out)["scores"] == ds.modes(scores, 2).scores.tolist()
    code, _, err = run(capfd, "modes", tmp_path / "asia.npz", "--ess", 2)
    assert code == 2
    assert "--ess needs a table of data" in err


def test_json_has_the_distances_to_the_truth(capfd, rows, tmp_path):
    saved, printed = tmp_path / "m.json", tmp_path / "printed.json"
    code, out, _ = run(
        capfd, "modes", rows, "--settings", "fixed", "-k", 3, "--truth", "builtin:asia", "--json", "-o", saved
    )
    assert code == 0
    printed.write_text(out)
    truth = ds.load_network("asia")
    found = ds.modes(scores_of(rows), 3)
    expected = tuple(ds.compare(network, truth)["shd"] for network in found.networks)
    document = json.loads(out)
    assert tuple(document["distance_to_truth"]) == expected
    assert document["distance_to_best"] == [ds.compare(network, found[0])["shd"] for network in found.networks]
    assert document["diversity"] == found.diversity.tolist()
    for path in (saved, printed):
        read = ds.load_result(path)
        assert read.distance_to_truth == expected
        assert read.to_frame()["distance_to_truth"].tolist() == list(expected)
        assert read == found.with_truth(truth)
    assert found.distance_to_truth is None
    assert "distance_to_truth" not in found.to_frame()


def test_the_level_follows_the_data(capfd, tmp_path):
    rows = ["a,b,set", *["0,0,", "1,1,", "0,0,", "1,1,", "0,1,b", "1,0,b", "0,0,b", "1,1,b"] * 5]
    (tmp_path / "set.csv").write_text("\n".join(rows))
    (tmp_path / "truth.csv").write_text("b,a\n")
    arguments = ["modes", tmp_path / "set.csv", "--delta", 0, "-k", 2, "--truth", tmp_path / "truth.csv"]
    code, out, _ = run(capfd, *arguments, "--interventions", "set")
    assert code == 0
    assert "Directions count in distances and agreement: the scores distinguish members of a class." in out
    assert first_row(out)[4:6] == ["0", "1"]
    code, out, _ = run(capfd, *arguments, "--interventions", "set", "--level", "classes")
    assert "Directions count" not in out
    assert first_row(out)[4:6] == ["0", "0"]


def test_constraints_make_directions_count(capfd, rows):
    arguments = ["modes", rows, "-k", 2, "--max-parents", 1]
    assert "Directions count" not in run(capfd, *arguments)[1]
    assert "Directions count" in run(capfd, *arguments, "--forbid", "tub", "asia")[1]
    assert "Directions count" in run(capfd, *arguments, "--score", "k2")[1]
    assert "Directions count in distances and agreement.\n" in run(capfd, *arguments, "--level", "dags")[1]


def first_row(out):
    """Return the words of the first row of the table of modes."""
    return next(line.split() for line in out.splitlines() if line.startswith("   1 "))


def test_a_truth_with_other_variables_is_refused_before_the_search(capfd, rows, monkeypatch):
    monkeypatch.setattr("dagscape.cli.commands.modes.modes", None)
    code, out, err = run(capfd, "modes", rows, "--truth", "builtin:cancer")
    assert (code, out, err) == (
        2,
        "",
        "dagscape: --truth does not have the variables of DATA: it lacks 'asia' and has 'metastatic-cancer'\n",
    )
