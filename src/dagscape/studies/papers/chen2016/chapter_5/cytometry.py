"""The sums behind table 5.2 and figure 5.6 of [chen2016]: cytometry data, with several codings of the experiments.

The data have nine conditions of 600 rows. The published column says which protein was set in six of them; the
dissertation counts seven interventions and does not name the proteins.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from dagscape.data.discrete.dataset import Dataset
from dagscape.graphs.dag import Dag
from dagscape.graphs.edge_lists import read_graph
from dagscape.sampling.exact_posterior import exact_posterior
from dagscape.scores.scoring import local_scores
from dagscape.studies.papers.chen2016.chapter_5.runs import CYTOMETRY
from dagscape.studies.papers.item import RunTask, Scale, Study
from dagscape.studies.papers.sources import table_source

if TYPE_CHECKING:
    from dagscape.studies.papers.sources import Sources

CONSENSUS = "sachs_consensus_edges"

# A relation: ancestor, descendant.
Relation = tuple[str, str]

# Table 5.2, with the names of the data.
PRINTED = {
    "Raf": ("Mek", "Plcg", "PIP2", "PIP3", "Erk", "Akt", "PKA", "P38", "Jnk"),
    "Mek": ("Plcg", "PIP2", "PIP3", "Erk", "Akt", "PKA", "P38", "Jnk"),
    "Plcg": ("PIP2", "PIP3"),
    "PIP2": ("PIP3",),
    "Erk": ("Akt",),
    "PKA": ("Plcg", "PIP2", "PIP3", "Erk", "Akt", "P38", "Jnk"),
    "PKC": ("Raf", "Mek", "Plcg", "PIP2", "PIP3", "Erk", "Akt", "PKA", "P38", "Jnk"),
    "Jnk": ("Plcg", "PIP2", "PIP3", "P38"),
}
RELATIONS: set[Relation] = {(source, sink) for source, sinks in PRINTED.items() for sink in sinks}

_ROWS = 600
_PUBLISHED = ("PKA", "", "Akt", "PKC", "PIP2", "Mek", "", "PKC", "")

# The protein that was set in each condition, by the words of a coding.
CODINGS: dict[str, tuple[str, ...]] = {
    "as published": _PUBLISHED,
    "without PKA": ("", *_PUBLISHED[1:]),
    "PIP2 in condition 7, not 5": ("PKA", "", "Akt", "PKC", "", "Mek", "PIP2", "PKC", ""),
    "without PKA, PIP2 in condition 7, not 5": ("", "", "Akt", "PKC", "", "Mek", "PIP2", "PKC", ""),
    "without PKA, PIP2 in conditions 5 and 7, PKC in 4": ("", "", "Akt", "PKC", "PIP2", "Mek", "PIP2", "", ""),
    "no experiment": ("",) * 9,
}
KINDS = ("perfect", "mechanism")


def other_codings() -> Iterator[tuple[str, ...]]:
    """Iterate over codings of the conditions 1, 4, 5, 7 and 8: with and without PKA and PKC, PIP2 or PIP3 or none."""
    proteins = ("", "Raf", "Mek", "Plcg", "PIP2", "PIP3", "Erk", "Akt", "PKA", "PKC", "P38", "Jnk")
    choices = (("", "PKA"), ("", "PKC"), ("", "PIP2", "PIP3"), proteins, ("", "PKC"))
    for first, fourth, fifth, seventh, eighth in itertools.product(*choices):
        yield (first, "", "Akt", fourth, fifth, "Mek", seventh, eighth, "")


def tasks(scale: Scale) -> Iterator[RunTask]:
    """Iterate over codings, named and others, and kinds of interventions."""
    for coding, kind in itertools.product(CODINGS.values(), KINDS):
        if any(coding) or kind == KINDS[0]:
            yield {"set": list(coding), "kind": kind}
    named = set(CODINGS.values())
    for coding, kind in itertools.product(other_codings() if scale == "full" else (), KINDS):
        if coding not in named:
            yield {"set": list(coding), "kind": kind}


def needs(_: RunTask) -> tuple[str, ...]:
    """Return the sources of the data, and of the accepted network."""
    return table_source(CYTOMETRY), table_source(CONSENSUS)


def sum_coding(task: RunTask, sources: Sources) -> dict[str, Any]:
    """Sum over all DAGs: the probabilities of ancestor relations and edges, and the accepted network."""
    rows = _rows(sources)
    targets = np.repeat(task["set"], _ROWS)
    data = Dataset.from_frame(rows, interventions=targets.tolist())
    found = exact_posterior(local_scores(data, interventions=task["kind"], threads=1), threads=1)
    accepted = read_graph(sources.path(table_source(CONSENSUS)))
    assert found.ancestors is not None
    assert isinstance(accepted, Dag)
    return {
        "variables": list(data.variables),
        "ancestors": found.ancestors.tolist(),
        "edges": found.edges.tolist(),
        "consensus": [list(edge) for edge in accepted.edges],
    }


def _rows(sources: Sources) -> Any:
    """Return the measurements in their published order, of which the conditions are parts."""
    import pandas as pd

    return pd.read_csv(sources.path(table_source(CYTOMETRY)), dtype=str).drop(columns="INT")


def above(run: dict[str, Any], what: str, least: float) -> set[Relation]:
    """Return the relations of a run whose probabilities are above a number."""
    names, values = run["variables"], np.array(run[what])
    return {(names[u], names[v]) for u, v in np.argwhere(values > least).tolist()}


STUDY = Study("cytometry", tasks, sum_coding, needs, minutes=0.5)
