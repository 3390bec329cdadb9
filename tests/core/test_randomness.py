"""States of random generators: what is restored goes on with the same numbers."""

from __future__ import annotations

import json

import numpy as np
import pytest

from dagscape.core.errors import InvalidOption
from dagscape.core.randomness import generator_from_state, generator_state, random_generator


def restored(generator):
    return generator_from_state(json.loads(json.dumps(generator_state(generator))))


@pytest.mark.parametrize("kind", ["MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"])
def test_a_restored_generator_goes_on_with_the_same_numbers(kind):
    generator = np.random.Generator(getattr(np.random, kind)([3, 2**70]))
    generator.normal(size=5)
    # Half of a 64-bit number is kept for the next call.
    generator.integers(0, 9, 3, dtype=np.uint32)
    generator.spawn(2)
    copy = restored(generator)
    for draw in (
        lambda source: source.integers(0, 9, 3, dtype=np.uint32),
        lambda source: source.normal(size=100),
        lambda source: source.permutation(50),
        lambda source: source.spawn(2)[1].random(10),
        lambda source: source.random(10),
    ):
        assert np.array_equal(draw(generator), draw(copy))


def test_a_generator_without_a_seed_can_be_restored():
    generator = random_generator(None)
    assert restored(generator).random() == generator.random()


def test_generators_that_cannot_be_restored_are_refused():
    legacy = np.random.Generator(np.random.RandomState(3)._bit_generator)
    with pytest.raises(InvalidOption, match=r"seeded by a NoneType cannot be saved: use numpy\.random\.default_rng"):
        generator_state(legacy)

    class OwnBits(np.random.PCG64):
        pass

    with pytest.raises(InvalidOption, match="an OwnBits cannot be saved; use one of MT19937, PCG64"):
        generator_state(np.random.Generator(OwnBits(1)))
