"""EQ1: greedy search over equivalence classes with three operators [munteanu2000]_.

The problem: a greedy search over networks often directs an edge at random, because both directions score alike, and
later pays for it with wrong edges. EQ1 leaves such edges undirected until the score decides. Its operators, for
variables *X* and *Y* that are not adjacent:

1. add X → Y, if *X* and *Y* have different parents and no neighbour of *Y* is adjacent to *X*;
2. add X → Y and direct Z - Y as Z → Y, a v-structure, if no neighbour of *Y* is adjacent to *X*;
3. add X - Y, if *X* and *Y* have the same parents.

Nothing is ever deleted: deletions and reversals mostly repair early mistakes about directions. Each operator is an
Insert (:mod:`dagscape.search.class_search`) with K = ∅, K = {Z} and K = Br(X, Y). The validity test of the Insert
replaces the paper's: its test of operator 3 ("an undirected cycle must contain a triangle") also accepts moves that
lead to no class, and its test of operator 2 refuses some valid ones.

Cost: there are at most 1 + |N(Y)| + n sets *K* for a variable *Y*, whatever the size of the cliques.

*Notation.* The paper's Pa_G and Br_G ("common brothers") are the compelled parents and the common neighbours by
undirected edges. Its scores are minimised, in bits.
"""

from __future__ import annotations

from dagscape.search.class_search import EQ1_INSERTS, ClassSearch, class_memory
from dagscape.search.job import Found, SearchJob
from dagscape.search.learner import Learner


def eq1(job: SearchJob) -> Found:
    """Greedy search over equivalence classes: insert edges, directed only where the score decides.

    The score must be score-equivalent (not K2, no rows from experiments).
    """
    search = ClassSearch(job, "eq1")
    complete = search.climb(EQ1_INSERTS)
    return search.found(complete=complete)


EQ1 = Learner("eq1", eq1, citations=("munteanu2000",), memory=class_memory)
