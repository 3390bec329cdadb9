"""Completion in shells, by the protocol of their scripts; and suggestions for mistyped words."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from cli.running import run
from dagscape.cli.program.app import COMMANDS, cli
from dagscape.data.bundled import BUNDLED
from dagscape.networks.bundled import NETWORKS


@pytest.fixture
def complete(monkeypatch, capfd, tmp_path):
    """Return a function that completes the last of some words as a shell would ask."""
    monkeypatch.chdir(tmp_path)

    def completed(*words, shell="bash"):
        monkeypatch.setenv("_DAGSCAPE_COMPLETE", f"{shell}_complete")
        monkeypatch.setenv("COMP_WORDS", "\n".join(("dagscape", *words)))
        monkeypatch.setenv("COMP_CWORD", words[-1] if shell == "fish" else str(len(words)))
        code, out, err = run(capfd)
        assert (code, err) == (0, "")
        return out.splitlines()

    return completed


def plain(lines):
    return [line.removeprefix("plain,") for line in lines if line.startswith("plain,")]


def test_commands(complete):
    assert plain(complete("")) == list(COMMANDS)
    assert plain(complete("po")) == ["posterior"]
    assert plain(complete("--v")) == ["--version"]
    assert "plain,posterior\t" + COMMANDS["posterior"] in complete("po", shell="fish")
    assert complete("po", shell="zsh") == ["plain", "posterior", COMMANDS["posterior"]]


LOADED = """
import sys
from dagscape.cli.program.app import main
assert main({arguments}) == 0
heavy = {{"numpy", "rich", "pandas", "scipy"}} & set(sys.modules)
rooms = {{name.split(".")[1] for name in sys.modules if name.startswith("dagscape.")}} - {{"cli", "core", "planning"}}
print("loaded:", *sorted(heavy | rooms))
"""


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [
        (["--help"], {}),
        ([], {"_DAGSCAPE_COMPLETE": "bash_complete", "COMP_WORDS": "dagscape po", "COMP_CWORD": "1"}),
        ([], {"_DAGSCAPE_COMPLETE": "fish_complete", "COMP_WORDS": "dagscape", "COMP_CWORD": ""}),
    ],
)
def test_the_list_of_commands_loads_nothing_that_is_slow(arguments, environment):
    """Tasks stand in records that name their functions, and import them on demand."""
    program = LOADED.format(arguments=arguments)
    shown = subprocess.run(
        [sys.executable, "-c", program], env=os.environ | environment, capture_output=True, text=True, check=True
    )
    assert "posterior" in shown.stdout
    assert shown.stdout.splitlines()[-1].strip() == "loaded:"


@pytest.mark.parametrize("command", COMMANDS)
def test_options_of_every_command(complete, command):
    assert "--help" in plain(complete(command, "--"))


def test_options_and_choices(complete):
    assert {"--max-parents", "--max-memory"} <= set(plain(complete("best", "x.csv", "--max")))
    assert plain(complete("posterior", "x.csv", "--over", "")) == ["dags", "orders"]
    assert plain(complete("score", "x.csv", "--score", "b")) == ["bdeu", "bic", "bge", "bic-g", "bic-cg"]
    ways = ["auto", "quantile", "width", "mdl", "hartemink", "none"]
    assert plain(complete("score", "x.csv", "--discretize", "")) == ways
    assert plain(complete("score", "x.csv", "--prior", "")) == ["uniform", "per-size", "edge-penalty:"]
    assert plain(complete("completion", "z")) == ["zsh"]


def test_bundled_names(complete):
    names = [f"builtin:{name}" for name in BUNDLED]
    assert plain(complete("posterior", "bu")) == names
    assert plain(complete("posterior", "builtin:zo")) == ["builtin:zoo"]
    assert plain(complete("compare", "builtin:a")) == [f"builtin:{n}" for n in NETWORKS if n.startswith("a")]
    assert plain(complete("compare", "x.bif", "builtin:as")) == ["builtin:asia"]
    assert plain(complete("modes", "x.csv", "--truth", "builtin:as")) == ["builtin:asia"]
    assert plain(complete("learn", "x.csv", "--start", "builtin:as")) == ["builtin:asia"]
    assert plain(complete("query", "builtin:as")) == ["builtin:asia"]
    assert "builtin:zoo" in complete("posterior", "builtin:", shell="zsh")
    assert plain(complete("posterior", "builtin:z", shell="fish")) == ["builtin:zoo"]


def test_bash_splits_words_at_colons(complete):
    """It replaces what follows the colon, so the answer must not repeat what precedes it."""
    assert plain(complete("posterior", "builtin", ":", "z")) == ["zoo"]
    assert plain(complete("posterior", "builtin", ":")) == list(BUNDLED)
    assert plain(complete("posterior", "builtin", ":", "zoo", "--over", "")) == ["dags", "orders"]


@pytest.mark.parametrize(
    "words",
    [("describe", "t"), ("describe", ""), ("draw", "t"), ("best", "x", "-o", "t"), ("best", "x", "--levels", "t")],
)
def test_files(complete, words):
    for shell in ("bash", "fish"):
        assert f"file,{words[-1]}" in complete(*words, shell=shell)
    assert complete(*words, shell="zsh")[0] == "file"
    # Bash shows words or files, not both: files if there are any.
    Path("table.csv").touch()
    assert complete(*words) == [f"file,{words[-1]}"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts(capfd, monkeypatch, shell):
    code, script, _ = run(capfd, "completion", shell)
    assert code == 0
    assert f"_DAGSCAPE_COMPLETE={shell}_complete" in script
    monkeypatch.setenv("_DAGSCAPE_COMPLETE", f"{shell}_source")
    assert run(capfd)[:2] == (0, script)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_bash_runs_its_script(tmp_path):
    """The function that the script defines fills COMPREPLY."""
    program = tmp_path / "dagscape"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m dagscape "$@"\n')
    program.chmod(0o755)
    text = """
    eval "$(dagscape completion bash)"
    COMP_WORDS=(dagscape posterior builtin : z); COMP_CWORD=4
    _dagscape_completion dagscape
    echo "${COMPREPLY[@]}"
    """
    found = subprocess.run(
        ["bash", "--norc", "-c", text],
        env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout == "zoo\n"


@pytest.mark.parametrize(
    ("words", "suggestion"),
    [
        (["describ"], "'describe'"),
        (["posteriors", "x.csv"], "'posterior'"),
        (["mode", "--help"], "'modes'"),
        (["posterior", "x.csv", "--max-parent", "3"], "'--max-parents'"),
        (["best", "x.csv", "--coverag"], "'--coverage'"),
        (["--versio"], "'--version'"),
    ],
)
def test_mistyped_words(capfd, words, suggestion):
    code, out, err = run(capfd, *words)
    assert (code, out) == (2, "")
    assert "did you mean" in err.lower()
    assert suggestion in err


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_every_mistyped_option(capfd, command):
    for parameter in cli.get_command(click.Context(cli), command).params:
        for name in (name for name in parameter.opts if name.startswith("--")):
            code, _, err = run(capfd, command, "x.csv", f"{name}x")
            assert code == 2
            assert f"'{name}'" in err


def test_a_word_like_no_other(capfd):
    code, _, err = run(capfd, "zzz")
    assert code == 2
    assert err.splitlines()[-1] == "Error: No such command 'zzz'"
