"""The tables and figures of chapter 6 of [chen2016]."""

from __future__ import annotations

from dagscape.studies.papers.chen2016.chapter_6 import (
    figure_6_4,
    figure_6_6,
    figure_6_8,
    figure_6_9,
    figure_6_10,
    figure_6_11,
    figure_6_13,
)
from dagscape.studies.papers.item import illustration, without_data

_PAPER = "chen2016"

ITEMS = (
    illustration(
        _PAPER,
        "Figure 6.1",
        "A Bayesian network of two skills and four items",
        "It illustrates the model: skills are hidden, the Q-matrix gives the edges to items.",
    ),
    illustration(
        _PAPER,
        "Table 6.1",
        "A matrix of answers",
        "It shows the form of the input: students × items, 1 for a correct answer. dagscape.command takes the same.",
    ),
    illustration(_PAPER, "Figure 6.2", "One round of structural EM"),
    illustration(
        _PAPER,
        "Figure 6.3",
        "Three equivalent networks",
        "It illustrates the text: a chain of three skills without v-structure is one of a class of three members.",
    ),
    figure_6_4.ITEM,
    illustration(
        _PAPER,
        "Figure 6.5",
        "The three structures of the simulations",
        "They are drawn in the figure only, and the text of the dissertation does not have it. Those of the "
        "simulations here are a: S1 → S2 → S3; b: S1 → S3 ← S2, S3 → S4, S3 → S5; c: S1 → … → S7 with S1 → S3, S2 → "
        "S4, S4 → S6.",
    ),
    illustration(
        _PAPER,
        "Table 6.2",
        "Rates of adjacencies",
        "It defines F1 of adjacencies. dagscape.compare has it as f1_adjacency.",
    ),
    illustration(
        _PAPER,
        "Table 6.3",
        "Rates of orientations",
        "It defines F1 of directed edges. dagscape.compare(..., level='dags') has it as f1_orientation.",
    ),
    figure_6_6.ITEM,
    illustration(
        _PAPER, "Figure 6.7", "The experiment with StudentAbility", "It illustrates the protocol of figure 6.8."
    ),
    figure_6_8.ITEM,
    figure_6_9.ITEM,
    figure_6_10.ITEM,
    figure_6_11.ITEM,
    without_data(
        _PAPER,
        "Figure 6.12",
        "Prerequisites of the Math data",
        "It cannot be made again: the data are those of a commercial tutoring system and not public. The structures of "
        "public sets are in figure 6.11 (ECPE).",
    ),
    figure_6_13.ITEM,
)
