"""All learners by name. A new learner is one file with its record, and one line here."""

from __future__ import annotations

from dagscape.search.boss import BOSS
from dagscape.search.curriculum import CURRICULUM
from dagscape.search.eq1 import EQ1
from dagscape.search.ges import GES
from dagscape.search.grasp import GRASP
from dagscape.search.greedy import GREEDY
from dagscape.search.learner import Learner
from dagscape.search.mmhc import MMHC
from dagscape.search.optimal import OPTIMAL
from dagscape.search.orders import ORDER
from dagscape.search.tabu import TABU
from dagscape.search.xges import XGES

LEARNERS: dict[str, Learner] = {
    learner.name: learner for learner in (ORDER, BOSS, GRASP, GREEDY, TABU, EQ1, GES, XGES, MMHC, CURRICULUM, OPTIMAL)
}
