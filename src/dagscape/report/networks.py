"""Fitted networks, and the answers to queries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

from dagscape.core.wording import plural
from dagscape.networks.discrete.network import Network
from dagscape.report.blocks import Block, Heading, Name, Row, Table, Text, names, number, table
from dagscape.report.probabilities import probability

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from dagscape.graphs.dag import Dag


def render_network(network: Network, title: str, *, cpts: bool) -> list[Block]:
    """Render the families of a network, and its tables if requested."""
    counts = (
        f"{plural(network.n, 'variable')}, {plural(network.dag.edge_count, 'edge')}, "
        f"{plural(network.parameter_count, 'free parameter')}"
    )
    tables = cpt_tables(network.dag, network.levels, network.cpts) if cpts else ()
    return [Heading(f"{title}: {counts}"), _families(network), *tables]


def _families(network: Network) -> Table:
    rows = [
        (
            Name(name),
            number(len(network.levels[name])),
            names(network.dag.parents(name)),
            number(cpt.size - cpt.size // cpt.shape[-1]),
        )
        for name, cpt in ((name, network.cpts[name]) for name in network.variables)
    ]
    return table(["variable", "levels", "parents", "free parameters"], rows, numeric=[1, 3])


def cpt_tables(
    dag: Dag, levels_of: Mapping[str, Sequence[str]], cpts: Mapping[str, NDArray[np.float64]]
) -> Iterator[Table]:
    """Iterate over the tables of discrete variables, in the order of the graph."""
    for name in dag.variables:
        if name not in cpts:
            continue
        parents, levels = dag.parents(name), levels_of[name]
        headers: list[Text | Name] = [*map(Name, parents), *((Name(name), " = ", Name(level)) for level in levels)]
        states = product(*(levels_of[parent] for parent in parents))
        rows: list[Row] = [
            (*map(Name, state), *map(probability, row))
            for state, row in zip(states, cpts[name].reshape(-1, len(levels)).tolist(), strict=True)
        ]
        yield table(headers, rows, numeric=range(len(parents), len(headers)))


def render_query(answer: pd.Series[float]) -> list[Block]:
    """Render the probabilities of the levels of one or several variables."""
    headers: list[Text | Name] = [*(Name(str(name)) for name in answer.index.names), "probability"]
    rows: list[Row] = [
        (
            *(Name(str(level)) for level in (levels if isinstance(levels, tuple) else (levels,))),
            number(probability, ".6f"),
        )
        for levels, probability in answer.items()
    ]
    return [table(headers, rows, numeric=[answer.index.nlevels])]


def render_explanation(levels: pd.Series[Any], probability: float) -> list[Block]:
    """Render the most probable values of all variables together."""
    heading = Heading(f"Most probable values together: probability {probability:.6g} given the evidence")
    rows: list[Row] = [(Name(str(name)), Name(str(level))) for name, level in levels.items()]
    return [heading, table(["variable", "level"], rows)]
