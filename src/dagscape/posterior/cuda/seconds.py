"""The predicted time of a sum on a card, from those measured on an NVIDIA H200 (benchmarks/results/gpu.md).

No trial can tell the speed of a card that is not there, and a plan does not start one that is.
"""

from __future__ import annotations

from dagscape.scores.tables.lattice import set_count

# The card that was measured.
MEASURED_CARD = "NVIDIA H200"

# To start, and for each family, which is listed on the host.
_START = 0.05
_PER_FAMILY = 2e-8

# Sums over orders: for each set, with up to 4 parents. Sums over DAGs: for each pair of disjoint sets.
_PER_SET, _PARENTS = 7.2e-10, 4
_PER_PAIR = 4.1e-12


def card_seconds(n: int, max_parents: int, over: str) -> float:
    """Return the predicted time of a sum on the card that was measured.

    >>> [round(card_seconds(n, 4, "orders"), 1) for n in (30, 31, 33, 34)]
    [0.8, 1.6, 6.3, 12.5]
    >>> [round(card_seconds(n, 4, "dags"), 1) for n in (20, 25, 28)]
    [0.1, 3.5, 93.9]
    """
    families = _PER_FAMILY * n * min(set_count(n, max_parents), 1 << (n - 1))
    steps: float = _PER_PAIR * 3.0**n if over == "dags" else _PER_SET * (max_parents + 1) / (_PARENTS + 1) * 2.0**n
    return _START + families + steps
