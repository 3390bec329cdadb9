"""Lists of sets for sums on a GPU, sorted by size and then by mask."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray


def by_size(variables: int, most: int) -> NDArray[np.int64]:
    """Return the sets of at most ``most`` out of some variables, as bit masks."""
    masks = np.arange(1 << variables, dtype=np.int64)
    sizes = np.bitwise_count(masks)
    masks = masks[sizes <= most]
    return masks[np.argsort(np.bitwise_count(masks), kind="stable")]


def layers(variables: int, *, largest_first: bool = False) -> Iterator[NDArray[np.int64]]:
    """Yield the sets of each size."""
    masks = by_size(variables, variables)
    sizes = np.bitwise_count(masks)
    for step in range(variables + 1):
        yield masks[sizes == (variables - step if largest_first else step)]
