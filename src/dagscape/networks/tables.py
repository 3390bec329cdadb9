"""Conditional probability tables as labelled data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    import pandas as pd


def labelled_cpt(
    variable: str, parents: Sequence[str], levels: Mapping[str, tuple[str, ...]], cpt: NDArray[np.float64]
) -> pd.DataFrame:
    """Return a table with one row per state of the parents and one column per level of the variable.

    Examples
    --------
    >>> levels = {"rain": ("no", "yes"), "street": ("dry", "wet")}
    >>> labelled_cpt("street", ["rain"], levels, np.array([[0.9, 0.1], [0.0, 1.0]]))
    street  dry  wet
    rain
    no      0.9  0.1
    yes     0.0  1.0
    """
    import pandas as pd

    columns = pd.Index(levels[variable], name=variable)
    rows = cpt.reshape(-1, len(columns)).copy()
    if not parents:
        return pd.DataFrame(rows, columns=columns)
    states: list[tuple[Hashable, ...]] = [levels[parent] for parent in parents]
    index = pd.MultiIndex.from_product(states, names=list(parents))
    return pd.DataFrame(rows, index=index if len(parents) > 1 else index.get_level_values(0), columns=columns)
