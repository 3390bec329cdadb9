"""The trace of a search: what it did, step by step."""

from __future__ import annotations

from dataclasses import dataclass, field

from dagscape.core.clock import Clock
from dagscape.graphs.dag import Dag
from dagscape.results.decoding import NotNegative
from dagscape.results.score_info import NamedEdge
from dagscape.scores.arithmetic.fixed_point import Unit


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a search.

    Attributes
    ----------
    move : tuple of str
        What was done, and to which variables, such as ``("add", "smoke", "lung")``.
    score : float
        The score of the current network after the step.
    seconds : float
        The time since the start of the search.
    network : tuple of (parent, child) or None
        The edges of the network, where a method records them, such as at the end of a stage.
    """

    move: tuple[str, ...]
    score: float
    seconds: NotNegative
    network: tuple[NamedEdge, ...] | None = None

    @property
    def text(self) -> str:
        """The move in words.

        >>> Step(("insert", "tub", "either", "lung"), -2404.3, 0.1).text
        'insert tub -> either, lung -> either'
        >>> Step(("insert", "tub"), -2404.3, 0.1).text
        'insert tub'
        """
        kind, *variables = self.move
        # A search over classes inserts an edge; a search over orders inserts one variable elsewhere in the order.
        if kind in ("insert", "turn", "delete") and len(variables) > 1:
            x, y, *turned = variables
            also = f", {', '.join(turned)} {'<-' if kind == 'delete' else '->'} {y}" if turned else ""
            return f"{kind} {x} -> {y}{also}"
        arrow = " -> " if kind in ("add", "remove", "reverse") else ", "
        return f"{kind} {arrow.join(variables)}" if variables else kind


@dataclass(frozen=True, slots=True)
class TraceRecorder:
    """Collects the steps of a search.

    Attributes
    ----------
    unit : Unit
        The unit of exact scores.
    clock : Clock
        The clock of the search.
    steps : list of Step
        The steps so far.
    """

    unit: Unit
    clock: Clock
    steps: list[Step] = field(default_factory=list)

    def add(self, move: tuple[str, ...], exact: int, network: Dag | None = None) -> None:
        """Record a step, the exact score after it and, optionally, the network."""
        edges = None if network is None else network.edges
        self.steps.append(Step(move, self.unit.to_float(exact), self.clock.seconds, edges))
