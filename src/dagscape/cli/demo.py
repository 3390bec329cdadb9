"""``dagscape demo``: a short tour on a data set that comes with dagscape."""

from __future__ import annotations

import click

from dagscape.cli.options import Output, output_options
from dagscape.data.bundled import load_dataset
from dagscape.scores.scoring import local_scores
from dagscape.scores.summary import summarize_scores


@click.command()
@output_options
def command(as_json: bool, quiet: bool) -> None:
    """Score the final boards of tic-tac-toe: nine squares, and whether x has won."""
    out = Output(as_json, quiet)
    data = load_dataset("tic-tac-toe")
    scores = local_scores(data)
    if as_json:
        out.show(summarize_scores(scores))
        return
    click.echo("1. The data: every final board of tic-tac-toe when x moves first.\n")
    out.show(data.describe())
    click.echo("\n2. The local scores: which parents explain each square, and the outcome, best?\n")
    out.show(summarize_scores(scores))
    click.echo(_READING)


_READING = """
How to read this: a local score is ln P(column | its parents), so a difference of 3 means 20 times more probable. The
four corners have the same scores, and so have the four sides: the board's symmetry holds to the last bit.

On your own data: dagscape describe FILE.csv, then dagscape score FILE.csv -o FILE.jkl"""
