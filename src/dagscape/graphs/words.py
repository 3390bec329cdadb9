"""Arrays of graphs on the same variables, for kernels and NumPy.

An array of *graphs × variables × words* holds a set for each variable of each graph, such as its parents, in 64-bit
words: ``words = ⌈variables / 64⌉``, and variable *u* is bit *u* mod 64 of word *u* div 64. Up to 64 variables need
one word; the last axis of an argument is then optional.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidData
from dagscape.core.masks import bits

Words = NDArray[np.uint64]

_BITS = 64

# Words checked at a time.
_PIECE = 1 << 15

# Class keys have 21 bits for the number of a variable.
MOST_VARIABLES = 1 << 21


def word_count(n: int) -> int:
    """Return the number of words in a set of n variables.

    >>> word_count(64), word_count(65)
    (1, 2)
    """
    return -(-n // _BITS)


def pack(graphs: Iterable[Sequence[int]], n: int) -> Words:
    """Return sets of n variables as words, from lists of Python integers, one list for each graph.

    >>> pack([[0, 1 << 64]], 65).tolist()
    Traceback (most recent call last):
    ...
    ValueError: a graph has 2 sets; there are 65 variables
    >>> pack([[0, 1, 2]], 3).tolist()
    [[[0], [1], [2]]]
    """
    size = 8 * word_count(n)
    octets = bytearray()
    count = 0
    for masks in graphs:
        if len(masks) != n:
            raise ValueError(f"a graph has {len(masks)} sets; there are {n} variables")
        octets += b"".join([mask.to_bytes(size, "little") for mask in masks])
        count += 1
    return np.frombuffer(octets, dtype="<u8").astype(np.uint64, copy=False).reshape(count, n, word_count(n))


def unpack(sets: Words) -> tuple[int, ...]:
    """Return the sets of one graph (variables × words) as Python integers.

    >>> unpack(np.array([[0, 1], [5, 0]], dtype=np.uint64))
    (18446744073709551616, 5)
    """
    if sets.shape[-1] == 1:
        return tuple(sets[:, 0].tolist())
    size = 8 * sets.shape[-1]
    octets = sets.astype("<u8", copy=False).tobytes()
    return tuple([int.from_bytes(octets[at : at + size], "little") for at in range(0, len(octets), size)])


def holds(sets: Words, member: int) -> NDArray[np.bool_]:
    """Whether each set, along the last axis, contains a member."""
    found: NDArray[np.bool_] = sets[..., member // _BITS] >> np.uint64(member % _BITS) & np.uint64(1) == 1
    return found


def members_of_any(sets: Words) -> list[int]:
    """Return all members of the sets in a list (sets × words), in increasing order."""
    union = np.bitwise_or.reduce(sets, axis=0)
    return list(bits(unpack(union[np.newaxis])[0]))


def distinct(sets: Words) -> tuple[tuple[int, ...], NDArray[np.intp]]:
    """Return the distinct sets of a list (sets × words) as Python integers, and the index of each set among them.

    >>> distinct(np.array([[5], [0], [5]], dtype=np.uint64))
    ((0, 5), array([1, 0, 1]))
    """
    if sets.shape[1] == 1:
        # Sorting numbers is much faster than sorting rows.
        found, places = np.unique(sets[:, 0], return_inverse=True)
        return tuple(found.tolist()), places
    found, places = np.unique(sets, axis=0, return_inverse=True)
    return unpack(found), places.reshape(-1)


def transposed(sets: Words) -> Words:
    """Return the inverse relation in every graph: u is in the set of v if v was in the set of u.

    >>> transposed(np.array([[[2], [0]]], dtype=np.uint64)).tolist()
    [[[0], [1]]]
    """
    n, words = sets.shape[1:]
    opposite = np.empty_like(sets)
    single = singletons(n)
    for piece in pieces(sets):
        row, member = all_members(sets[piece].reshape(-1, words))
        of = row // n * n + member
        opposite[piece] = joined(of, single[row % n], opposite[piece].shape)
    return opposite


def singletons(n: int) -> Words:
    """Return the sets of one variable each: variables × words.

    >>> singletons(3).tolist()
    [[1], [2], [4]]
    """
    found: Words = pack([[1 << variable for variable in range(n)]], n)[0]
    return found


def pieces(sets: Words) -> Iterator[slice]:
    """Yield slices of an array of graphs, a few graphs each, so that work on their members needs little memory."""
    size = max(1, 8 * _PIECE // max(1, sets[:1].size))
    for at in range(0, len(sets), size):
        yield slice(at, at + size)


def all_members(sets: Words) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the index of the set and the member, for all members of the sets in a list (sets × words).

    >>> [indices.tolist() for indices in all_members(np.array([[5], [0], [2]], dtype=np.uint64))]
    [[0, 0, 2], [0, 2, 1]]
    """
    octets = np.ascontiguousarray(sets, dtype="<u8").view(np.uint8).reshape(-1)
    # Most are empty.
    some = np.flatnonzero(octets)
    place, bit = np.nonzero(np.unpackbits(octets[some, np.newaxis], axis=1, bitorder="little"))
    at, member = np.divmod(8 * some[place] + bit, _BITS * sets.shape[1])
    return at, member


def joined(of: NDArray[np.intp], sets: Words, shape: tuple[int, ...]) -> Words:
    """Return the union of the sets that belong to each variable of each graph.

    Parameters
    ----------
    of : array of int
        To which each set belongs: the index of the graph times the number of variables, plus the variable.
    sets : array of uint64, sets × words
        The sets.
    shape : tuple of int
        The shape of the result: graphs × variables × words.
    """
    unions: Words = np.zeros((shape[0] * shape[1], shape[2]), dtype=np.uint64)
    order = np.argsort(of, kind="stable")
    into, first = np.unique(of[order], return_index=True)
    if into.size:
        unions[into] = np.bitwise_or.reduceat(sets[order], first, axis=0)
    found: Words = unions.reshape(shape)
    return found


def acyclic(parents: Words) -> NDArray[np.bool_]:
    """Whether each graph, given as the parents of its variables, has no directed cycle; an edge to itself is one.

    >>> acyclic(np.array([[[2], [0]], [[2], [1]]], dtype=np.uint64)).tolist()
    [True, False]
    """
    done = np.zeros(len(parents), dtype=np.bool_)
    size = max(1, _PIECE // max(1, parents[:1].size))
    for at in range(0, len(parents), size):
        piece = parents[at : at + size]
        left = np.arange(len(piece))
        placed = np.zeros((len(piece), 1, piece.shape[2]), dtype=np.uint64)
        while left.size:
            # Place all variables without parents among those that are not placed yet.
            free: NDArray[np.bool_] = (piece[left] & ~placed[left] == 0).all(axis=2)
            octets = np.packbits(free, axis=1, bitorder="little")
            padded = np.zeros((len(left), 8 * piece.shape[2]), dtype=np.uint8)
            padded[:, : octets.shape[1]] = octets
            now = padded.view("<u8").astype(np.uint64, copy=False)[:, np.newaxis]
            grown = (now != placed[left]).any(axis=(1, 2))
            placed[left] = now
            done[at + left[free.all(axis=1)]] = True
            left = left[grown & ~free.all(axis=1)]
    return done


def with_words(sets: Words) -> Words:
    """Return an array of graphs × variables with a third axis; an array that has one is unchanged."""
    return sets[:, :, np.newaxis] if sets.ndim == 2 else sets


def checked_graphs(parents: Words) -> Words:
    """Return sets of parents as graphs × variables × words, after checking that they can be parents."""
    given = np.asarray(parents)
    if given.dtype.kind not in "iu" or (given.dtype.kind == "i" and given.size and int(given.min()) < 0):
        raise InvalidData("sets of parents must be bit masks: integers of at least 0")
    graphs = with_words(np.ascontiguousarray(given, dtype=np.uint64))
    n = graphs.shape[1] if graphs.ndim == 3 else 0
    if not 1 <= n < MOST_VARIABLES or graphs.shape[2] != word_count(n):
        raise InvalidData(
            f"the graphs have the shape {given.shape}; it must be graphs × variables × words with a word for every 64 "
            "variables, or graphs × variables for 1 to 64 variables"
        )
    never = _never_parents(n)
    # In pieces that fit in the cache.
    size = max(1, _PIECE // never.size)
    if any((graphs[at : at + size] & never).any() for at in range(0, len(graphs), size)):
        raise InvalidData("a set of parents contains the variable itself, or one that does not exist")
    return graphs


@lru_cache(maxsize=4)
def _never_parents(n: int) -> Words:
    """Return, for each of n variables, the bits that its parents must not have: its own, and those beyond n."""
    beyond = (1 << _BITS * word_count(n)) - (1 << n)
    return pack([[beyond | 1 << variable for variable in range(n)]], n)
