"""Where randomness comes from: a seed that the user gives, never a global state."""

from __future__ import annotations

import numpy as np

from dagscape.errors import InvalidOption

Seed = int | np.random.Generator | None


def random_generator(seed: Seed) -> np.random.Generator:
    """The generator of a seed; what NumPy cannot take as one is an invalid option."""
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError) as error:
        raise InvalidOption(
            f"is {seed!r}; it must be a whole number of at least 0, a numpy.random.Generator or None", option="seed"
        ) from error
