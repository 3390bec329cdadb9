"""All tables and figures of the papers, in their order."""

from __future__ import annotations

from dagscape.studies.papers import chen2014, chen2016, chen2019, munteanu2000, tian2009
from dagscape.studies.papers.item import Item

# The papers by the keys of their citations, oldest first.
PAPERS = {
    "munteanu2000": "Munteanu and Cau (2000): efficient score-based learning of equivalence classes",
    "tian2009": "Tian and He (2009): posterior probabilities of structural features",
    "chen2014": "Chen and Tian (2014): the k best equivalence classes",
    "chen2016": "Chen (2016): structure discovery in Bayesian networks",
    "chen2019": "Chen and Yuan (2019): learning diverse Bayesian networks",
}

ITEMS: dict[str, Item] = {
    item.name: item for paper in (munteanu2000, tian2009, chen2014, chen2016, chen2019) for item in paper.ITEMS
}
