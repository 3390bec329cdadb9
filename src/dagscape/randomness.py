"""Random numbers: always from the user's seed, never from global state."""

from __future__ import annotations

import numpy as np

from dagscape.errors import InvalidOption

Seed = int | np.random.Generator | None


def random_generator(seed: Seed) -> np.random.Generator:
    """Return the random generator of a seed."""
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError) as error:
        raise InvalidOption(
            f"is {seed!r}; it must be an integer of at least 0, a numpy.random.Generator or None", option="seed"
        ) from error
