"""Small random data sets for property tests."""

from __future__ import annotations

from hypothesis import strategies as st

import dagscape as ds
from dagscape.scores.registry import SCORES

# The scores of discrete data.
DISCRETE_SCORES = {name: definition for name, definition in SCORES.items() if definition.data_type is ds.Dataset}


@st.composite
def tables(draw, max_variables=4, max_rows=25, max_arity=4):
    """Draw arities, and rows of codes below them."""
    arities = draw(st.lists(st.integers(1, max_arity), min_size=1, max_size=max_variables))
    row = st.tuples(*(st.integers(0, arity - 1) for arity in arities))
    return arities, draw(st.lists(row, min_size=1, max_size=max_rows))


def dataset(arities, rows, **options):
    """Return a data set that declares all levels, whether or not they occur."""
    names = [f"v{i}" for i in range(len(arities))]
    levels = {name: [str(level) for level in range(arity)] for name, arity in zip(names, arities, strict=True)}
    cells = [[str(code) for code in row] for row in rows]
    return ds.Dataset.from_array(cells, names, levels=levels, keep_constant=True, **options)
