"""Data sets from tables whose columns are told apart: cut, kept as levels or set aside, unless the user decides."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from dagscape.core.caveats import issue
from dagscape.core.errors import InvalidOption, argument, type_of
from dagscape.data.discrete.common_cuts import AUTO, discretizer_of
from dagscape.data.discrete.dataset import Dataset, encode
from dagscape.data.discrete.discretizing import Discretizer
from dagscape.data.discrete.encoding import EncodingOptions, Missing
from dagscape.data.discrete.findings import with_findings
from dagscape.data.discrete.notices import automatic_notice, notice_of_choices
from dagscape.data.kinds.decisions import Wishes
from dagscape.data.reading import read_table
from dagscape.data.tables.frames import table_from_frame
from dagscape.data.tables.table import Table


def _discretizer(method: str | Discretizer) -> Discretizer:
    """Return the discretizer that a method stands for; one is returned as it is."""
    if isinstance(method, Discretizer):
        return method
    if not isinstance(method, str):
        raise InvalidOption(f"is {type_of(method)}; it must be the name of a method, or a Discretizer", "discretize")
    return discretizer_of(method)


def interpreted(
    table: Table, options: EncodingOptions, method: str | Discretizer | None, wishes: Wishes, *, asked: bool = True
) -> Dataset:
    """Make the data set of a table.

    Parameters
    ----------
    table : Table
        The table as read.
    options : mapping
        As for :meth:`dagscape.Dataset.from_frame`.
    method : str, Discretizer or None
        What cuts its numbers; None refuses decimals.
    wishes : Wishes
        What the user has decided.
    asked : bool
        Whether the user asked for the method. Otherwise, a data set about which nothing was decided has no discretizer.

    Examples
    --------
    >>> from dagscape.data.tables.frames import table_from_array
    >>> table = table_from_array([[i / 8, i % 2] for i in range(90)])
    >>> interpreted(table, {}, "auto", Wishes()).levels["X0"]
    ('(-inf,3.69]', '(3.69,7.44]', '(7.44,inf)')
    """
    wishes.check(table)
    if method is None:
        if wishes.numeric:
            raise InvalidOption(f"names columns to cut, which needs {argument('discretize', AUTO)}", "numeric")
        return encode(table, nominal=wishes.nominal, ignore=wishes.ignore, **options)
    found = _discretizer(method)
    if wishes.numeric or wishes.nominal:
        columns = None if found.columns is None and not wishes.numeric else (*(found.columns or ()), *wishes.numeric)
        found = replace(found, columns=columns, nominal=(*found.nominal, *wishes.nominal))
    if wishes.ignore:
        drop = options.get("drop", ())
        options = {**options, "drop": [*drop, *(name for name in wishes.ignore if name not in drop)]}
    plan = found.planned(table, options) if found.method == AUTO else None
    data = found.learn(table, options, plan)
    assert data.discretizer is not None
    if plan is not None and not asked and not plan.aside and not data.discretizer.cuts:
        data = replace(data, discretizer=None)
    return with_findings(data, table, options.get("weights")).with_ignored(wishes.ignore)


def told_of(
    table: Table, options: EncodingOptions, method: str | Discretizer | None, wishes: Wishes, *, asked: bool = True
) -> Dataset:
    """Return the data set as :func:`interpreted` does, after a warning of what was decided about its columns."""
    data = interpreted(table, options, method, wishes, asked=asked)
    issue(notice_of_choices(data) if asked else automatic_notice(data))
    return data


def read_automatically(source: Any, missing: Missing = "error") -> Dataset:
    """Return the data set of a file or a data frame; what was decided about its columns is told by a warning.

    Parameters
    ----------
    source : str, path or data frame
        A file, as for :func:`dagscape.read_data`, or a frame, as for :meth:`dagscape.Dataset.from_frame`.
    missing : {"error", "level", "drop", "keep"}
        How missing cells are treated, as there.

    Examples
    --------
    >>> import pandas as pd
    >>> read_automatically(pd.DataFrame({"rain": ["no", "yes"], "street": ["dry", "wet"]}))
    Dataset(2 variables, 2 rows, 2 of them distinct)
    """
    return told_of(table_of(source), {"missing": missing}, AUTO, Wishes(), asked=False)


def table_of(source: Any) -> Table:
    """Return the table of a file or a data frame whose columns are to be told apart.

    >>> import pandas as pd
    >>> table_of(pd.DataFrame({"rain": ["no", "yes"]})).names
    ('rain',)
    """
    is_path = isinstance(source, str | os.PathLike)
    return read_table(source) if is_path else table_from_frame(source, dates=True)
