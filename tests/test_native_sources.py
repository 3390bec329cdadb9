"""The C++ sources follow their own rules."""

from __future__ import annotations

import re
from pathlib import Path

NATIVE = Path(__file__).resolve().parents[1] / "native"
INCLUDES = NATIVE / "include" / "dagscape"
SOURCES = [*INCLUDES.rglob("*.hpp"), *(NATIVE / "src").rglob("*.cpp")]

# The subjects of the kernels. Each includes only headers of its own folder and of the lists before its own.
SUBJECTS = [["runtime", "numbers"], ["sets"], ["scores"], ["sums", "best", "search", "student"], ["sampling"]]
LEVEL = {subject: level for level, subjects in enumerate(SUBJECTS) for subject in subjects}


def test_kernels_are_in_folders_by_subject():
    for folder in (INCLUDES, NATIVE / "src"):
        assert {path.name for path in folder.iterdir()} == set(LEVEL)
    headers = {path.relative_to(INCLUDES).with_suffix("") for path in INCLUDES.rglob("*.hpp")}
    assert {path.relative_to(NATIVE / "src").with_suffix("") for path in (NATIVE / "src").rglob("*.cpp")} <= headers
    # Comments name a header without its folder.
    assert len({header.name for header in headers}) == len(headers)


def test_subjects_include_only_what_is_before_them():
    found = [
        (path.parent.name, other, path.name)
        for path in SOURCES
        for other in re.findall(r'#include "dagscape/(\w+)/', path.read_text(encoding="utf-8"))
        if other != path.parent.name
    ]
    assert {("sets", "numbers"), ("sums", "sets")} <= {(subject, other) for subject, other, _ in found}
    assert [place for place in found if LEVEL[place[1]] >= LEVEL[place[0]]] == []


LONGEST_KERNEL_FUNCTION = 60


def native_functions(code: str):
    """The first line, number of lines and head of every function in formatted C++: every block in braces directly
    inside namespaces and classes."""

    def blank(match: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", match[0])

    code = re.sub(r"//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])'|^#[^\n]*", blank, code, flags=re.MULTILINE)
    head_start, body_start, depth = 0, None, 0
    for brace in re.finditer(r"[{};]", code):
        if body_start is None:
            head = re.sub(r"template <[^{;]*?>\s|__attribute__\(\([^)]*\)+", "", code[head_start : brace.start()])
            scope = re.search(r"\b(?:namespace|class|struct|enum)\b", head) and "(" not in head
            if brace[0] == "{" and not scope:
                body_start, depth = code.index(code[head_start : brace.start()].strip(), head_start), 1
            head_start = brace.end()
        elif brace[0] != ";":
            depth += 1 if brace[0] == "{" else -1
            if depth == 0:
                first = code.count("\n", 0, body_start) + 1
                yield first, code.count("\n", 0, brace.end()) + 2 - first, code[body_start:].split("\n")[0]
                body_start, head_start = None, brace.end()


def test_functions_of_kernels_are_short():
    found = {
        (path.name, line): (lines, head)
        for path in SOURCES
        for line, lines, head in native_functions(path.read_text(encoding="utf-8"))
    }
    heads = {head for _, head in found.values()}
    assert any(head.startswith("void DagForward::push_plain(") for head in heads), "functions are not found"
    assert {place: size for place, size in found.items() if size[0] > LONGEST_KERNEL_FUNCTION} == {}


def test_lengths_of_functions_are_counted():
    code = (
        "namespace a {\nstruct B {\n    int c() const { return 1; }\n    int d(int e)\n        {\n        for (;;) {\n"
    )
    code += "            if (e) return '{';  // }\n        }\n    }\n};\nint f = 3;\n}\n"
    assert [(line, lines) for line, lines, _ in native_functions(code)] == [(3, 1), (4, 6)]
