"""The study of simulated students of chapter 6 of [chen2016], section 6.4.1: figures 6.6, 6.8, 6.9 and 6.10."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from dagscape.core.errors import DagscapeWarning
from dagscape.graphs.dag import Dag
from dagscape.student.learning.command import command
from dagscape.student.learning.orientation import orient
from dagscape.student.learning.parm import parm
from dagscape.student.model.model import StudentModel
from dagscape.student.model.network import Simulated
from dagscape.student.model.simulate import ANY, STRUCTURES, WIDE, Ranges, draw_model
from dagscape.studies.papers.item import RunTask, Scale, Study

if TYPE_CHECKING:
    from dagscape.studies.papers.sources import Sources

SIZES = (150, 500, 1000, 2000)
SETS = 10
MISSING = (0.1, 0.2, 0.3, 0.4, 0.5)
MISSING_SIZE = 1000
# Items of one skill, six of each skill or, as many as there are with several skills, three; of one to three skills; and
# of one skill with an ability of the students.
KINDS = ("single", "few", "multi", "ability")
RANGES = {"any": ANY, "wide": WIDE, "clear": Ranges()}

_RESTARTS = 3

Pair = TypeVar("Pair")

PROTOCOL = (
    "The dissertation draws its three structures in figure 6.5, which its text does not have. Ours have what the text "
    "says of them: in structure 1, S1 → S2 forces S2 → S3; structure 3 has 21 related pairs.",
    "Tables are drawn anew for each size, as in the dissertation. It states three constraints and no ranges. With "
    "'any' tables, everything is uniform within the constraints: the mastery of a skill without prerequisites from 0 "
    "to 1, with all of them from 0.1 to 1, without one of them from 0 to 0.1; for an item two numbers from 0 to 1, the "
    "smaller as the probability of a guess. 'Wide' ones have such items, but 60 to 90 % masters of skills without "
    "prerequisites and 70 to 95 % with all of them. 'Clear' ones have guesses and slips of 10 to 30 %, too.",
    "Structural EM with an exact M-step and 3 random starts, in place of LibB. 'Refined' is the default of "
    "dagscape.command; 'structural EM' is the algorithm of the dissertation.",
)


def tasks(scale: Scale) -> Iterator[dict[str, Any]]:
    """Return the data sets of the figures."""
    full = scale == "full"
    structures = tuple(STRUCTURES) if full else ("a", "b")
    sizes, sets = (SIZES, SETS) if full else ((150,), 2)
    for ranges, structure, students, number, kind in product(RANGES, structures, sizes, range(sets), KINDS):
        if ranges != "any" or kind in ("single", "ability"):
            yield _task(ranges, structure, students, number, kind, 0.0)
    shares = MISSING if full else MISSING[1:2]
    for ranges, structure, share, number in product(("wide", "clear"), structures, shares, range(sets)):
        yield _task(ranges, structure, MISSING_SIZE if full else 150, number, "single", share)


def _task(ranges: str, structure: str, students: int, number: int, kind: str, missing: float) -> dict[str, Any]:
    return {
        "ranges": ranges, "structure": structure, "students": students, "set": number, "kind": kind,
        "missing": missing,
    }  # fmt: skip


def simulated(task: RunTask) -> Simulated:
    """Return the students of a task.

    With an ability or missing answers, they have the same skills; with items of several skills, the same tables of
    skills.
    """
    place = list(STRUCTURES).index(task["structure"])
    model = draw_model(
        task["structure"],
        items_per_skill=3 if task["kind"] == "few" else 6,
        skills_per_item=(1, 3) if task["kind"] == "multi" else 1,
        ability=task["kind"] == "ability",
        ranges=RANGES[task["ranges"]],
        seed=np.random.default_rng([place, task["students"], task["set"], 0]),
    )
    rng = np.random.default_rng([place, task["students"], task["set"], 1])
    return model.sample(task["students"], rng, missing=task["missing"])


def work(task: RunTask, sources: Sources) -> Mapping[str, Any]:  # noqa: ARG001 (as all studies take them)
    """Learn from one data set with all methods."""
    data = simulated(task)
    options: dict[str, Any] = {"restarts": _RESTARTS, "seed": task["set"], "threads": 1}
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DagscapeWarning)
        for name, refine in (("structural EM", False), ("refined", True)):
            start = time.process_time()
            model = command(data.answers, data.q_matrix, refine=refine, **options)
            found[name] = {**model_measures(model, data.dag), "seconds": time.process_time() - start}
        if task["kind"] == "single" and not task["missing"]:
            for name, structure in (("PARM", "complete"), ("PARM, independent skills", "empty")):
                pairs = parm(data.answers, data.q_matrix, structure=structure, **options).pairs  # type: ignore[arg-type]
                found[name] = relation_measures(pairs, data.dag)
    return {"found": found}


def model_measures(model: StudentModel, truth: Dag) -> dict[str, float]:
    """Return F1 of adjacencies (table 6.2), directed edges (table 6.3) and related pairs, and the score."""
    together, _ = orient(model.network.to_cpdag(), 1 - model.mastery_shares, rule="global")
    return {
        "adjacency": f1(undirected(model.network.edges), undirected(truth.edges)),
        "orientation": f1(set(model.network.edges), set(truth.edges)),
        "global orientation": f1(set(together.edges), set(truth.edges)),
        **relation_measures(ancestor_pairs(model.network), truth),
        "score": model.score,
    }


def relation_measures(found: Iterable[tuple[str, str]], truth: Dag) -> dict[str, float]:
    """Return F1 of related pairs of skills, and of the same with their direction."""
    learned, true = set(found), set(ancestor_pairs(truth))
    return {"related": f1(undirected(learned), undirected(true)), "ancestors": f1(learned, true)}


def ancestor_pairs(dag: Dag) -> Iterator[tuple[str, str]]:
    """Iterate over the pairs of a skill and its ancestors."""
    for skill in dag.variables:
        for ancestor in dag.ancestors(skill):
            yield ancestor, skill


def undirected(pairs: Iterable[tuple[str, str]]) -> set[frozenset[str]]:
    """Return pairs without their direction."""
    return {frozenset(pair) for pair in pairs}


def f1(learned: set[Pair], true: set[Pair]) -> float:
    """Return the harmonic mean of the shares of true ones that are learned, and of learned ones that are true.

    >>> f1({1, 2}, {2, 3, 4})
    0.4
    """
    return 2 * len(learned & true) / (len(learned) + len(true))


def complete_f1(structure: str) -> float:
    """Return F1 of adjacencies of the complete graph.

    >>> complete_f1("a")
    0.8
    """
    dag = STRUCTURES[structure]
    pairs = dag.n * (dag.n - 1) / 2
    return 2 * dag.edge_count / (pairs + dag.edge_count)


STUDY = Study("chen2016-students", tasks, work, minutes=7.0)
