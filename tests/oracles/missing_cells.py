"""Which columns to leave out of a table with missing cells, in the slow and obvious way."""

from __future__ import annotations


def responsible(names, gaps, counts):
    """The columns to leave out, one after the other, and the rows that are complete without them.

    `gaps` has for each row whether each cell is missing, and `counts` how often each row counts.
    """
    weighted = list(zip(gaps, counts, strict=True))

    def complete(columns):
        return sum(count for row, count in weighted if not any(row[column] for column in columns))

    def missing(column):
        return sum(count for row, count in weighted if row[column])

    left, removed = list(range(len(names))), []
    best = (complete(left) * len(left), (), complete(left))
    while len(left) > 1:
        chosen = max(left, key=lambda column: (complete([c for c in left if c != column]), missing(column), -column))
        left.remove(chosen)
        removed.append(names[chosen])
        cells = complete(left) * len(left)
        if cells > best[0]:
            best = (cells, tuple(removed), complete(left))
    return best[1:]
