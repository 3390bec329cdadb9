"""``dagscape query``: probabilities of a network's variables, given others."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import click

from dagscape.cli.arguments.graph_arguments import MODEL_HELP, load
from dagscape.cli.arguments.options import memory_option, output_options
from dagscape.cli.program.output import Output
from dagscape.cli.program.streams import write_json
from dagscape.core.errors import InvalidOption
from dagscape.networks.discrete.mutilation import check_apart
from dagscape.networks.discrete.network import Network
from dagscape.networks.gaussian.mixtures import NormalMixture
from dagscape.report.measured_networks import SHOWN_QUANTILES, render_mixture
from dagscape.report.networks import render_explanation, render_query


def _evidence(context: click.Context, parameter: click.Parameter, pairs: tuple[str, ...]) -> dict[str, str]:
    """Split VARIABLE=VALUE; a value may contain further equals signs."""
    found: dict[str, str] = {}
    option = parameter.opts[0]
    for pair in pairs:
        name, sign, value = pair.partition("=")
        if not sign:
            raise InvalidOption(f"{option} is {pair!r}; it must be VARIABLE=VALUE")
        if name in found:
            raise InvalidOption(f"{option} has {name!r} more than once")
        found[name] = value
    return found


# What the numbers of --do rest on.
_CAUSES = "--do takes every arrow for a cause; those learned from data alone need not be (see From arrows to causes)"


@click.command(epilog=MODEL_HELP)
@click.argument("model")
@click.argument("target", nargs=-1)
@click.option(
    "--given",
    "evidence",
    metavar="VARIABLE=VALUE",
    multiple=True,
    callback=_evidence,
    help="An observed value: a level, or a number in a column that is measured or was cut; may be repeated.",
)
@click.option(
    "--do",
    metavar="VARIABLE=VALUE",
    multiple=True,
    callback=_evidence,
    help="A value to which a variable is set, whatever its parents are; may be repeated.",
)
@click.option(
    "--most-probable",
    is_flag=True,
    help="In place of probabilities of TARGET, the values of all variables that are most probable together.",
)
@memory_option
@output_options
def command(
    model: str,
    target: tuple[str, ...],
    evidence: dict[str, str],
    do: dict[str, str],
    most_probable: bool,
    max_memory: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Compute the exact probability of each level of a variable, or of several jointly, given others.

    Of a measured variable, mean, standard deviation and quantiles are computed. MODEL is a network, such as the file
    that 'dagscape fit' writes. With --most-probable, there is no TARGET.
    """
    if bool(target) == most_probable:
        raise InvalidOption(
            "--most-probable is about all variables: leave out TARGET, or that option"
            if most_probable
            else "name a TARGET, or use --most-probable for all variables together"
        )
    loaded = load(model, max_memory)
    network = loaded.do(do) if do else loaded
    if most_probable:
        if not isinstance(network, Network):
            raise InvalidOption(f"--most-probable is for discrete networks; {model!r} has measured variables")
        _explain(network, evidence, max_memory, Output(as_json, quiet))
        return
    for name in target:
        if name in evidence:
            raise InvalidOption(f"the target is {name!r}, which --given observes: remove one of them")
    check_apart(do, evidence, target)
    if do:
        Output(as_json, quiet).note(_CAUSES)
    if isinstance(network, Network):
        answer = network.query(target[0] if len(target) == 1 else list(target), evidence, max_memory=max_memory)
        log_probability = partial(network.log_probability, evidence, max_memory=max_memory)
    else:
        if len(target) > 1:
            raise InvalidOption(f"a network with measured variables takes one TARGET at a time, not {len(target)}")
        found = network.query(target[0], evidence, max_memory=max_memory)
        log_probability = partial(network.log_density, evidence, max_memory=max_memory)
        if isinstance(found, NormalMixture):
            _describe(found, evidence, do, log_probability, Output(as_json, quiet))
            return
        answer = found
    if not as_json:
        Output(as_json, quiet).show_blocks(render_query(answer))
        return
    rows: list[dict[str, Any]] = json.loads(answer.reset_index().to_json(orient="records", double_precision=15))
    document = {
        "targets": list(target),
        "evidence": evidence,
        **({"do": do} if do else {}),
        "log_probability": log_probability(),
        "probabilities": [
            {**row, "probability": probability} for row, probability in zip(rows, answer.tolist(), strict=True)
        ],
    }
    write_json(document)


def _describe(
    found: NormalMixture, evidence: dict[str, str], do: dict[str, str], log_density: Callable[[], float], out: Output
) -> None:
    """Show what is known of a measured variable."""
    if not out.as_json:
        out.show_blocks(render_mixture(found))
        return
    write_json(
        {
            "targets": [found.variable],
            "evidence": evidence,
            **({"do": do} if do else {}),
            "log_density": log_density(),
            "mean": found.mean,
            "sd": found.sd,
            "quantiles": {f"{100 * level:g}%": found.quantile(level) for level in SHOWN_QUANTILES},
            "components": found.to_frame().to_dict(orient="records"),
        }
    )


def _explain(network: Network, evidence: dict[str, str], max_memory: str | None, out: Output) -> None:
    """Show the values of all variables that are most probable together."""
    levels = network.most_probable(evidence, max_memory=max_memory)
    log_joint = network.log_probability(levels, max_memory=max_memory)
    log_evidence = network.log_probability(evidence, max_memory=max_memory)
    if not out.as_json:
        out.show_blocks(render_explanation(levels, math.exp(log_joint - log_evidence)))
        return
    write_json(
        {
            "evidence": evidence,
            "log_probability": log_evidence,
            "levels": json.loads(levels.to_json()),
            "log_joint_probability": log_joint,
            "probability": math.exp(log_joint - log_evidence),
        }
    )
