"""Random numbers: always from the user's seed, never from global state."""

from __future__ import annotations

import numpy as np

from dagscape.core.errors import InvalidOption

Seed = int | np.random.Generator | None


def random_generator(seed: Seed) -> np.random.Generator:
    """Return the random generator of a seed."""
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError) as error:
        raise InvalidOption(
            f"is {seed!r}; it must be an integer of at least 0, a numpy.random.Generator or None", option="seed"
        ) from error


def recorded_seed(seed: Seed) -> int | None:
    """Return the seed as provenance records it: None if it was a generator, or none was given.

    >>> recorded_seed(np.int64(7)), recorded_seed(None)
    (7, None)
    """
    return int(seed) if isinstance(seed, int | np.integer) else None
