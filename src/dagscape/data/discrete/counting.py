"""Columns that look like counts of rows: the table is then a contingency table, and the column no variable."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from dagscape.data.kinds.findings import Finding

# What other programs call such columns, in lower case. A weight may be that of a body.
_USUAL_NAMES = frozenset({"count", "counts", "freq", "frequency", "n"})


def count_findings(columns: Sequence[tuple[str, str]], differ_without: Callable[[str], bool]) -> Iterator[Finding]:
    """Iterate over warnings about columns of counts: integers of a usual name, without which all rows differ.

    Parameters
    ----------
    columns : sequence of (str, str)
        The name and the kind of each column.
    differ_without : callable
        Tells whether there are several rows, all different in the columns other than that of the given name.

    Examples
    --------
    >>> found = count_findings([("Sex", "labels"), ("Freq", "integers")], lambda name: True)
    >>> [finding.sentence for finding in found]
    ["'Freq' looks like counts: if it says how many times each row counts, use --weights Freq (in Python
    weights='Freq')"]
    """
    for name, kind in columns:
        if name.casefold() in _USUAL_NAMES and kind == "integers" and len(columns) > 1 and differ_without(name):
            said = (
                f"{name!r} looks like counts: if it says how many times each row counts, use --weights {name} "
                f"(in Python weights={name!r})"
            )
            yield Finding("counts", said, (name,))
