"""Random numbers: always from the user's seed, never from global state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dagscape.core.constraints import Whole
from dagscape.core.errors import InvalidOption, type_of

Seed = int | np.random.Generator | None

# A generator or None may stand in its place.
SEED = Whole(0)


def random_generator(seed: Seed) -> np.random.Generator:
    """Return the random generator of a seed."""
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError) as error:
        raise InvalidOption(
            f"is {seed!r}; it must be {SEED.words}, a numpy.random.Generator or None", option="seed"
        ) from error


def recorded_seed(seed: Seed) -> int | None:
    """Return the seed as provenance records it: None if it was a generator, or none was given.

    >>> recorded_seed(np.int64(7)), recorded_seed(None)
    (7, None)
    """
    return int(seed) if isinstance(seed, int | np.integer) else None


# NumPy's bit generators, by the names in their states.
_BIT_GENERATORS: Mapping[str, Any] = {
    kind.__name__: kind
    for kind in (
        np.random.MT19937,
        np.random.PCG64,
        np.random.PCG64DXSM,
        np.random.Philox,
        np.random.SFC64,
    )
}


def generator_state(generator: np.random.Generator) -> dict[str, Any]:
    """Return the state of a generator as JSON, from which :func:`generator_from_state` makes one that goes on with it.

    >>> generator = np.random.default_rng(7)
    >>> copy = generator_from_state(generator_state(generator))
    >>> bool(generator.random() == copy.random()), bool(generator.spawn(1)[0].random() == copy.spawn(1)[0].random())
    (True, True)
    """
    source = generator.bit_generator
    if type(source).__name__ not in _BIT_GENERATORS:
        raise InvalidOption(f"{type_of(source)} cannot be saved; use one of {', '.join(_BIT_GENERATORS)}")
    seeds = source.seed_seq
    if not isinstance(seeds, np.random.SeedSequence):
        raise InvalidOption(f"a generator seeded by {type_of(seeds)} cannot be saved: use numpy.random.default_rng")
    return {
        "state": _plain(source.state),
        "seeds": _plain(seeds.state),
    }


def generator_from_state(state: Mapping[str, Any]) -> np.random.Generator:
    """Return a generator with a state of :func:`generator_state`: its numbers, and those of what it spawns, go on."""
    saved = state["state"]
    seeds = np.random.SeedSequence(**state["seeds"])
    source = _BIT_GENERATORS[saved["bit_generator"]](seeds)
    source.state = saved
    return np.random.Generator(source)


def _plain(value: Any) -> Any:
    """Return the parts of a state as JSON has them; NumPy takes lists in place of its arrays."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
