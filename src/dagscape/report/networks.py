"""Tables of fitted networks and of the answers to queries."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING

from rich.console import Group

from dagscape.core.wording import plural
from dagscape.networks.discrete.network import Network
from dagscape.report.layout import listed_names, plain, shortened, table_of

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import RenderableType


def render_network(network: Network, title: str, *, cpts: bool) -> RenderableType:
    """Render the families of a network, and its tables if requested."""
    families = table_of("variable", "levels", "parents", "free parameters", right=(1, 3))
    for name in network.variables:
        cpt = network.cpts[name]
        count = f"{cpt.size - cpt.size // cpt.shape[-1]:,}"
        parents = listed_names(network.dag.parents(name))
        families.add_row(shortened(name), f"{len(network.levels[name]):,}", parents, count)
    counts = (
        f"{plural(network.n, 'variable')}, {plural(network.dag.edge_count, 'edge')}, "
        f"{plural(network.parameter_count, 'free parameter')}"
    )
    tables = list(_cpt_tables(network)) if cpts else []
    return Group(plain(f"{title}: {counts}"), plain(), families, *tables)


def _cpt_tables(network: Network) -> Iterator[RenderableType]:
    for name in network.variables:
        parents = network.dag.parents(name)
        levels = network.levels[name]
        columns = range(len(parents), len(parents) + len(levels))
        headers = [f"{shortened(name)} = {shortened(level)}" for level in levels]
        table = table_of(*map(shortened, parents), *headers, right=columns)
        states = product(*(network.levels[parent] for parent in parents))
        for state, row in zip(states, network.cpts[name].reshape(-1, len(levels)), strict=True):
            table.add_row(*map(shortened, state), *(f"{probability:.4f}" for probability in row))
        yield Group(plain(), table)


def render_query(answer: pd.Series[float]) -> RenderableType:
    """Render the probabilities of the levels of one or several variables."""
    table = table_of(*map(shortened, map(str, answer.index.names)), "probability", right=(answer.index.nlevels,))
    for levels, probability in answer.items():
        cells = levels if isinstance(levels, tuple) else (levels,)
        table.add_row(*map(shortened, map(str, cells)), f"{probability:.6f}")
    return table
