"""Sets of variables as Python integers: bit i stands for variable i, for any number of variables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence


def bits(mask: int) -> Iterator[int]:
    """Iterate over the members of a set, in increasing order.

    >>> list(bits(0b10110))
    [1, 2, 4]
    """
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def mask_of(members: Iterable[int]) -> int:
    """Return the set with the given members.

    >>> mask_of([4, 1, 2])
    22
    """
    mask = 0
    for member in members:
        mask |= 1 << member
    return mask


def transposed(masks: Sequence[int]) -> list[int]:
    """Return the converse of a relation: bit v of row u is set where bit u of row v was.

    >>> transposed([0b10, 0b00])
    [0, 1]
    """
    opposite = [0] * len(masks)
    for row, mask in enumerate(masks):
        for member in bits(mask):
            opposite[member] |= 1 << row
    return opposite


def connected_components(neighbours: Sequence[int], among: int) -> Iterator[int]:
    """Iterate over the connected components of the subgraph on ``among``, ordered by smallest member.

    >>> list(connected_components([0b010, 0b001, 0b000], 0b111))
    [3, 4]
    """
    left = among
    while left:
        component = frontier = left & -left
        while frontier:
            reached = 0
            for member in bits(frontier):
                reached |= neighbours[member]
            frontier = reached & among & ~component
            component |= frontier
        yield component
        left &= ~component
