"""The estimated time of a tiled sum over orders on several ranks, each on a machine of its own."""

from __future__ import annotations

from dagscape.posterior.mpi.order_sum import block_bits_of

# Of the time of a sum over orders, the share of the forward pass.
_FORWARD = 1 / 3

# A plan cannot measure the network between machines that are elsewhere: 10 Gbit/s, in bytes per second.
NETWORK_RATE = 1.25e9


def rank_seconds(alone: float, n: int, ranks: int) -> float:
    """Return the time of a tiled sum on several ranks, if one takes ``alone`` seconds.

    The ranks compute block by block. The last one starts when its first block has come in, after log2(ranks) steps. A
    step takes as long as the computation of a block, or as long as the messages, which travel meanwhile.

    >>> [round(rank_seconds(1000.0, 30, ranks), 1) for ranks in (64, 4096)]
    [16.4, 1.7]
    """
    bits = ranks.bit_length() - 1
    block_bits = block_bits_of(n, ranks)
    blocks = 2.0 ** (n - bits - block_bits)
    step = alone / (ranks * blocks)
    # The first rank sends all its blocks forwards to all neighbours, and the last one backwards.
    messages = bits * 2.0 ** (block_bits + 3) / NETWORK_RATE
    return (blocks + bits) * (max(_FORWARD * step, messages) + max((1 - _FORWARD) * step, messages))
