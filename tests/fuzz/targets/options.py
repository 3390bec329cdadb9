"""What the options ``--levels``, ``--tiers``, ``--interventions`` and ``--given`` take, through the command line."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from random import Random
from typing import Any

import click

from dagscape.cli.arguments.options import take_data
from dagscape.cli.commands.query import command as query
from dagscape.cli.commands.score import command as score
from dagscape.core.errors import InvalidOption
from dagscape.networks.bundled import load_network
from dagscape.scores.scoring import local_scores
from fuzz.harness import Target
from fuzz.mutations import ODD_STRINGS, damage_bytes, damage_json, damage_text, odd_value
from fuzz.targets.tables import LIMIT, use_data

_KINDS = ("levels", "tiers", "interventions", "given")

_ENTRIES = ("a", "b", "1", "2", "2.0", "0", "none", "-", "a;b", "1;2", ";", "c", "-1", "1e0", "1e400", "nan", "9" * 999)


def make(rng: Random) -> bytes:
    """Return the kind of the input in the first line, and its content."""
    kind = rng.choice(_KINDS)
    if kind == "interventions":
        content = "\n".join(rng.choice((*_ENTRIES, *ODD_STRINGS)) for _ in range(4)).encode(errors="replace")
    elif kind == "given":
        given = damage_text(rng, "Rain=True", ("Rain=", "=False", "==", "?", "Cloudy=0"))
        content = given.replace("\0", "").encode(errors="replace")
    else:
        content = _document(rng, kind)
        if rng.random() < 0.2:
            content = damage_bytes(rng, content)
    return kind.encode() + b"\n" + content


def _document(rng: Random, kind: str) -> bytes:
    """Return a JSON file of levels or tiers."""
    if rng.random() < 0.05:
        deep = rng.choice((500, 900, 970, 1000, 3000, 100_000))
        start, end = rng.choice((("[", "]"), ('{"a":', "}"), ('{"a":[', "]}")))
        return (start * deep + "1" + end * deep).encode()
    if rng.random() < 0.05:
        return b'{"a": ' + b"9" * rng.choice((7, 18, 19, 30, 4000, 5000)) + b"}"
    document: Any = {"a": ["0", "1", 2, 3.0], "b": 3} if kind == "levels" else [["a"], ["b"]]
    try:
        if rng.random() < 0.2:
            document = {"a": odd_value(rng), "b": odd_value(rng)} if kind == "levels" else [[odd_value(rng)]]
        elif rng.random() < 0.7:
            document = damage_json(rng, document)
        return json.dumps(document).encode()
    except (ValueError, RecursionError):
        # An integer with too many digits to write, or damages that nested what is nested deeply already.
        return rng.choice((b"1" * 5000, b"[" * 1200 + b"]" * 1200))


def use(path: Path) -> None:
    """Parse a command line with the option, and use its value."""
    kind, _, content = path.read_bytes().partition(b"\n")
    try:
        if kind == b"given":
            _use_evidence(content.decode(errors="replace"))
        else:
            _use_table(path.parent, kind.decode(), content)
    except click.ClickException as error:
        raise InvalidOption(error.format_message()) from error


def _use_table(folder: Path, kind: str, content: bytes) -> None:
    table, file = folder / "table.csv", folder / "option.json"
    cells = io.StringIO()
    rows = [["a", "b", "set"], ["0", "0", ""], ["1", "1", ""], ["2", "0", ""], ["3", "2", ""]]
    for row, entry in zip(rows[1:], content.decode(errors="replace").split("\n"), strict=False):
        row[2] = entry if kind == "interventions" else ""
    csv.writer(cells).writerows(rows)
    table.write_bytes(cells.getvalue().replace("\0", "").encode(errors="replace"))
    file.write_bytes(content)
    given = ["--interventions", "set"] if kind == "interventions" else ["--drop", "set", f"--{kind}", str(file)]
    context = score.make_context("score", [str(table), *given, "--max-memory", str(LIMIT)])
    options = context.params
    data = take_data(options["data"], options, options["max_memory"])
    use_data(data, Random(len(content)))
    if data.arities.max() < 1000:
        local_scores(data, tiers=options["tiers"], max_parents=1, threads=1)


def _use_evidence(text: str) -> None:
    options = query.make_context("query", ["builtin:sprinkler", "WetGrass", "--given", text]).params
    load_network("sprinkler").query("WetGrass", options["evidence"])


TARGETS = (Target("options", make, use, ".txt", most_memory=128 << 20),)
