"""Blocks on a terminal: blank lines, alignment, long and dangerous names, colours."""

from __future__ import annotations

import pytest
from rich.console import Console

from dagscape.report import terminal
from dagscape.report.blocks import (
    Caution,
    Heading,
    Name,
    Note,
    Paragraph,
    Picture,
    Problem,
    arrow,
    joined,
    names,
    number,
    table,
)
from dagscape.report.terminal import terminal_text

DANGEROUS = "[red]a\x1b[2J\nb\u202e"


def test_one_blank_line_between_blocks():
    blocks = [
        Heading("Heading", ("of two lines",)),
        table(["from", "value"], [(Name("a"), number(0.5, ".2f")), (Name("bb"), number(10))], numeric=[1], omitted="…"),
        Paragraph("One", ("and more",)),
        Note("A note"),
        Caution("first"),
        Caution("second"),
    ]
    assert terminal_text(blocks, 40) == (
        "Heading\nof two lines\n\nfrom  value\na      0.50\nbb       10\n…\n\nOne\nand more\n\nA note\n\n"
        "warning: first\nwarning: second\n"
    )


def test_nothing_of_nothing():
    assert terminal_text([], 40) == ""


def test_pictures_are_not_drawn():
    class Undrawable:
        def _picture(self):
            raise AssertionError("drawn")

    assert terminal_text([Heading("a"), Picture(Undrawable()), Note("b")], 40) == "a\n\nb\n"


def test_strings_are_never_markup_and_have_no_control_characters():
    shown = terminal_text(
        [
            Heading(DANGEROUS, (DANGEROUS,)),
            Paragraph((Name(DANGEROUS), " and ", Problem(DANGEROUS))),
            Note(DANGEROUS),
            Caution(DANGEROUS),
            table([Name(DANGEROUS), DANGEROUS], [(Name(DANGEROUS), (Name(DANGEROUS),))], omitted=DANGEROUS),
        ],
        200,
    )
    assert all(line.isprintable() for line in shown.split("\n"))
    escaped = r"[red]a\x1b[2J\nb\u202e"
    assert shown.count(escaped) == 11
    assert f"'{escaped}' and {escaped}" in shown


@pytest.mark.parametrize(
    ("name", "alone", "in_a_text", "listed"),
    [
        ("a", "a", "a", "a"),
        ("a, b", "a, b", "a, b", "'a, b'"),
        ("a\nb", r"a\nb", r"'a\nb'", r"'a\nb'"),
        ("it's", "it's", "it's", "it's"),
    ],
)
def test_names_are_quoted_where_they_could_be_misread(name, alone, in_a_text, listed):
    assert terminal_text([table(["x"], [(Name(name),)])], 40) == f"x\n{alone}\n"
    assert terminal_text([Note((Name(name), " = 1"))], 40) == f"{in_a_text} = 1\n"
    assert terminal_text([table(["x"], [(names([name]),)])], 40) == f"x\n{listed}\n"
    assert terminal_text([Note(names([name, "c"]))], 40) == f"{listed}, c\n"
    assert terminal_text([Note(joined([arrow(name, "c")]))], 40) == f"{listed} → c\n"


def test_long_names_are_shortened_and_broken_between_words():
    name = "first" + 1000 * "x" + "last"
    shown = terminal_text([Paragraph((Name(name),)), table(["a"], [(Name(name),)])], 200)
    assert shown.count("first") == shown.count("last") == shown.count("…") == 2
    assert max(map(len, shown.split("\n"))) == 80
    cells = [(Name("water-project-cost-sharing"), Name("adoption_of_the_budget"))]
    lines = terminal_text([table([Name("one-two"), "b"], cells)], 26).split("\n")
    assert all(line[:13].strip().endswith(("-", "sharing", "two")) or not line[:13].strip() for line in lines)


def test_colours_on_a_terminal(monkeypatch):
    def coloured(**options):
        return Console(force_terminal=True, color_system="standard", **options)

    monkeypatch.setattr(terminal, "Console", coloured)
    shown = terminal_text([Paragraph((Problem("no"), " yes")), Caution("careful"), table(["head"], [])], 40)
    assert "\x1b[1;31mno\x1b[0m yes\n" in shown
    assert "\x1b[33mwarning: careful\x1b[0m\n" in shown
    assert "\x1b[1mhead" in shown
