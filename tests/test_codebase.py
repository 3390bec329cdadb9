"""The code base follows its own rules."""

from __future__ import annotations

import ast
import graphlib
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import dagscape as ds
from dagscape.cli.program.app import COMMANDS
from dagscape.core.references import loaded
from dagscape.planning.loading import RESULTS
from dagscape.report.tables import RENDERERS
from dagscape.scores.registry import SCORES
from documents import STUB, public_stub
from rooms import FLOOR, SOURCE

ROOT = Path(__file__).resolve().parents[1]


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_rooms(path: Path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "dagscape":
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dagscape."):
            yield node.module.split(".")[1]
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("dagscape."):
                    yield alias.name.split(".")[1]


@pytest.mark.slow
def test_rooms_import_only_from_floors_below():
    wrong = []
    for path in SOURCE.rglob("*.py"):
        room = room_of(path)
        if room in {"__init__", "__main__"}:
            continue
        assert room in FLOOR, f"{path} is in no room: say in FLOORS where it belongs"
        above = {other for other in imported_rooms(path) if other != room and FLOOR.get(other, 99) >= FLOOR[room]}
        wrong += [f"{path.relative_to(ROOT)} imports {other}" for other in above]
    assert not wrong


def does_nothing(node: ast.stmt) -> bool:
    """Whether a statement is a docstring, an import, or the assignment of a constant such as ``__all__``."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Assign | ast.AnnAssign):
        try:
            ast.literal_eval(node.value)
        except ValueError:
            return False
        return True
    return isinstance(node, ast.Import | ast.ImportFrom)


def modules() -> dict[str, Path]:
    """The files of all modules and packages by dotted name; for the compiled one, its stub."""
    named = {}
    for path in [*SOURCE.rglob("*.py"), *SOURCE.rglob("*.pyi")]:
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        named[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return named


def imports_of(tree: ast.AST, known: dict[str, Path]):
    """The modules of dagscape that some code imports anywhere; imports for type checkers do not count."""
    if isinstance(tree, ast.If) and isinstance(tree.test, ast.Name) and tree.test.id == "TYPE_CHECKING":
        for node in tree.orelse:
            yield from imports_of(node, known)
        return
    if isinstance(tree, ast.Import):
        yield from (alias.name for alias in tree.names if alias.name in known)
    elif isinstance(tree, ast.ImportFrom) and tree.module in known:
        for alias in tree.names:
            name = f"{tree.module}.{alias.name}"
            yield name if name in known else tree.module
    for node in ast.iter_child_nodes(tree):
        yield from imports_of(node, known)


@pytest.mark.slow
def test_modules_do_not_import_each_other_in_a_cycle():
    known = modules()
    graph = {name: set(imports_of(ast.parse(path.read_text("utf-8")), known)) for name, path in known.items()}
    assert graph["dagscape.graphs.lists"] >= {"dagscape.graphs.dag", "dagscape.graphs.equivalence"}
    # Raises an error that names the modules of a cycle.
    assert len(list(graphlib.TopologicalSorter(graph).static_order())) == len(known)


@pytest.mark.slow
def test_functions_import_no_module_of_dagscape():
    """An import inside a function hides a cycle or a dependency."""
    known = modules()
    found = [
        f"{name}.{function.name} imports {imported}"
        for name, path in known.items()
        for function in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for imported in imports_of(function, known)
    ]
    assert not found


def test_packages_do_nothing_when_imported():
    packages = list(SOURCE.glob("*/**/__init__.py"))
    assert packages
    for path in packages:
        wrong = [
            ast.unparse(node) for node in ast.parse(path.read_text(encoding="utf-8")).body if not does_nothing(node)
        ]
        assert not wrong, path


@pytest.mark.parametrize(
    ("statement", "fine"),
    [
        ("'A docstring.'", True),
        ("from dagscape.core import errors", True),
        ("__all__ = ['one', 'two']", True),
        ("register('bdeu')", False),
        ("SCORES = find_scores()", False),
        ("SCORES = {'bdeu': Score()}", False),
        ("if True: pass", False),
        ("[print(name) for name in 'ab']", False),
    ],
)
def test_calls_are_found_in_packages(statement, fine):
    (node,) = ast.parse(statement).body
    assert does_nothing(node) == fine


def test_importing_dagscape_loads_nothing_heavy():
    program = "import sys, dagscape; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    heavy = {
        "numpy",
        "pandas",
        "scipy",
        "networkx",
        "narwhals",
        "pyarrow",
        "polars",
        "matplotlib",
        "rich",
        "click",
        "sklearn",
    }
    assert not loaded & heavy


def test_public_names_exist_and_are_documented():
    for name in ds.__all__:
        assert getattr(ds, name).__doc__ or name == "__version__", name


def test_versions_agree():
    with open(ROOT / "pyproject.toml", "rb") as stream:
        assert tomllib.load(stream)["project"]["version"] == ds.__version__
    assert f"version: {ds.__version__}" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"[{ds.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_citation_keys_are_in_the_bibliography():
    bibliography = (ROOT / "docs" / "references.bib").read_text(encoding="utf-8")
    keys = set(re.findall(r"@\w+\{(\w+),", bibliography))
    cited = {definition.citation for definition in SCORES.values()}
    files = [*SOURCE.rglob("*.py"), *(ROOT / "native").rglob("*.[ch]pp")]
    for path in files:
        cited |= set(re.findall(r"\[([a-z]+(?:19|20)\d\d)\]", path.read_text(encoding="utf-8")))
    assert cited <= keys


def test_registries_are_whole():
    assert set(RENDERERS) == set(RESULTS)
    assert all(callable(loaded(where)) for where in RENDERERS.values())
    assert {path.stem for path in (SOURCE / "cli" / "commands").glob("*.py")} >= {
        name.replace("-", "_") for name in COMMANDS
    }
    for name, definition in SCORES.items():
        assert name == definition.name


@pytest.mark.slow
@pytest.mark.parametrize(
    "pattern", [r"\bTODO\b", r"\bFIXME\b", "NotImplementedError", r"(?<![\w.])/(?:home|root|Users)/"]
)
def test_nothing_is_left_behind(pattern):
    here = Path(__file__)
    folders = ("src", "native", "tests", "docs", "benchmarks", "examples")
    files = [p for folder in folders for p in (ROOT / folder).rglob("*") if p.suffix in {".py", ".cpp", ".hpp", ".md"}]
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in files
        if path != here and "_build" not in path.parts
        for match in re.finditer(pattern, path.read_text(encoding="utf-8"))
    ]
    assert not found


def test_paths_in_shell_commands_are_quoted():
    """The checkout, and the environment in it, may be in a folder whose name has spaces or quotes."""
    here = Path(__file__)
    found = [
        path for path in here.parent.rglob("*.py") if path != here and "{sys.executable}" in path.read_text("utf-8")
    ]
    assert not found


def test_python_runs_the_command_line_as_a_module():
    run = subprocess.run(
        [sys.executable, "-m", "dagscape", "--version"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ,
    )
    assert run.stdout.strip() == f"dagscape, version {ds.__version__}"


# Possessive quantifiers and atomic groups, of which Python 3.11.2 compiles some wrongly, outside of character sets.
POSSESSIVE = re.compile(r"(?<!\\)(?:[*+?}]\+|\(\?>)")
CHARACTER_SET = re.compile(r"(?<!\\)\[\^?\]?(?:\\.|[^\]\\])*\]")


def patterns(path: Path):
    """Iterate over the strings in a module that can be regular expressions: all but docstrings and formatted values."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docstrings = {ast.get_docstring(node, clean=False) for node in ast.walk(tree) if isinstance(node, documented)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value not in docstrings:
            yield node.value


@pytest.mark.slow
def test_no_regular_expression_needs_a_later_python():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["requires-python"] == ">=3.11", "remove this test once Python 3.11 is not supported"
    for sample in ("a*+b", r"\s++", "[ab]?+", "x{2}+", "(?>a)"):
        assert POSSESSIVE.search(CHARACTER_SET.sub("x", sample)), sample
    wrong = [
        f"{path.relative_to(ROOT)}: {text!r}"
        for path in SOURCE.rglob("*.py")
        for text in patterns(path)
        if POSSESSIVE.search(CHARACTER_SET.sub("x", text))
    ]
    assert not wrong


def test_the_stub_of_the_package_is_generated():
    """Type checkers see the public names that the package imports when they are used."""
    assert STUB.read_text(encoding="utf-8") == public_stub(), "run python tests/documents.py"


HOST = """
import signal, sys, threading
before = [signal.getsignal(number) for number in signal.valid_signals()], sys.excepthook, sys.unraisablehook
streams = sys.stdin, sys.stdout, sys.stderr, [stream.errors for stream in (sys.stdout, sys.stderr)]
import dagscape as ds
for name in ds.__all__:
    getattr(ds, name)
after = [signal.getsignal(number) for number in signal.valid_signals()], sys.excepthook, sys.unraisablehook
assert before == after
assert streams == (sys.stdin, sys.stdout, sys.stderr, [stream.errors for stream in (sys.stdout, sys.stderr)])
assert threading.active_count() == 1
print("unchanged")
"""


@pytest.mark.slow
@pytest.mark.parametrize("as_module", [False, True])
def test_importing_dagscape_changes_nothing_in_its_host(tmp_path, as_module):
    """In a script, and in a package that is run as ``python -m package``."""
    package = tmp_path / "host"
    package.mkdir()
    (package / "__init__.py").write_text(HOST, encoding="utf-8")
    (package / "__main__.py").write_text("", encoding="utf-8")
    command = ["-m", "host"] if as_module else [str(package / "__init__.py")]
    run = subprocess.run([sys.executable, *command], cwd=tmp_path, capture_output=True, text=True, env=os.environ)
    assert run.stdout == "unchanged\n", run.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", ["posterior", "modes"])
def test_a_function_keeps_its_name_when_its_room_is_imported(name):
    program = f"import dagscape.{name}.result, dagscape as ds; print(callable(ds.{name}), 'log_total' in dir(ds))"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["True", "False"]


def test_unknown_public_names_are_refused():
    with pytest.raises(AttributeError, match="module 'dagscape' has no attribute 'posteriors'"):
        ds.posteriors  # noqa: B018
    assert set(ds.__all__) <= set(dir(ds))
