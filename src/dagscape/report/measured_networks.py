"""Fitted networks with measured variables, and what they say of these."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dagscape.core.wording import plural
from dagscape.report.blocks import Block, Heading, Name, Number, Row, Table, names, number, table
from dagscape.report.networks import cpt_tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dagscape.networks.gaussian.conditional import ConditionalGaussianNetwork
    from dagscape.networks.gaussian.gaussian import GaussianNetwork
    from dagscape.networks.gaussian.mixtures import NormalMixture

    Measured = GaussianNetwork | ConditionalGaussianNetwork

# The quantiles of a measured variable that a query shows.
SHOWN_QUANTILES = (0.025, 0.25, 0.5, 0.75, 0.975)


def render_measured_network(network: Measured, title: str, *, parameters: bool) -> list[Block]:
    """Render the families of a network, and its tables and coefficients if requested."""
    some = f"{len(network.regressions):,}" if network.levels else "all"
    counts = (
        f"{plural(network.n, 'variable')}, {some} of them measured, "
        f"{plural(network.dag.edge_count, 'edge')}, {plural(network.parameter_count, 'free parameter')}"
    )
    blocks: list[Block] = [Heading(f"{title}: {counts}"), _families(network)]
    if parameters:
        blocks += [*cpt_tables(network.dag, network.levels, network.cpts), *_coefficients(network)]
    return blocks


def _families(network: Measured) -> Table:
    rows: list[Row] = []
    for name in network.variables:
        if name in network.levels:
            cpt = network.cpts[name]
            kind, free = plural(len(network.levels[name]), "level"), cpt.size - cpt.size // cpt.shape[-1]
        else:
            kind, free = "measured", network.regressions[name].parameter_count
        rows.append((Name(name), kind, names(network.dag.parents(name)), number(free)))
    return table(["variable", "kind", "parents", "free parameters"], rows, numeric=[3])


def _coefficients(network: Measured) -> Iterator[Table]:
    frame = network.coefficients()
    states = bool(frame["state"].any())
    headers = ["variable", *(["state"] if states else []), "term", "estimate", "standard error", "t", "p"]
    rows: list[Row] = []
    for variable, state, term, estimate, *accuracy in frame.to_numpy(dtype=object).tolist():
        where = (Name(state),) if states else ()
        rows.append((Name(variable), *where, Name(term), number(estimate, ".6g"), *map(_known, accuracy)))
    yield table(headers, rows, numeric=range(len(headers) - 4, len(headers)))


def _known(value: float) -> Number | str:
    return "" if math.isnan(value) else number(value, ".4g")


def render_mixture(answer: NormalMixture) -> list[Block]:
    """Render what is known of a measured variable."""
    headers = ["mean", "sd", *(f"{100 * level:g}%" for level in SHOWN_QUANTILES)]
    values = [answer.mean, answer.sd, *map(answer.quantile, SHOWN_QUANTILES)]
    cells = tuple(number(value, ".6g") for value in values)
    return [table(["variable", *headers], [(Name(answer.variable), *cells)], numeric=range(1, len(headers) + 1))]
