"""Chen (2016): structure discovery in Bayesian networks, a dissertation; one folder for each chapter."""

from dagscape.studies.papers.chen2016 import chapter_1, chapter_2, chapter_3, chapter_4, chapter_5, chapter_6

ITEMS = (
    *chapter_1.ITEMS,
    *chapter_2.ITEMS,
    *chapter_3.ITEMS,
    *chapter_4.ITEMS,
    *chapter_5.ITEMS,
    *chapter_6.ITEMS,
)
