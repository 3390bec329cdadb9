"""Where a result goes, and in which format: -o FILE, -o - and --format."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import dagscape as ds
from cli.running import run
from dagscape.cli.program.app import main

COMMANDS = {
    "posterior": ["posterior", "builtin:tic-tac-toe", "--max-parents", 1],
    "best": ["best", "builtin:tic-tac-toe", "--max-parents", 1, "-k", 3],
    "modes": ["modes", "builtin:tic-tac-toe", "--max-parents", 1, "-k", 2],
    "learn": ["learn", "builtin:tic-tac-toe", "--method", "greedy"],
}


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_every_ending(capfd, tmp_path, command):
    arguments = COMMANDS[command]
    code, table, _ = run(capfd, *arguments, "-o", tmp_path / "r.json.gz")
    assert code == 0
    result = ds.load_result(tmp_path / "r.json.gz")
    frame = result.to_frame()
    for name, separator in (("r.csv", ","), ("r.tsv", "\t"), ("r.csv.gz", ",")):
        code, out, _ = run(capfd, *arguments, "-o", tmp_path / name)
        assert (code, out) == (0, table)
        content = (tmp_path / name).read_bytes()
        lines = (gzip.decompress(content) if name.endswith("gz") else content).decode().splitlines()
        assert lines[0] == separator.join(frame.columns)
        assert len(lines) == 1 + len(frame)


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_standard_output(capfd, tmp_path, command):
    arguments = COMMANDS[command]
    run(capfd, *arguments, "-o", tmp_path / "r.csv")
    code, out, _ = run(capfd, *arguments, "-o", "-", "--format", "csv")
    assert (code, out) == (0, (tmp_path / "r.csv").read_text())
    code, out, _ = run(capfd, *arguments, "-o", "-")
    assert code == 0
    (tmp_path / "piped.json").write_text(out)
    assert ds.load_result(tmp_path / "piped.json").kind == json.loads(out)["kind"]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", ["x.npy", "x", "x.gz", "x.parquet"])
def test_other_endings_are_refused_before_any_work(capfd, tmp_path, monkeypatch, command, name):
    monkeypatch.chdir(tmp_path)
    # The table does not exist, either: the ending is noticed first.
    code, out, err = run(capfd, command, "absent.csv", "-o", name)
    assert (code, out) == (2, "")
    assert err == (
        f"dagscape: cannot tell the format of {name!r}: its name must end in one of .json, .npz, .csv, .tsv, "
        "or these and .gz to compress; or choose the format with --format\n"
    )
    assert not list(tmp_path.iterdir())


def test_a_format_for_any_name(capfd, tmp_path):
    code, _, _ = run(capfd, *COMMANDS["best"], "-o", tmp_path / "list.txt", "--format", "tsv")
    assert code == 0
    assert (tmp_path / "list.txt").read_text().startswith("rank\tscore\t")
    code, _, err = run(capfd, *COMMANDS["best"], "--format", "csv")
    assert (code, "--format needs -o" in err) == (2, True)


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_archives(capfdbinary, tmp_path, command):
    arguments = [str(argument) for argument in COMMANDS[command]]
    assert main([*arguments, "-o", str(tmp_path / "r.json")]) == 0
    assert main([*arguments, "-o", str(tmp_path / "r.npz")]) == 0
    capfdbinary.readouterr()
    assert main([*arguments, "-o", "-", "--format", "npz"]) == 0
    out, _ = capfdbinary.readouterr()
    (tmp_path / "piped.bin").write_bytes(out)
    expected = without_times(ds.load_result(tmp_path / "r.json"))
    for name in ("r.npz", "piped.bin"):
        assert without_times(ds.load_result(tmp_path / name)) == expected


def without_times(result):
    """The document of a result without what differs from run to run."""
    document = result.to_dict()
    document.pop("provenance")
    for step in (*document.get("trace", ()), *document.get("settings", ())):
        step.pop("seconds")
    return document


def test_archives_are_networks(capfd, tmp_path):
    run(capfd, *COMMANDS["best"], "-o", tmp_path / "best.npz")
    run(capfd, *COMMANDS["posterior"], "-o", tmp_path / "post.npz")
    code, out, _ = run(capfd, "compare", tmp_path / "best.npz", tmp_path / "best.npz")
    assert (code, out.splitlines()[1].split()[:2]) == (0, ["shd", "0"])
    for name in ("best", "post"):
        assert run(capfd, "draw", tmp_path / f"{name}.npz", "-o", tmp_path / f"{name}.svg")[0] == 0
    code, _, err = run(capfd, "query", tmp_path / "best.npz", "Class")
    assert (code, "which has no probabilities: run 'dagscape fit DATA --network" in err) == (3, True)
    (tmp_path / "best.npz").write_bytes((tmp_path / "best.npz").read_bytes()[:-9])
    code, _, err = run(capfd, "draw", tmp_path / "best.npz")
    assert code == 3
    assert err.startswith(f"dagscape: '{tmp_path}/best.npz' is not a valid result: the archive is damaged (")


def test_compressed_results_are_networks(capfd, tmp_path):
    run(capfd, *COMMANDS["best"], "-o", tmp_path / "best.json.gz")
    code, out, _ = run(capfd, "compare", tmp_path / "best.json.gz", tmp_path / "best.json.gz")
    assert code == 0
    assert out.splitlines()[1].split()[:2] == ["shd", "0"]
    assert run(capfd, "draw", tmp_path / "best.json.gz", "-o", tmp_path / "best.dot")[0] == 0


def test_samples_to_standard_output(capfd):
    code, out, _ = run(capfd, "sample", "builtin:asia", "-n", 3, "--seed", 1)
    assert run(capfd, "sample", "builtin:asia", "-n", 3, "--seed", 1, "-o", "-") == (code, out, "")


@pytest.mark.parametrize(
    "arguments",
    [
        ["posterior", "table.csv", "-o", "table.csv"],
        ["posterior", "table.csv", "-otable.csv"],
        ["posterior", "./table.csv", "--output=table.csv"],
        ["posterior", "link.csv", "-o", "table.csv"],
        ["posterior", "table.csv", "-o", "new.csv", "--consensus", "new.csv"],
        ["describe", "table.csv", "--discretize", "quantile:2", "--save-discretizer", "table.csv"],
    ],
)
def test_no_file_is_written_twice_or_over_an_input(arguments, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    table = "a,b\n0,0\n1,1\n0,1\n"
    Path("table.csv").write_text(table)
    Path("link.csv").symlink_to("table.csv")
    code, out, err = run(capfd, *arguments)
    assert (code, out) == (2, "")
    assert "the command names this file twice; choose another name" in err
    assert Path("table.csv").read_text() == table
    assert not Path("new.csv").exists()


@pytest.mark.parametrize("name", ["\ud800", "a\0b"])
def test_arguments_that_no_file_can_have_as_its_name(name, tmp_path, capfd):
    code, _, err = run(
        capfd, "posterior", "builtin:tic-tac-toe", "--require", name, "Class", "-o", tmp_path / "out.json"
    )
    assert (code, err) == (2, f"dagscape: --require names {name!r}, which is not a variable\n")


def test_a_device_may_take_several_outputs(capfd):
    code, _, err = run(
        capfd,
        "posterior",
        "builtin:iris",
        "--discretize",
        "quantile:2",
        "--format",
        "json",
        "-o",
        "/dev/null",
        "--save-discretizer",
        "/dev/null",
    )
    assert code == 0, err


def test_long_names_are_shortened_in_tables_only(capfd, tmp_path):
    name, level = "first" + 3000 * "n" + "last", "start" + 3000 * " l" + " end"
    path = tmp_path / "long.csv"
    path.write_text(f"{name},b\n{level},x\nother,y\n{level},y\n")
    commands = (["describe", path], ["score", path], ["best", path], ["posterior", path], ["fit", path, "--cpts"])
    for command in commands:
        code, out, _ = run(capfd, *command, "-q")
        assert code == 0, command
        assert len(out.splitlines()) < 40, command
        assert "first" in out, command
        assert "…" in out, command
        assert 200 * "n" not in out, command
    code, out, _ = run(capfd, "describe", path, "--json")
    column = json.loads(out)["columns"][0]
    assert (column["name"], level in column["levels"]) == (name, True)


@pytest.mark.parametrize(
    ("command", "file_format", "start"),
    [
        (["sample", "builtin:asia", "-n", "5"], "tsv", b"asia\ttub\t"),
        (["draw", "builtin:asia"], "dot", b"digraph {"),
        (["fit", "builtin:tic-tac-toe", "--max-parents", "1"], "bif", b"network "),
        (["fit", "builtin:tic-tac-toe", "--max-parents", "1"], "json", b"{"),
        (["score", "builtin:tic-tac-toe", "--max-parents", "1"], "npz", b"PK"),
        (["score", "builtin:tic-tac-toe", "--max-parents", "1"], "jkl", b"10\n"),
    ],
)
def test_every_output_takes_a_format_in_place_of_an_ending(capfd, tmp_path, command, file_format, start):
    path = tmp_path / "output"
    code, _, err = run(capfd, *command, "-o", path)
    assert code == 2
    assert "cannot tell the format" in err
    assert "choose the format with --format" in err
    assert run(capfd, *command, "-o", path, "--format", file_format)[0] == 0
    assert path.read_bytes().startswith(start)
    assert [file.name for file in tmp_path.iterdir()] == ["output"]


@pytest.mark.parametrize(
    ("command", "start"),
    [
        (["sample", "builtin:asia", "--format", "tsv"], "asia\ttub\t"),
        (["sample", "builtin:asia", "-o", "/dev/stdout", "--format", "csv"], "asia,tub,"),
        (["draw", "builtin:asia", "--format", "dot"], "digraph {"),
        (["draw", "builtin:asia", "-o", "/dev/stdout", "--format", "svg"], "<svg "),
        (["fit", "builtin:zoo", "--columns", "legs,tail", "-o", "-", "--format", "bif", "--json"], "network "),
    ],
)
def test_a_format_on_standard_output(capfd, command, start):
    code, out, _ = run(capfd, *command)
    assert code == 0
    assert out.startswith(start)
    assert out.count(start) == 1


def test_predictions_in_a_format(capfd, tmp_path):
    rows = tmp_path / "rows.csv"
    assert run(capfd, "sample", "builtin:asia", "-n", "3", "-o", rows)[0] == 0
    target = ["--target", "lung", "-q"]
    _, out, _ = run(capfd, "predict", "builtin:asia", rows, *target, "-o", "/dev/stdout", "--format", "tsv")
    assert out.startswith("predicted\tP(yes)\tP(no)\n")


@pytest.mark.parametrize("command", ["score", "fit"])
def test_a_format_needs_a_file(capfd, command):
    code, _, err = run(capfd, command, "builtin:tic-tac-toe", "--format", "jkl" if command == "score" else "bif")
    assert code == 2
    assert "--format needs -o" in err
