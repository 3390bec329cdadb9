"""``dagscape iter-best``: the best networks one by one, for as long as somebody reads them."""

from __future__ import annotations

import itertools
import json
from typing import Any

import click
import numpy as np

from dagscape.best.enumeration import SPACES, usual_space, why_not_classes
from dagscape.best.k_best import iter_best
from dagscape.best.requirements import best_requirements
from dagscape.cli.arguments.numbers import within
from dagscape.cli.arguments.options import DATA_HELP, output_options, scored_data, settings_option, work_options
from dagscape.cli.arguments.score_arguments import SCORES_HELP, declared_equivalent, take_scores
from dagscape.cli.program.output import Output
from dagscape.cli.program.streams import write_document
from dagscape.core.constraints import COUNT
from dagscape.core.wording import visible, visible_json
from dagscape.ensembles.ranked_networks import times_less
from dagscape.graphs.dag import Cpdag, Dag
from dagscape.posterior.evidence import BEST, FIXED
from dagscape.results.encoding import encode


@click.command(epilog=DATA_HELP + SCORES_HELP)
@scored_data
@settings_option(BEST, FIXED)
@click.option(
    "-n", "count", type=within(COUNT), metavar="N", show_default="no limit", help="Stop after this many networks."
)
@click.option(
    "--space",
    type=click.Choice(list(SPACES)),
    show_default="classes, or dags if the scores distinguish members of a class, as with experiments",
    help="List equivalence classes, or DAGs.",
)
@declared_equivalent
@work_options
@output_options
def command(
    data: str,
    count: int | None,
    space: str | None,
    score_equivalent: bool,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """List the best networks one by one, best first, until the reader has enough.

    Each line has the rank, the score, how many times less probable the network is than the best, the number of DAGs of
    an equivalence class, and the edges, separated by tabs; with --json it is a JSON document. Edges of a class are
    "a -> b" where its DAGs agree on the direction, and else "a - b". How many are needed need not be known in advance:
    stop with Ctrl-C, or close the pipe, as 'head' does.
    """
    out = Output(as_json, quiet)
    work = {name: options.pop(name) for name in ("threads", "max_memory")}
    with out.working() as progress:
        scores, _ = take_scores(
            data, options, work | {"progress": progress}, out, [best_requirements], score_equivalent=score_equivalent
        )
        if space is None and (space := usual_space(scores)) == "dags":
            out.note(f"listing DAGs, not equivalence classes: {why_not_classes(scores)}")
        networks = iter_best(scores, space, **work, progress=progress)
    best = None
    for rank, dag in enumerate(itertools.islice(networks, count), start=1):
        score = scores.network(dag)
        best = score if best is None else best
        less = float(times_less(np.array([best, score]))[1])
        kind = dag.to_cpdag() if space == "classes" else None
        if as_json:
            entry = {"rank": rank, "score": score, "times_less": less, "edges": dag.edges, **_class_document(kind)}
            write_document(visible_json(json.dumps(encode(entry), ensure_ascii=False)) + "\n")
        else:
            size = [] if kind is None else [str(kind.size())]
            cells = [str(rank), f"{score:.4f}", f"{less:.4g}", *size, visible(_edges(dag, kind))]
            write_document("\t".join(cells) + "\n")


def _class_document(kind: Cpdag | None) -> dict[str, Any]:
    """Return what a document says about an equivalence class, besides the edges of one member."""
    if kind is None:
        return {}
    return {"dags": kind.size(), "directed": kind.directed_edges, "undirected": kind.undirected_edges}


def _edges(dag: Dag, kind: Cpdag | None) -> str:
    """Return the edges of a DAG, or those of its equivalence class."""
    directed = dag.edges if kind is None else kind.directed_edges
    undirected = () if kind is None else kind.undirected_edges
    edges = [f"{parent} -> {child}" for parent, child in directed] + [f"{a} - {b}" for a, b in undirected]
    return ", ".join(edges) or "(none)"
