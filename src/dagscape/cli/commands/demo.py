"""``dagscape demo``: a short tour with a bundled data set."""

from __future__ import annotations

from typing import Any, cast

import click

from dagscape.best.k_best import k_best
from dagscape.cli.arguments.options import output_options
from dagscape.cli.program.output import Output
from dagscape.cli.program.streams import show
from dagscape.data.bundled import load_dataset
from dagscape.posterior.result import Posterior
from dagscape.report.best import render_best
from dagscape.report.edges import render_posterior
from dagscape.scores.scoring import local_scores
from dagscape.scores.summary import summarize_scores
from dagscape.studies.posterior import posterior


@click.command()
@output_options
def command(as_json: bool, quiet: bool) -> None:
    """Take a short tour with a bundled data set: the final boards of tic-tac-toe."""
    out = Output(as_json, quiet)
    data = load_dataset("tic-tac-toe")
    best = k_best(data, within=20)
    chosen = best.score_info
    assert chosen is not None
    settings: dict[str, Any] = {**chosen.parameters, "max_parents": chosen.max_parents}
    scores = local_scores(data, structure_prior=chosen.structure_prior, **settings)
    if as_json:
        out.show(summarize_scores(scores))
        return
    show("1. The data: every final board of tic-tac-toe when x moves first.\n\n")
    out.show(data.describe())
    show("\n2. The local scores, with the settings that the boards favour: which parents explain each square best?\n\n")
    out.show(summarize_scores(scores, top=1))
    show("\n3. The posterior, averaged over settings: how probable is each edge, and each path, over all DAGs?\n\n")
    out.show_blocks(render_posterior(cast("Posterior", posterior(data, compelled=True)), threshold=0.1))
    show("\n4. The best equivalence classes: how many explain the boards equally well?\n\n")
    out.show_blocks(render_best(best, rows=6))
    show(_READING + "\n")


_READING = """
How to read this: a local score is ln P(column | its parents), so a difference of 3 means 20 times more probable. The
probability of an edge is the share of all DAGs that have it, each weighted by how well it explains the boards. An
edge is compelled if its whole equivalence class has it: only then do the boards tell its direction. The
four corners have the same probabilities, and so have the four sides, because the board is symmetric. For the same
reason no single class is best: sixteen share exactly the same highest score.

On your own data: dagscape describe FILE.csv, then dagscape posterior FILE.csv and dagscape best FILE.csv"""
