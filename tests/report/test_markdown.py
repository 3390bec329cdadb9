"""Blocks as Markdown: nothing in the data is interpreted."""

from __future__ import annotations

from dagscape.report.blocks import (
    Caution,
    Heading,
    Name,
    Note,
    Paragraph,
    PictureFile,
    Problem,
    number,
    table,
)
from dagscape.report.markdown import markdown_text


def test_every_block():
    blocks = [
        Heading("Results", ("of today",)),
        Paragraph("Two things:", ("one", ("the ", Name("x_1"), " is ", Problem("bad")))),
        table(
            ["name", "value"], [(Name("a"), number(0.25, ".2f")), (("b", Name("c")), "")], numeric=[1], omitted="… more"
        ),
        PictureFile("figures/x.svg", "A line"),
        Note("the end"),
        Caution("it is late"),
    ]
    assert markdown_text(blocks, level=3).splitlines() == [
        "### Results", "", "of today", "",
        "Two things:", "- one", r"- the x\_1 is **bad**", "",
        "| name | value |", "| --- | ---: |", "| a | 0.25 |", "| bc |  |", "", "… more", "",
        "![A line](figures/x.svg)", "",
        "the end", "",
        "**Warning:** it is late",
    ]  # fmt: skip


def test_names_are_data():
    text = markdown_text([table(["x"], [(Name("a|b*c<script>[d](e)`f`\n\x1b[2J$g$"),)])])
    assert text.splitlines()[2:] == [r"| a\|b\*c\<script\>\[d\](e)\`f\`\\n\\x1b\[2J\$g\$ |"]
