"""The documents are correct: their examples run, and their generated parts are up to date."""

from __future__ import annotations

import doctest
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dagscape as ds
from dagscape.cli.program.app import COMMANDS
from dagscape.data.bundled import BUNDLED
from dagscape.data.discrete.cut_rules import CUT_RULES
from dagscape.networks.bundled import NETWORKS
from dagscape.scores.priors import PRIORS
from dagscape.scores.registry import SCORES
from dagscape.search.registry import LEARNERS
from dagscape.sklearn import BayesNetClassifier, BayesNetRegressor
from documents import DOCUMENTS, PARTS, ROOT, parts_of, renewed

_BLOCK = re.compile(r"^```(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

# Printed between the outputs of commands, to separate them.
_MARK = "\x1e"


def blocks(document: Path) -> list[tuple[str, str]]:
    """The code blocks of a document, with their languages."""
    return _BLOCK.findall(document.read_text(encoding="utf-8"))


def has_examples(document: Path) -> bool:
    return any(language in ("pycon", "console") for language, _ in blocks(document))


class Session:
    """Python prompts and shell commands of one document, one after the other, in one folder."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._globals: dict[str, object] = {}
        self._flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS

    def run(self, language: str, text: str) -> None:
        {"pycon": self._run_python, "console": self._run_shell}.get(language, lambda text: None)(text)

    def _run_python(self, text: str) -> None:
        example = doctest.DocTestParser().get_doctest(text, self._globals, self._name, self._name, 0)
        report: list[str] = []
        runner = doctest.DocTestRunner(optionflags=self._flags)
        runner.run(example, out=report.append, clear_globs=False)
        self._globals = example.globs
        assert runner.failures == 0, "".join(report)

    def _run_shell(self, text: str) -> None:
        commands, expected = zip(*prompts(text), strict=True)
        outputs, codes = run_commands(commands)
        for index, command in enumerate(commands):
            example = doctest.Example(command, expected[index])
            checker = doctest.OutputChecker()
            # Tables pad their lines with blanks, which a document omits.
            output = re.sub(r"[ ]+$", "", outputs[index], flags=re.MULTILINE)
            if not checker.check_output(expected[index], output, doctest.ELLIPSIS):
                pytest.fail(f"$ {command}\n{checker.output_difference(example, output, doctest.ELLIPSIS)}")
            shown = commands[index + 1 : index + 2] == ("echo $?",)
            assert codes[index] == 0 or shown, f"{command!r} failed with exit code {codes[index]}"


def prompts(text: str) -> list[tuple[str, str]]:
    """The commands of a shell session, each with its output; lines that begin with ``> `` continue a command."""
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)
    assert not parts[0].strip(), f"a console block begins with output: {parts[0]!r}"
    found = []
    for part in parts[1:]:
        lines = part.splitlines(keepends=True)
        last = 0
        while lines[last].endswith("\\\n"):
            last += 1
            lines[last] = lines[last].removeprefix("> ")
        found.append(("".join(lines[: last + 1]).rstrip("\n"), "".join(lines[last + 1 :])))
    return found


def run_commands(commands: tuple[str, ...]) -> tuple[list[str], list[int]]:
    """Run commands in one shell; each sees the exit code of the one before it."""
    steps = [f"printf '{_MARK}'; (exit $code)\n{command}\ncode=$?; printf '{_MARK}%d' $code" for command in commands]
    # The command that belongs to this Python, whatever else is on the path.
    folders = [str(Path(sys.executable).parent), os.environ["PATH"]]
    environment = os.environ | {"PATH": os.pathsep.join(folders), "COLUMNS": "120"}
    script = "\n".join(["exec 2>&1", "code=0", *steps])
    run = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True, timeout=300)
    _, *pieces = run.stdout.split(_MARK)
    return pieces[0::2], [int(code) for code in pieces[1::2]]


@pytest.mark.slow
@pytest.mark.parametrize("document", [d for d in DOCUMENTS if has_examples(d)], ids=lambda d: d.name)
def test_examples_print_what_they_show(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    session = Session(document.name)
    for language, text in blocks(document):
        session.run(language, text)
    # A picture that an example draws, and that a page shows, is the same.
    for picture in (ROOT / "docs" / "figures").glob("*.svg"):
        drawn = tmp_path / picture.name
        assert not drawn.exists() or drawing(drawn) == drawing(picture)


def drawing(path: Path) -> str:
    """An SVG without the names of its markers, which depend on the last bit of every weight."""
    return re.sub(r"arrow-[0-9a-f]+", "arrow", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("$ echo one\ntwo\n", "Expected"),
        ("$ false\n", "failed with exit code 1"),
        ("$ dagscape --no-such-option\n...\n", "failed with exit code 2"),
        ("$ echo one\n$ echo two\none\n", "Expected"),
    ],
)
def test_wrong_examples_are_noticed(text, problem, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((AssertionError, pytest.fail.Exception), match=problem):
        Session("wrong").run("console", text)


def test_right_examples_are_not(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Session("right").run("console", "$ printf 'a b\\n' > f\n$ cat f\na b\n$ test -e none\n$ echo $?\n1\n$ rm \\\n> f\n")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: d.name)
def test_every_command_is_run(document):
    """No example of the command line is where tests do not run it: in other kinds of blocks, or indented."""
    text = document.read_text(encoding="utf-8")
    rest = _BLOCK.sub(lambda match: "" if match[1] == "console" else match[0], text)
    assert not re.findall(r"^(?:    |\$ )\s*(?:\$ )?dagscape .*", rest, re.MULTILINE)
    assert not re.findall(r"^dagscape .*", rest, re.MULTILINE)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: d.name)
def test_parts_made_from_the_code_are_up_to_date(document):
    text = document.read_text(encoding="utf-8")
    assert "{{" not in text, "a page read on a code host does not replace placeholders"
    assert renewed(text) == text, "run: python tests/documents.py"


def test_every_part_is_in_a_document():
    used = {name for document in DOCUMENTS for name in parts_of(document.read_text(encoding="utf-8"))}
    assert used == set(PARTS)


def test_the_methods_of_the_readme_exist():
    """Every name in the second column of its table can be used as written."""
    text = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Methods")[2]
    known = {*ds.__all__, *SCORES, *PRIORS, *CUT_RULES, *NETWORKS, *BUNDLED, *LEARNERS}
    known |= {f"dagscape {command}" for command in COMMANDS}
    known |= {".jkl", ".npz", "interventions="}
    known |= {f"dagscape.sklearn.{kind.__name__}" for kind in (BayesNetClassifier, BayesNetRegressor)}
    rows = re.findall(r"^\| .*? \| (.*?) \|", text, re.MULTILINE)
    names = {name for row in rows[2:] for name in re.findall(r"`([^`]+)`", row)}
    assert len(names) > 20
    assert names <= known


@pytest.mark.slow
@pytest.mark.parametrize("script", sorted((ROOT / "examples").glob("*.py")), ids=lambda p: p.name)
def test_example_scripts_run(script, tmp_path):
    run = subprocess.run([sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout


@pytest.mark.parametrize("families", [False, True])
def test_the_format_of_score_files_is_described_completely(families, tmp_path):
    scores = ds.local_scores(ds.load_dataset("tic-tac-toe"), max_parents=1)
    if families:
        scores = ds.FamilyTable({"a": {(): 0.0, ("b",): -1.0}, "b": {(): 0.0}})
    ds.write_scores(scores, tmp_path / "scores.npz")
    text = (ROOT / "docs/formats.md").read_text(encoding="utf-8")
    with np.load(tmp_path / "scores.npz") as arrays:
        names = {re.sub(r"\d+$", "", name) for name in arrays.files} | set(json.loads(arrays["header"].tobytes()))
    assert {name for name in names if f"`{name}" not in text} == set()
