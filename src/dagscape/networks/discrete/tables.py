"""Conditional probability tables as labelled data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd


def labelled_cpt(levels: pd.Index[Any], parents: Sequence[pd.Index[Any]], cpt: NDArray[np.float64]) -> pd.DataFrame:
    """Return a table with one row per state of the parents and one column per level of the variable.

    Examples
    --------
    >>> import pandas as pd
    >>> rain, street = pd.Index(["no", "yes"], name="rain"), pd.Index(["dry", "wet"], name="street")
    >>> labelled_cpt(street, [rain], np.array([[0.9, 0.1], [0.0, 1.0]]))
    street  dry  wet
    rain
    no      0.9  0.1
    yes     0.0  1.0
    """
    import pandas as pd

    rows = cpt.reshape(-1, len(levels)).copy()
    if not parents:
        return pd.DataFrame(rows, columns=levels)
    states = parents[0] if len(parents) == 1 else pd.MultiIndex.from_product(parents)
    return pd.DataFrame(rows, index=states, columns=levels)
