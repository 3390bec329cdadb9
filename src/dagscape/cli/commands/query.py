"""``dagscape query``: probabilities of a network's variables, given others."""

from __future__ import annotations

import json
from typing import Any

import click

from dagscape.cli.arguments.graph_arguments import MODEL_HELP, load
from dagscape.cli.arguments.options import memory_option, output_options
from dagscape.cli.program.output import Output
from dagscape.cli.program.streams import write_json
from dagscape.core.errors import InvalidOption
from dagscape.report.networks import render_query


def _evidence(context: click.Context, parameter: click.Parameter, pairs: tuple[str, ...]) -> dict[str, str]:
    """Split VARIABLE=VALUE; a value may contain further equals signs."""
    found: dict[str, str] = {}
    for pair in pairs:
        name, sign, value = pair.partition("=")
        if not sign:
            raise InvalidOption(f"--given is {pair!r}; it must be VARIABLE=VALUE")
        if name in found:
            raise InvalidOption(f"--given has {name!r} more than once")
        found[name] = value
    return found


@click.command(epilog=MODEL_HELP)
@click.argument("model")
@click.argument("target", nargs=-1, required=True)
@click.option(
    "--given",
    "evidence",
    metavar="VARIABLE=VALUE",
    multiple=True,
    callback=_evidence,
    help="An observed value: a level, or a number in a column that was cut; may be repeated.",
)
@memory_option
@output_options
def command(
    model: str,
    target: tuple[str, ...],
    evidence: dict[str, str],
    max_memory: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Compute the exact probability of each level of a variable, or of several jointly, given others.

    MODEL is a network, such as the file that 'dagscape fit' writes.
    """
    network = load(model, max_memory)
    for name in target:
        if name in evidence:
            raise InvalidOption(f"the target is {name!r}, which --given observes: remove one of them")
    answer = network.query(target[0] if len(target) == 1 else list(target), evidence, max_memory=max_memory)
    if not as_json:
        Output(as_json, quiet).show_blocks(render_query(answer))
        return
    rows: list[dict[str, Any]] = json.loads(answer.reset_index().to_json(orient="records", double_precision=15))
    document = {
        "targets": list(target),
        "evidence": evidence,
        "log_probability": network.log_probability(evidence, max_memory=max_memory),
        "probabilities": [
            {**row, "probability": probability} for row, probability in zip(rows, answer.tolist(), strict=True)
        ],
    }
    write_json(document)
