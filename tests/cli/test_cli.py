"""The program as a user runs it."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import dagscape as ds
from cli.running import run
from dagscape.cli.program.app import COMMANDS
from dagscape.cli.program.wording import worded
from dagscape.core.errors import InvalidData, InvalidOption, StoppedEarly, TooLarge, argument, function


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, (30, 3)).tolist()
    path.write_text("a,b,c\n" + "".join(",".join("xy"[v] for v in row) + "\n" for row in rows))
    return path


def test_help_lists_every_command(capfd):
    code, out, err = run(capfd, "--help")
    assert code == 0
    assert not err
    for name in COMMANDS:
        assert name in out
        assert run(capfd, name, "--help")[0] == 0


def test_help_loads_nothing_heavy():
    program = [sys.executable, "-X", "importtime", "-m", "dagscape", "--help"]
    found = subprocess.run(program, capture_output=True, text=True, check=True)
    loaded = {line.split("|")[-1].strip().split(".")[0] for line in found.stderr.splitlines()}
    assert {"dagscape", "click"} <= loaded
    assert not loaded & {"pandas", "scipy", "networkx", "narwhals", "pyarrow", "polars", "matplotlib", "rich"}


def test_describe(capfd, table):
    code, out, err = run(capfd, "describe", table)
    assert code == 0
    assert "3 variables, 30 rows" in out
    assert not err


def test_describe_shows_what_would_be_refused(capfd, tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("a,[red]b,c\n1.5,,k\n2.5,x,k\n,y,k\n")
    code, out, _ = run(capfd, "describe", path)
    assert code == 0
    assert "[red]b" in out
    assert "decimals" in out
    assert "warning" in out
    code, out, _ = run(capfd, "describe", path, "--json")
    document = json.loads(out)
    assert document["kind"] == "data-summary"
    assert [column["missing"] for column in document["columns"]] == [1, 1, 0]


def test_score_shows_and_writes(capfd, table, tmp_path):
    output = tmp_path / "table.jkl"
    code, out, err = run(capfd, "score", table, "--max-parents", 1, "-o", output)
    assert (code, err) == (0, "")
    assert "BDeu, ess 1, 30 rows: 9 families of up to 1 parent, " in out
    assert ds.read_scores(output).family_count == 9


def test_score_as_json_has_the_same_names(capfd, table):
    code, out, err = run(capfd, "score", table, "--json", "--score", "bic", "--top", 2)
    assert (code, err) == (0, "")
    document = json.loads(out)
    assert document["variables"] == ["a", "b", "c"]
    assert document["provenance"]["parameters"]["score"] == "bic"
    scores = ds.local_scores(ds.read_data(table), score="bic")
    assert len(document["families"]) == 6
    for family in document["families"]:
        assert family["score"] == scores.family(family["child"], family["parents"])


def test_score_options_reach_the_scores(capfd, table, tmp_path):
    tiers = tmp_path / "tiers.json"
    tiers.write_text('[["a"], ["b", "c"]]')
    output = tmp_path / "s.npz"
    code, _, _ = run(
        capfd, "score", table, "--ess", 5, "--prior", "edge-penalty:2", "--require", "a", "b", "--forbid", "b", "c",
        "--tiers", tiers, "--threads", 1, "--max-memory", "1GiB", "-o", output,
    )  # fmt: skip
    assert code == 0
    back = ds.read_scores(output)
    same = ds.local_scores(
        ds.read_data(table), ess=5, structure_prior="edge-penalty:2", required=[("a", "b")],
        forbidden=[("b", "c")], tiers=[["a"], ["b", "c"]],
    )  # fmt: skip
    assert np.array_equal(back.tables[0], same.tables[0])
    assert back.constraints == same.constraints
    assert back.provenance.parameters == same.provenance.parameters


def test_data_options_reach_the_data(capfd, tmp_path):
    path = tmp_path / "mixed.tsv"
    path.write_text("x\tk\tset\n" + "".join(f"{i / 7}\t{'ab'[i % 2]}\t{'x' if i < 5 else 0}\n" for i in range(1, 21)))
    code, out, err = run(capfd, "score", path, "--discretize", "width:4", "--interventions", "set", "--json")
    assert (code, err) == (0, "")
    parameters = json.loads(out)["provenance"]["parameters"]
    data = ds.discretize(str(path), method="width", bins=4, interventions="set")
    assert parameters["data"] == data.fingerprint
    levels = tmp_path / "levels.json"
    levels.write_text('{"k": ["a", "b", "c"]}')
    code, out, _ = run(capfd, "score", path, "--discretize", "mdl", "--class-column", "k", "--levels", levels, "--json")
    assert code == 0


def test_missing_choices(capfd, tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("a,b\nx,1\n?,2\ny,NA\nz,3\n")
    code, _, err = run(capfd, "score", path)
    assert code == 3
    assert "--missing level" in err
    assert run(capfd, "score", path, "--missing", "level")[0] == 0
    assert run(capfd, "score", path, "--missing", "drop", "--missing-values", "?", "--missing-values", "NA")[0] == 0


@pytest.mark.slow
def test_standard_input_and_bundled_sets(capfd):
    program = [sys.executable, "-m", "dagscape", "describe", "-", "--json"]
    found = subprocess.run(program, input=b"a,b\n1,2\n2,1\n", capture_output=True, check=True)
    assert json.loads(found.stdout)["rows"] == 2
    _, out, _ = run(capfd, "describe", "builtin:tic-tac-toe", "--json")
    assert json.loads(out)["rows"] == 958
    code, out, _ = run(capfd, "describe", "builtin:votes")
    assert code == 0
    assert out.startswith("17 variables, 435 rows (342 distinct), 392 missing cells")
    code, _, err = run(capfd, "score", "builtin:votes", "--max-parents", "1")
    assert code == 3
    assert "'builtin:votes' has 392 missing cells" in err
    assert run(capfd, "score", "builtin:votes", "--max-parents", "1", "--missing", "level")[0] == 0


def test_levels_of_several_lines_stay_on_one(capfd, tmp_path):
    path = tmp_path / "notes.csv"
    path.write_text('note,y\n"one\ntwo",1\n"one\nthree",2\n')
    code, out, _ = run(capfd, "describe", path)
    assert code == 0
    assert r"'one\nthree': 1, 'one\ntwo': 1" in out


def test_plan(capfd):
    code, out, _ = run(capfd, "plan", "builtin:tic-tac-toe", "--json")
    assert code == 0
    assert json.loads(out)["steps"][0]["memory"] > 8192
    code, out, _ = run(capfd, "plan", "builtin:tic-tac-toe", "--max-memory", "1k")
    assert code == 4
    assert "does not fit" in out


def test_demo(capfd):
    code, out, err = run(capfd, "demo")
    assert (code, err) == (0, "")
    assert "middle-middle-square" in out
    assert "averaged over 16 settings" in out
    code, out, _ = run(capfd, "demo", "--json")
    assert json.loads(out)["family_count"] == 2560


BAD_FILES = {
    "empty.csv": b"",
    "header.csv": b"a,b\n",
    "ragged.csv": b"a,b\n1,2\n3\n",
    "twice.csv": b"a,a\n1,2\n",
    "nameless.csv": b"a,\n1,2\n",
    "latin.csv": "a,b\nä,1\n".encode("latin-1"),
    "binary.csv": b"\x00\x01\x02\x03" * 100,
    "gap.csv": b"a,b\n1,\n2,3\n",
    "quote.csv": b'a,b\n"1,2\n3,4\n',
    "cut.csv.gz": b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03K\xd4I",
    "broken.parquet": b"PAR1 this is not a parquet file",
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files_give_one_sentence_and_exit_code_3(capfd, tmp_path, name):
    path = tmp_path / name
    path.write_bytes(BAD_FILES[name])
    code, out, err = run(capfd, "score", path)
    assert code == 3
    assert not out
    assert err.startswith("dagscape: ")
    assert len(err.splitlines()) == 1
    assert name in err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["score", "absent.csv"], "cannot read 'absent.csv'"),
        (["score", "builtin:chess"], "tic-tac-toe"),
        (["score", "builtin:tic-tac-toe", "--ess", "-1"], "--ess is -1.0"),
        (["score", "builtin:tic-tac-toe", "--max-parents", "-1"], "--max-parents is -1"),
        (["score", "builtin:tic-tac-toe", "--max-parents", "two"], "not a valid integer"),
        (["score", "builtin:tic-tac-toe", "--prior", "flat"], "--prior is 'flat'"),
        (["score", "builtin:tic-tac-toe", "--score", "bde"], "is not one of"),
        (["score", "builtin:tic-tac-toe", "--threads", "0"], "--threads is 0"),
        (["score", "builtin:tic-tac-toe", "--max-memory", "much"], "--max-memory is 'much'"),
        (["score", "builtin:tic-tac-toe", "--require", "x", "Class"], "--require names 'x'"),
        (["score", "builtin:tic-tac-toe", "-o", "nowhere/x.jkl"], "there is no folder 'nowhere'"),
        (["score", "builtin:tic-tac-toe", "-o", "x.txt"], "end it in .jkl"),
        (["score", "builtin:tic-tac-toe", "--top", "0"], "not in the range"),
        (["score", "builtin:tic-tac-toe", "--discretize", "magic"], "magic"),
        (["score", "builtin:tic-tac-toe", "--discretize", "width:x"], "BINS must be an integer of at least 2"),
        (["score", "builtin:tic-tac-toe", "--interventions", "none-such"], "none-such"),
        (["score", "builtin:tic-tac-toe", "--tiers", "absent.json"], "cannot read"),
        (["score"], "Missing argument"),
        (["scores", "x"], "No such command"),
        (["score", "builtin:tic-tac-toe", "--what"], "No such option"),
    ],
)
def test_wrong_usage_gives_exit_code_2(capfd, tmp_path, monkeypatch, arguments, expected):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capfd, *arguments)
    assert code == 2
    assert not out
    assert expected in err
    assert not list(tmp_path.iterdir())


def test_too_large_gives_exit_code_4(capfd, tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text(",".join(f"v{i}" for i in range(40)) + "\n" + ",".join("a" * 40) + "\n" + ",".join("b" * 40) + "\n")
    code, _, err = run(capfd, "score", path, "--quiet")
    assert code == 4
    assert "need 8.0 TiB" in err
    assert "--max-memory" in err
    assert "--max-parents" in err


def test_warnings_go_to_standard_error_and_can_be_silenced(capfd, tmp_path):
    path = tmp_path / "constant.csv"
    path.write_text("a,b\n1,x\n1,y\n1,x\n")
    code, out, err = run(capfd, "score", path)
    assert code == 0
    assert "warning" in err
    assert "warning: 'a'" not in out
    assert run(capfd, "score", path, "--quiet")[2] == ""


def test_an_unwritable_folder(capfd, tmp_path):
    if os.geteuid() == 0:
        path = "/proc/scores.jkl"
    else:
        tmp_path.chmod(0o500)
        path = tmp_path / "scores.jkl"
    code, _, err = run(capfd, "score", "builtin:tic-tac-toe", "-o", path)
    assert code in (1, 2)
    assert "cannot write" in err


@pytest.mark.slow
def test_interrupt_ends_the_work_and_leaves_nothing(tmp_path):
    path = tmp_path / "long.csv"
    cells = np.random.default_rng(0).integers(0, 3, (5000, 22)).astype(str)
    path.write_text("\n".join([",".join(f"v{i}" for i in range(22)), *(",".join(row) for row in cells)]))
    output = tmp_path / "scores.npz"
    program = [sys.executable, "-m", "dagscape", "score", str(path), "-o", str(output)]
    process = subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(3)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert (out, err) == ("", "dagscape: interrupted\n")
    assert [p.name for p in tmp_path.iterdir()] == ["long.csv"]


@pytest.mark.slow
def test_a_closed_pipe_is_not_an_error():
    program = f"{shlex.quote(sys.executable)} -m dagscape demo | head -1"
    found = subprocess.run(["bash", "-c", f"set -o pipefail; {program}"], capture_output=True, text=True)
    assert found.returncode == 0
    assert not found.stderr


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            TooLarge(f"the limit is 1 GiB ({argument('max_memory')}): set a lower {argument('max_parents')}"),
            "the limit is 1 GiB (--max-memory): set a lower --max-parents",
        ),
        (InvalidData("column 'max_parents' has no levels"), "column 'max_parents' has no levels"),
        (InvalidData(f"column {'max_parents='!r} is 'ess is -1'"), "column 'max_parents=' is 'ess is -1'"),
        (InvalidOption("is 'x'", option="structure_prior"), "--prior is 'x'"),
        (InvalidOption("is 0", option="k"), "-k is 0"),
        (InvalidOption("the score is missing"), "the score is missing"),
        (InvalidData(f"use {function('discretize')}"), "use --discretize"),
        (InvalidData(f"use {argument('separator', ';')}"), "use --separator ';'"),
        (InvalidData(f"use {argument('separator', ' ')}"), "use --separator space"),
        (InvalidData(f"use {argument('separator', chr(9))}"), "use --separator tab"),
        (InvalidData(f"use {argument('missing', 'drop')}"), "use --missing drop"),
        (InvalidOption(f"use {argument('score_equivalent', True)}"), "use --score-equivalent"),
        (
            StoppedEarly(f"raise {argument('max_memory')}, or use {function('modes')}"),
            "raise --max-memory, or use dagscape modes",
        ),
        (UserWarning("max_memory is not rewritten"), "max_memory is not rewritten"),
        ("max_parents=3", "max_parents=3"),
    ],
)
def test_wording(message, expected):
    assert worded(message) == expected


def test_messages_mention_functions_that_have_a_command():
    sources = Path(ds.__file__).parent.rglob("*.py")
    mentioned = {name for path in sources for name in re.findall(r"\{function\('(\w+)'\)\}", path.read_text())}
    assert "modes" in mentioned
    for name in mentioned:
        assert callable(getattr(ds, name))
        command = worded(InvalidOption(function(name)))
        assert command.startswith("--") or command.removeprefix("dagscape ").split()[0] in COMMANDS


@pytest.mark.parametrize("content", ['[["a", "b"]]', "3", '"x"', "null", "{broken"])
@pytest.mark.parametrize("option", ["--levels", "--tiers"])
def test_option_files_of_the_wrong_shape(capfd, tmp_path, table, option, content):
    path = tmp_path / "option.json"
    path.write_text(content)
    code, _, err = run(capfd, "score", table, option, path)
    # A list of lists is valid for --tiers, and null for both options.
    fine = content == "null" or (option == "--tiers" and content.startswith("[["))
    assert code == (0 if fine else 2)
    assert "Traceback" not in err


def test_flat_tiers_are_refused(capfd, tmp_path, table):
    path = tmp_path / "tiers.json"
    path.write_text('["a", "b"]')
    code, _, err = run(capfd, "score", table, "--tiers", path)
    assert code == 2
    assert "each tier must be a collection" in err


def test_options_that_need_another_one(capfd, table):
    code, _, err = run(capfd, "score", table, "--class-column", "a")
    assert code == 2
    assert err == "dagscape: --class-column needs --discretize mdl\n"
    code, _, err = run(capfd, "score", table, "--score", "bic", "--ess", "3")
    assert code == 0
    assert "--ess has no effect with --score bic" in err


def test_dropped_rows_are_counted(capfd, tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("a,b\nx,1\n?,2\ny,1\n")
    code, out, err = run(capfd, "score", path, "--missing", "drop", "--json")
    assert code == 0
    assert "1 of 3 rows have missing cells and were dropped" in err
    assert json.loads(out)["provenance"]["parameters"]["dropped_rows"] == 1


def test_describe_shows_data_as_they_will_be_used(capfd):
    code, out, _ = run(capfd, "describe", "builtin:iris", "--discretize", "mdl", "--class-column", "class")
    assert code == 0
    assert "(0.8,1.75]" in out


@pytest.mark.slow
def test_a_full_standard_output():
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full")
    found = subprocess.run(
        ["bash", "-c", f"{shlex.quote(sys.executable)} -m dagscape demo > /dev/full"], capture_output=True, text=True
    )
    assert found.returncode == 1
    assert found.stderr == "dagscape: cannot write to standard output: No space left on device\n"


def test_tabs_can_be_named(capfd, tmp_path):
    path = tmp_path / "table.txt"
    path.write_text("a\tb\n1\t2\n2\t1\n")
    for name in ("tab", r"\t"):
        assert "2 variables" in run(capfd, "describe", path, "--separator", name)[1]
    code, _, err = run(capfd, "describe", path)
    assert code == 3
    assert "--separator" in err


def test_spaces_can_be_named(capfd, tmp_path):
    path = tmp_path / "table.txt"
    path.write_text("a b\n1 2\n2 1\n")
    assert "2 variables" in run(capfd, "describe", path, "--separator", "space")[1]
    code, _, err = run(capfd, "describe", path)
    assert code == 3
    assert "use --separator space if that separates its cells" in err


def test_excel_files_are_recognised(capfd, tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(b"PK\x03\x04rest")
    code, _, err = run(capfd, "describe", path)
    assert code == 3
    assert "export the table as CSV" in err


@pytest.mark.slow
def test_a_request_to_end_leaves_nothing_behind(tmp_path):
    path = tmp_path / "long.csv"
    cells = np.random.default_rng(0).integers(0, 2, (200, 19)).astype(str)
    path.write_text("\n".join([",".join(f"v{i}" for i in range(19)), *(",".join(row) for row in cells)]))
    program = [sys.executable, "-m", "dagscape", "score", str(path), "-o", str(tmp_path / "scores.jkl")]
    process = subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.terminate()
    process.communicate(timeout=30)
    assert process.returncode == 143
    assert [p.name for p in tmp_path.iterdir()] == ["long.csv"]
