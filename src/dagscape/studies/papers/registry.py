"""All tables and figures of the papers, in their order."""

from __future__ import annotations

from dagscape.studies.papers.chen2014 import items as chen2014
from dagscape.studies.papers.chen2016 import items as chen2016
from dagscape.studies.papers.chen2019 import items as chen2019
from dagscape.studies.papers.item import Item
from dagscape.studies.papers.munteanu2000 import items as munteanu2000
from dagscape.studies.papers.tian2009 import items as tian2009

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
