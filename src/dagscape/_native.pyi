from collections.abc import Callable
from typing import Any, Final

from numpy.typing import NDArray

IMPOSSIBLE: Final[int]
TERM_CACHE_BYTES: Final[int]

def supports_v3() -> bool: ...
def best_scores(
    families: Families,
    forwards: bool,
    out: NDArray[Any],
    threads: int,
    progress: Callable[[int, int], None] | None,
) -> None: ...
def class_keys(parents: NDArray[Any], keys: NDArray[Any]) -> None: ...
def cpdags(parents: NDArray[Any], directed: NDArray[Any], undirected: NDArray[Any]) -> int: ...
def dag_sum(
    scores: NDArray[Any],
    unit_bits: int,
    edges: NDArray[Any],
    ancestors: NDArray[Any],
    paths: NDArray[Any],
    threads: int,
    progress: Callable[[int, int], None] | None,
) -> tuple[float, float, float, float]: ...
def order_sum(
    scores: NDArray[Any],
    unit_bits: int,
    edges: NDArray[Any],
    threads: int,
    progress: Callable[[int, int], None] | None,
) -> tuple[float, float, float]: ...
def tiled_order_sum(
    scores: NDArray[Any],
    max_parents: int,
    unit_bits: int,
    edges: NDArray[Any],
    threads: int,
    progress: Callable[[int, int], None] | None,
) -> tuple[float, float, float]: ...

class BestNetworks:
    def __init__(
        self,
        families: Families,
        classes: bool,
        threads: int,
        most_bytes: int,
        progress: Callable[[int, int], None] | None,
    ) -> None: ...
    def next(self, parents: NDArray[Any], scores: NDArray[Any], progress: Callable[[int, int], None] | None) -> int: ...
    @property
    def stored(self) -> int: ...
    @property
    def bytes(self) -> int: ...

class EditableDag:
    def __init__(self, n: int) -> None: ...
    def has_path(self, source: int, target: int) -> bool: ...
    def can_add(self, parent: int, child: int) -> bool: ...
    def can_reverse(self, parent: int, child: int) -> bool: ...
    def additions(self, child: int, legal: NDArray[Any]) -> None: ...
    def reversals(self, child: int, legal: NDArray[Any]) -> None: ...
    def add(self, parent: int, child: int) -> bool: ...
    def remove(self, parent: int, child: int) -> bool: ...
    def reverse(self, parent: int, child: int) -> bool: ...

class ModeSearch:
    def __init__(
        self,
        families: Families,
        delta: int,
        merge: bool,
        distinct_classes: bool,
        groups: list[int],
        threads: int,
        most_bytes: int,
        progress: Callable[[int, int], None] | None,
    ) -> None: ...
    def next(
        self,
        parents: NDArray[Any],
        order: NDArray[Any],
        seconds: float,
        progress: Callable[[int, int], None] | None,
    ) -> tuple[int, int]: ...
    @property
    def bound(self) -> int: ...
    @property
    def counts(self) -> tuple[int, int, int, int]: ...
    @property
    def bytes(self) -> int: ...

class Families:
    @staticmethod
    def by_mask(scores: NDArray[Any]) -> Families: ...
    @staticmethod
    def by_size(scores: NDArray[Any], max_parents: int) -> Families: ...
    @staticmethod
    def listed(first: NDArray[Any], sets: NDArray[Any], scores: NDArray[Any]) -> Families: ...

class JointScoreJob:
    def __init__(
        self,
        codes: NDArray[Any],
        weights: NDArray[Any],
        arities: NDArray[Any],
        max_size: int,
        term: int,
        alpha: float,
        unit_bits: int,
        guard_bits: int,
        penalty_per_state: float,
        max_states: int,
    ) -> None: ...
    def run(self, out: NDArray[Any], threads: int, progress: Callable[[int, int], None] | None) -> None: ...
    def seconds_per_set(self, budget: float) -> float: ...

class FamilyScores:
    def __init__(
        self,
        codes: NDArray[Any],
        weights: NDArray[Any],
        arities: NDArray[Any],
        functions: list[tuple[int, float, int, int, float, int, int]],
        subsets: NDArray[Any],
        family: NDArray[Any],
        parents: NDArray[Any],
        threads: int,
        most_bytes: int,
    ) -> None: ...
    @staticmethod
    def fixed_bytes(rows: int, arities: NDArray[Any], weight: int, subsets: int, terms: int, threads: int) -> int: ...
    def scores(
        self, child: int, sets: NDArray[Any], out: NDArray[Any], progress: Callable[[int, int], None] | None
    ) -> None: ...
    def additions(
        self,
        child: int,
        parents: NDArray[Any],
        candidates: NDArray[Any],
        out: NDArray[Any],
        progress: Callable[[int, int], None] | None,
    ) -> None: ...
    @property
    def cached_sets(self) -> int: ...
    @property
    def bytes(self) -> int: ...
