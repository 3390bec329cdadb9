"""Standard streams and terminals: closed, full, not UTF-8, and with data that would control them."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from xml.dom import minidom

import pytest

import dagscape as ds
from cli.running import run
from dagscape.core.wording import visible

HOSTILE = "a\x1b[2J\r\x08\x7f\x9b\u202e\u2066\u2028\ufeff[red]b"
SHOWN = r"a\x1b[2J\r\x08\x7f\x9b\u202e\u2066\u2028\ufeff[red]b"


def shell(command, **environment):
    """Run the program in a shell: the exit code, standard output and standard error as bytes."""
    command = command.replace("dagscape", f"{shlex.quote(sys.executable)} -m dagscape", 1)
    found = subprocess.run(
        ["bash", "-c", command], capture_output=True, env={**os.environ, **environment}, stdin=subprocess.DEVNULL
    )
    return found.returncode, found.stdout, found.stderr.decode()


@pytest.fixture(scope="module")
def hostile_table(tmp_path_factory):
    path = tmp_path_factory.mktemp("hostile") / "table.csv"
    rows = "".join(f'"{HOSTILE}{i % 2}",y{i % 3}\n' for i in range(12))
    path.write_text(f'"{HOSTILE}","b{HOSTILE}"\n{rows}', newline="")
    return path


def controls(text):
    return [char for char in text if visible(char, keep="\n") != char]


@pytest.mark.parametrize(
    "arguments",
    [
        ["describe"],
        ["score"],
        ["posterior", "--threshold", "0", "--consensus", "{folder}/c.dot"],
        ["best"],
        ["modes"],
        ["learn", "--method", "greedy"],
        ["bootstrap", "--method", "optimal", "--samples", "2", "--threshold", "0"],
        ["sensitivity"],
        ["fit", "--cpts", "-o", "{folder}/fit.json"],
        ["score", "--require", "absent\x1b[2J", "x"],
        ["best", "--forbid", HOSTILE, "\x1b]0;title\x07"],
        ["best", "--nothing\x1b[2J"],
        ["best", "-k", "\x1b[2J"],
        ["describe", "--columns", "\x1b[2J"],
    ],
    ids=lambda arguments: " ".join(visible(argument) for argument in arguments),
)
def test_nothing_controls_the_terminal(capfd, tmp_path, hostile_table, arguments):
    given = [argument.format(folder=tmp_path) if "{folder}" in argument else argument for argument in arguments]
    _, out, err = run(capfd, given[0], hostile_table, *given[1:])
    assert not controls(out)
    assert not controls(err)
    assert "Traceback" not in err
    if len(arguments) == 1 and arguments[0] != "sensitivity":
        assert SHOWN[:20] in out


def test_names_and_levels_are_not_markup(capfd, tmp_path):
    network = ds.Network(
        ds.Dag.from_edges(["[red]x", "y[/]"], [("[red]x", "y[/]")]),
        {"[red]x": ["[b]", "[/b]"], "y[/]": ["[1]", "\x1b[2J"]},
        {"[red]x": [0.5, 0.5], "y[/]": [[0.25, 0.75], [0.5, 0.5]]},
    )
    ds.write_network(network, tmp_path / "n.json")
    code, out, _ = run(capfd, "query", tmp_path / "n.json", "y[/]", "--given", "[red]x=[b]")
    assert code == 0
    assert out.split() == ["y[/]", "probability", "[1]", "0.250000", r"\x1b[2J", "0.750000"]


def test_json_is_exact(capfd, hostile_table):
    code, out, _ = run(capfd, "describe", hostile_table, "--json")
    assert code == 0
    assert not controls(out)
    assert json.loads(out)["variables"] == [HOSTILE, f"b{HOSTILE}"]


@pytest.mark.slow
def test_pictures_of_hostile_names(capfd, tmp_path, hostile_table):
    run(capfd, "best", hostile_table, "-k", 1, "-o", tmp_path / "best.json")
    for name in ("x.svg", "x.pdf", "x.png", "x.dot"):
        code, _, err = run(capfd, "draw", tmp_path / "best.json", "--title", HOSTILE, "-o", tmp_path / name)
        assert (code, err) == (0, "")
    minidom.parse(str(tmp_path / "x.svg"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        ("dagscape describe - <&-", 2, "cannot read '-': Bad file descriptor"),
        ("dagscape --version >&-", 1, "cannot write to standard output: Bad file descriptor"),
        ("dagscape draw builtin:asia >&-", 1, "cannot write to standard output: Bad file descriptor"),
        ("dagscape --help > /dev/full", 1, "cannot write to standard output: No space left on device"),
        ("dagscape draw builtin:asia -o /dev/full", 2, "cannot tell the format of '/dev/full'"),
        ("dagscape best builtin:zoo --drop x -o /dev/fd/77 --format csv", 2, "'/dev/fd/77': Bad file descriptor"),
    ],
)
def test_streams_that_cannot_be_used(command, code, message):
    found, _, err = shell(command)
    assert found == code
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.slow
def test_a_closed_standard_error_hides_messages_only():
    assert shell("dagscape draw builtin:none 2>&- >&- <&-") == (2, b"", "")
    code, out, _ = shell("dagscape draw builtin:asia 2>&-")
    assert (code, out[:4]) == (0, b"<svg")


@pytest.mark.slow
@pytest.mark.parametrize(
    "environment",
    [{"PYTHONIOENCODING": "latin-1"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}],
    ids=["latin-1", "ascii"],
)
def test_terminals_that_lack_characters(tmp_path, environment):
    path = tmp_path / "table.csv"
    path.write_text("größe,→\n1,x\n2,y\n1,x\n", encoding="utf-8")
    code, out, err = shell(f"dagscape posterior '{path}' --threshold 0 --via größe x y", **environment)
    assert (code, out) == (2, b"")
    assert err.startswith("dagscape: ")
    code, out, _ = shell(f"dagscape describe '{path}'", **environment)
    assert code == 0
    assert b"\n->  " in out
    code, out, _ = shell(f"dagscape describe '{path}' --json", **environment)
    assert json.loads(out.decode("utf-8"))["variables"] == ["größe", "→"]


def test_names_of_files_that_are_not_text(capfd, tmp_path):
    name = os.fsdecode(bytes(tmp_path) + b"/\xff.csv")
    with open(name, "w") as stream:
        stream.write("a,b\n1,x\n2,y\n1,x\n")
    code, _, err = run(capfd, "best", name, "-o", name.replace(".csv", ".json"))
    assert (code, err) == (0, "")
    assert sorted(os.listdir(bytes(tmp_path))) == [b"\xff.csv", b"\xff.json"]
    code, _, err = run(capfd, "describe", name.replace(".csv", ".tsv"))
    assert code == 2
    assert r"\udcff.tsv': No such file or directory" in err
    code, _, err = run(capfd, "describe", tmp_path, "--columns", "\udcff")
    assert code == 2


def test_loops_of_links(capfd, tmp_path):
    (tmp_path / "loop.csv").symlink_to("loop.csv")
    for arguments in (["describe", tmp_path / "loop.csv"], ["best", "builtin:zoo", "-o", tmp_path / "loop.csv"]):
        code, out, err = run(capfd, *arguments)
        assert (code, out) == (2, "")
        assert err.endswith("Too many levels of symbolic links\n")
        assert err.count("\n") == 1
