"""What a drawing says of columns of numbers that were cut."""

from __future__ import annotations

from dagscape.data.discrete.discretizing import Discretizer
from dagscape.data.sources import cuttings_of
from dagscape.results.base import Result, source_of
from dagscape.results.data_source import DataSource


def cut_lines(graph: object) -> list[str]:
    """Return a line for each way of cutting: ``3 quantiles: age, hours``; none if nothing was cut.

    Parameters
    ----------
    graph : object
        A result, or a network that has the discretizer of its data.

    Examples
    --------
    >>> import numpy as np
    >>> import dagscape as ds
    >>> data = ds.discretize(np.array([[0.5, 1.5], [2.5, 0.5], [3.5, 9.5]]), bins=2)
    >>> cut_lines(ds.learn(data))
    ['2 quantiles: X0, X1']
    """
    if isinstance(graph, Result):
        source = source_of(graph)
        return [] if source is None else source.lines()
    discretizer, variables = getattr(graph, "discretizer", None), getattr(graph, "variables", ())
    if not isinstance(discretizer, Discretizer):
        return []
    return DataSource("", cuttings_of(discretizer, variables)).lines()
