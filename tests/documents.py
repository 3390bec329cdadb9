"""Parts of the documents that are generated from the code, and the examples in them.

A part is between ``<!-- begin NAME -->`` and ``<!-- end NAME -->``. A test compares it with the code;
``python tests/documents.py`` updates all parts.
"""

from __future__ import annotations

import ast
import re
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import dagscape as ds
from dagscape.cli.program.app import COMMANDS
from dagscape.data.bundled import BUNDLED, bundled_table
from dagscape.data.continuous.numeric import NumericData
from dagscape.data.discrete.cut_rules import CUT_RULES
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.mixed.mixed import MixedData
from dagscape.networks.bundled import NETWORKS
from dagscape.planning.registry import TASKS
from dagscape.scores.priors import PRIORS
from dagscape.scores.registry import SCORES
from dagscape.search.registry import LEARNERS
from rooms import FLOORS, SOURCE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dagscape.planning.task import Task

# What scores of each kind of data take, in the table of scores.
_KINDS = {Dataset: "discrete", NumericData: "numbers", MixedData: "mixed"}

ROOT = Path(__file__).resolve().parents[1]
STUB = SOURCE / "__init__.pyi"
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = ["| " + " | ".join(row) + " |" for row in [headers, ["---"] * len(headers), *rows]]
    return "\n".join(lines)


def cited(key: str) -> str:
    return f"{{cite:t}}`{key}`"


def score_table() -> str:
    rows = (
        (
            f"`{score.name}`",
            score.title,
            "yes" if score.score_equivalent else "no",
            ", ".join(f"`{parameter.name}`" for parameter in score.parameters),
            _KINDS[score.data_type],
            cited(score.citation),
        )
        for score in SCORES.values()
    )
    return table(["name", "title", "score-equivalent", "parameters", "data", "reference"], rows)


def prior_table() -> str:
    return table(["name", "meaning"], [(f"`{name}`", text) for name, text in PRIORS.items()])


def network_table() -> str:
    rows = []
    for name, make in NETWORKS.items():
        # "What it is [key]_: N variables, N edges."
        title = (make.__doc__ or "").partition(": ")[0]
        (key,) = re.findall(r"\[(\w+)\]_", title)
        network = make()
        numbers = map(str, (network.n, network.dag.edge_count, network.parameter_count))
        rows.append([f"`{name}`", re.sub(r" \[\w+\]_", "", title), *numbers, cited(key)])
    return table(["name", "what it is", "variables", "edges", "free parameters", "source"], rows)


def data_set_table() -> str:
    rows = []
    for name, bundled in BUNDLED.items():
        columns = bundled_table(name)
        rows.append([f"`{name}`", bundled.summary, str(len(columns.names)), str(columns.m), cited(bundled.citation)])
    return table(["name", "what it is", "variables", "rows", "source"], rows)


def discretizer_table() -> str:
    rows = [(f"`{name}`", method.summary, "yes" if method.needs_class else "no") for name, method in CUT_RULES.items()]
    return table(["method", "what it makes", "needs a class column"], rows)


def command_table() -> str:
    return table(["subcommand", "what it shows"], [(f"`{name}`", text) for name, text in COMMANDS.items()])


def method_table() -> str:
    """The tasks that come from the literature."""
    rows = (
        (
            f"`{task.name}`",
            task.summary,
            public_function(task),
            f"{{py:class}}`~{public_path(task.result)}`",
            ", ".join(map(cited, task.citations)),
        )
        for task in TASKS.values()
        if task.citations
    )
    return table(["method", "what it does", "function", "result", "reference"], rows)


def task_table() -> str:
    rows = (
        (
            f"`{task.name}`",
            public_function(task),
            " or ".join(task.takes),
            f"{{py:class}}`~{public_path(task.result)}`",
            f"`{task.command}`" if task.command else "",
            "yes" if task.planned else "no",
        )
        for task in TASKS.values()
    )
    return table(["task", "function", "takes", "result", "subcommand", "plan"], rows)


def public_function(task: Task) -> str:
    """A reference to the function of a task, or to the method of a class."""
    return f"{{py:{'meth' if '.' in task.function_name else 'func'}}}`~dagscape.{task.function_name}`"


def public_path(found: type) -> str:
    """The path of a class in the reference: that of the package, or where it is defined."""
    return f"dagscape.{found.__name__}" if found.__name__ in ds.__all__ else f"{found.__module__}.{found.__name__}"


def learner_table() -> str:
    rows = (
        (
            f"`{name}`",
            learner.summary,
            ", ".join(f"`{option}`" for option in learner.options),
            "yes" if learner.needs_data else "no",
            ", ".join(map(cited, learner.citations)),
        )
        for name, learner in LEARNERS.items()
    )
    return table(["method", "what it does", "options", "needs data", "reference"], rows)


def floors() -> Iterator[list[str]]:
    """The existing rooms, floor by floor, in alphabetical order."""
    for floor in FLOORS:
        found = sorted(room for room in floor if (SOURCE / room).is_dir() or (SOURCE / f"{room}.py").is_file())
        if found:
            yield found


def room_list() -> str:
    """The floors in one line, wrapped and indented."""
    line = " < ".join(", ".join(rooms).replace(" ", "\0") for rooms in floors())
    # Floors are not broken: a line ends after a floor.
    lines = textwrap.wrap(line, 112, break_on_hyphens=False, break_long_words=False)
    return "\n" + "".join(f"    {text}\n" for text in lines).replace("\0", " ")


def room_table() -> str:
    rows = ((f"`{room}`", first_sentence(room)) for rooms in floors() for room in rooms)
    return table(["room", "what it holds"], rows)


def first_sentence(room: str) -> str:
    """The first sentence of a room's docstring, in Markdown."""
    path = SOURCE / room / "__init__.py"
    path = path if path.is_file() else SOURCE / f"{room}.py"
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    sentence = re.split(r"\.(?=\s|$)", docstring)[0].replace("\n", " ")
    return sentence.replace("``", "`")


PARTS = {
    "scores": score_table,
    "priors": prior_table,
    "networks": network_table,
    "data-sets": data_set_table,
    "discretizers": discretizer_table,
    "commands": command_table,
    "learners": learner_table,
    "methods": method_table,
    "tasks": task_table,
    "rooms": room_list,
    "room-table": room_table,
}


def parts_of(text: str) -> list[str]:
    """The names of the parts of a document."""
    return re.findall(r"^<!-- begin ([\w-]+) -->$", text, re.MULTILINE)


def renewed(text: str) -> str:
    """A document with its parts updated."""
    for name in parts_of(text):
        pattern = rf"(<!-- begin {name} -->\n).*?(<!-- end {name} -->)"
        part = f"\n{PARTS[name]().strip(chr(10))}\n\n"
        text = re.sub(pattern, lambda match, part=part: match[1] + part + match[2], text, flags=re.DOTALL)
    return text


def public_stub() -> str:
    """What type checkers read in place of the package's lazy imports."""
    modules: dict[str, list[str]] = {}
    for name, module in ds._HOMES.items():
        modules.setdefault(f"dagscape.{module}", []).append(name)
    lines = [f"from {module} import {name} as {name}" for module in sorted(modules) for name in sorted(modules[module])]
    return "\n".join([*lines, "", "__all__: list[str]", ""])


def main() -> None:
    STUB.write_text(public_stub(), encoding="utf-8")
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        if renewed(text) != text:
            document.write_text(renewed(text), encoding="utf-8")
            print(f"{document.relative_to(ROOT)}: written anew")


if __name__ == "__main__":
    main()
