"""``dagscape iter-best``: the best networks one by one, for as long as somebody reads them."""

from __future__ import annotations

import itertools
import json
from typing import Any

import click
import numpy as np

from dagscape.best.enumeration import SPACES, why_not_classes
from dagscape.best.k_best import iter_best
from dagscape.best.requirements import best_requirements
from dagscape.cli.arguments.numbers import within
from dagscape.cli.arguments.options import DATA_HELP, output_options, scored_data, work_options
from dagscape.cli.arguments.score_arguments import SCORES_HELP, declared_equivalent, take_scores
from dagscape.cli.program.output import Output
from dagscape.cli.program.streams import write_document
from dagscape.core.constraints import COUNT
from dagscape.core.wording import visible, visible_json
from dagscape.ensembles.ranked_networks import times_less
from dagscape.results.encoding import encode
from dagscape.scores.equivalence import distinguishes_members


@click.command(epilog=DATA_HELP + SCORES_HELP)
@scored_data
@click.option(
    "-n", "count", type=within(COUNT), metavar="N", show_default="no limit", help="Stop after this many networks."
)
@click.option(
    "--space",
    type=click.Choice(list(SPACES)),
    show_default="classes, or dags if the scores distinguish members of a class, as with experiments",
    help="List equivalence classes, one member of each, or DAGs.",
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

    Each line has the rank, the score, how many times less probable the network is than the best, and its edges,
    separated by tabs; with --json it is a JSON document. How many are needed need not be known in advance: stop with
    Ctrl-C, or close the pipe, as 'head' does.
    """
    out = Output(as_json, quiet)
    work = {name: options.pop(name) for name in ("threads", "max_memory")}
    with out.working() as progress:
        scores, _ = take_scores(
            data, options, work | {"progress": progress}, out, [best_requirements], score_equivalent=score_equivalent
        )
        if space is None and distinguishes_members(scores.info):
            out.note(f"listing DAGs, not equivalence classes: {why_not_classes(scores)}")
            space = "dags"
        networks = iter_best(scores, space or "classes", **work, progress=progress)
    best = None
    for rank, dag in enumerate(itertools.islice(networks, count), start=1):
        score = scores.network(dag)
        best = score if best is None else best
        less = float(times_less(np.array([best, score]))[1])
        if as_json:
            entry = encode({"rank": rank, "score": score, "times_less": less, "edges": dag.edges})
            write_document(visible_json(json.dumps(entry, ensure_ascii=False)) + "\n")
        else:
            edges = ", ".join(f"{parent} -> {child}" for parent, child in dag.edges) or "(none)"
            write_document(f"{rank}\t{score:.4f}\t{less:.4g}\t{visible(edges)}\n")
