"""Command lines: random options with odd values, odd names of files, and data with control characters."""

from __future__ import annotations

import functools
import importlib
import io
import json
import os
import shutil
import sys
import warnings
from pathlib import Path
from random import Random

import click

import dagscape as ds
from dagscape.cli.program.app import main
from dagscape.core.errors import DagscapeWarning, InvalidData
from dagscape.core.wording import visible
from fuzz.harness import Target
from fuzz.mutations import ODD_STRINGS

# Command lines that work; the other commands measure the machine, or take no data.
_WORKING = {
    "describe": ["table.csv"],
    "score": ["table.csv"],
    "posterior": ["table.csv"],
    "best": ["scores.jkl"],
    "modes": ["scores.npz"],
    "bootstrap": ["table.csv", "--method", "optimal", "--samples", "3"],
    "sensitivity": ["table.csv"],
    "fit": ["table.csv"],
    "query": ["network.json", "a"],
    "predict": ["network.json", "table.csv", "--target", "a"],
    "sample": ["network.json", "-n", "3"],
    "compare": ["network.json", "best.json"],
    "draw": ["best.json"],
}
_TABLES = {"describe", "score", "posterior", "best", "modes", "compare", "bootstrap", "sensitivity"}
_EXIT_CODES = {0, 1, 2, 3, 4}

_NAMES = ["a", "b", "c\x1b[2J", "[red]d", "ü\u202e"]
_INPUTS = ["table.csv", "odd.csv", "network.json", "best.json", "posterior.json", "scores.jkl", "scores.npz", "broken"]
_OUTPUTS = ["out.json", "out.csv", "out.tsv.gz", "out.svg", "out.dot", "out.jkl", "out.npz", "out.bif", "-", "out"]
_PLACES = [
    "absent/x.json",
    "folder",
    "loop",
    "/dev/null",
    "/dev/fd/99",
    "x" * 300,
    "\x1b[2J.json",
    "\udcff",
]
# Read as input, this device has no end.
_FULL = {"output": ["/dev/full"]}
# Large numbers that are valid would ask for as much work.
_NUMBERS = ["-1", "0", "1", "2", "3", "0.5", "1e400", "nan", "10" * 20, "x", "", "1,2", "١"]


@functools.cache
def _parameters(command: str) -> list[click.Parameter]:
    found: click.Command = importlib.import_module(f"dagscape.cli.commands.{command}").command
    return found.params


def _value(rng: Random, parameter: click.Parameter) -> str:
    kind = rng.random()
    if kind < 0.1:
        return rng.choice(ODD_STRINGS)
    if isinstance(parameter.type, click.Choice) and kind < 0.9:
        return rng.choice([str(choice) for choice in parameter.type.choices])
    if isinstance(parameter.type, click.types.IntParamType | click.types.FloatParamType):
        return rng.choice(_NUMBERS)
    if parameter.name == "output" or parameter.metavar == "FILE":
        return rng.choice([*_OUTPUTS, *_INPUTS] if kind < 0.7 else [*_PLACES, *_FULL.get(parameter.name, ())])
    return rng.choice([*_NAMES, *_NUMBERS, *_INPUTS, "a=x", "uniform", "mdl", "width:2", "2k", "drop", ";"])


def _make(rng: Random) -> bytes:
    """Make the arguments of one run of the program, as JSON."""
    command = rng.choice(list(_WORKING))
    arguments = [command, *_WORKING[command]]
    for parameter in _parameters(command):
        if isinstance(parameter, click.Option) and rng.random() < 0.05:
            arguments.append(rng.choice(parameter.opts))
            if not parameter.is_flag:
                arguments += [_value(rng, parameter) for _ in range(parameter.nargs)]
    for _ in range(rng.choice((0, 0, 0, 1, 2))):
        place = rng.randrange(len(arguments))
        odd = rng.choice([*ODD_STRINGS, *_INPUTS, *_PLACES, "-", "--", "-x", "--nothing", "--json"])
        arguments[place : place + rng.randrange(2)] = [odd]
    return json.dumps(arguments).encode()


@functools.cache
def _samples(folder: Path) -> Path:
    """Write the files that commands read, once."""
    folder.mkdir()
    rng = Random(0)
    header = ",".join(_NAMES)
    rows = "".join(",".join(rng.choice(["x", "y\x1b[2J", "[b]"]) for _ in _NAMES) + "\n" for _ in range(20))
    (folder / "table.csv").write_text(f"{header}\n{rows}", encoding="utf-8")
    (folder / "odd.csv").write_bytes(b"a,b,\xff\n1.5,,x\n\0,2\n")
    (folder / "broken").write_bytes(b"\x1f\x8b\x08broken")
    warnings.simplefilter("ignore", DagscapeWarning)
    data = ds.read_data(folder / "table.csv")
    scores = ds.local_scores(data)
    best = ds.k_best(scores, k=3, space="dags")
    ds.write_scores(scores, folder / "scores.jkl")
    ds.write_scores(scores, folder / "scores.npz")
    best.save(folder / "best.json")
    ds.posterior(scores).save(folder / "posterior.json")
    ds.write_network(ds.Network.fit(best.networks[0], data), folder / "network.json")
    (folder / "folder").mkdir()
    (folder / "loop").symlink_to("loop")
    return folder


def _use(path: Path) -> None:
    arguments = json.loads(path.read_bytes())
    work = path.parent / "work"
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(_samples(path.parent / "samples"), work, symlinks=True)
    os.chdir(work)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    streams = sys.stdout, sys.stderr
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in streams)
    sys.stdout, sys.stderr = out, err
    try:
        code = main(arguments)
    finally:
        sys.stdout, sys.stderr = streams
    shown, said = (stream.buffer.getvalue().decode("utf-8", "surrogateescape") for stream in (out, err))
    _check(arguments, code, shown, said)
    assert not list(work.glob(".dagscape-*.part")), "a temporary file is left"
    if code:
        raise InvalidData(said)


def _check(arguments: list[str], code: int, shown: str, said: str) -> None:
    assert code in _EXIT_CODES, f"exit code {code}"
    assert code == 0 or said.strip(), "no message"
    assert visible(said, keep="\n\t") == said, f"control characters in {said!r}"
    table = arguments[0] in _TABLES and not {"--json", "-"} & set(arguments)
    assert not table or visible(shown, keep="\n") == shown, f"control characters in {shown!r}"


TARGETS = (Target("commands", _make, _use, ".json", quick_cases=60),)
