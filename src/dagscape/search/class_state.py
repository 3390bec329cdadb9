"""An equivalence class that is changed by inserts, deletes and turns, and that can be copied cheaply.

:mod:`dagscape.search.class_search` makes moves of one kind at a time, and its kernel lists all of them anew when the
kind changes. A search that goes back and forth between kinds, and that tries moves on copies of a class, needs
something else: this class keeps all three kinds of moves at once, and looks at a move only where the graph around it
has changed.

For a child *Y* with compelled parents Pa(Y), undirected neighbours N(Y), and a clique *K* of N(Y), and with *s* the
local score:

- Insert(X, Y, K), for X not adjacent to Y: K contains all of N(Y) that is adjacent to X, and every semi-directed path
  from Y to X meets K. It changes the score by s(Y | Pa(Y) ∪ K ∪ {X}) - s(Y | Pa(Y) ∪ K).
- Delete(X, Y, K), for X → Y or X - Y: all of K is adjacent to X. It changes the score by
  s(Y | Pa(Y) ∪ K ∖ {X}) - s(Y | Pa(Y) ∪ K ∪ {X}).
- Turn(X, Y, K), for Y → X: as the insert after the edge Y → X is gone, but a path may also meet N(X). It changes the
  score by the difference of the insert, plus s(X | Pa(X) ∖ {Y}) - s(X | Pa(X)). It is the Reverse of [nazaret2024]_.

Each move takes a member in which exactly Pa(Y) ∪ K are the parents of Y (and Pa(X) those of X), and changes one edge of
it. The state keeps one member. For a move it directs the undirected component of Y anew, in an order that begins with K
(:mod:`dagscape.search.chordal`); then it completes the changed member.

*What is looked at again.* The moves into Y depend on the edges at Y and at N(Y); a turn also on Pa(X). They are listed
again if one of those has changed, with differences that are stored for each pair of a child and a set. Paths are
followed for the best move only. If one is not blocked, the move waits until an edge of the path changes, as in
[nazaret2024]_.

*Constraints* are those of :mod:`dagscape.search.class_search`: a move to a class without an allowed member is not made;
it is tried again after the next move.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy

import numpy as np

from dagscape.core.errors import TooLarge, argument
from dagscape.core.masks import bits, mask_of
from dagscape.graphs.equivalence import cpdags
from dagscape.graphs.words import Words, pack, unpack
from dagscape.search.chordal import allowed_directions, component_of, directed_from
from dagscape.search.class_moves import KINDS, ClassMove, Differences, Kind, Waiting

# The cliques of neighbours of one variable, at most: more of them have too many moves.
MOST_CLIQUES = 1 << 16


class ClassState:
    """An equivalence class with its score and its moves.

    Parameters
    ----------
    differences : Differences
        The differences of the scores.
    dag : sequence of int
        The parents of each variable in a member that meets the constraints.
    exact : int
        Its score, in units.
    forbidden, required : list of int
        The parents that each variable must not, and must, have.
    """

    def __init__(
        self, differences: Differences, dag: list[int], exact: int, forbidden: list[int], required: list[int]
    ) -> None:
        n = len(dag)
        self.exact = exact
        self._differences = differences
        self._max_parents = differences.scores.max_parents
        self._dag = list(dag)
        self._forbidden = list(forbidden)
        for child, above in enumerate(required):
            for parent in bits(above):
                self._forbidden[parent] |= 1 << child
        self._constrained = any(self._forbidden)
        self._joined = [mask | mask_of(u for u in range(n) if required[u] >> v & 1) for v, mask in enumerate(required)]
        # Pairs that may not become adjacent.
        self._barred = [
            mask & mask_of(u for u in bits(mask) if self._forbidden[u] >> v & 1)
            for v, mask in enumerate(self._forbidden)
        ]
        self._waiting: dict[Kind, Waiting] = {kind: Waiting.empty(n) for kind in KINDS}
        self._words: tuple[Words, Words] = cpdags(pack([self._dag], n))
        self._parents, self._neighbours = (list(unpack(words[0])) for words in self._words)
        self._children = [0] * n
        for child, above in enumerate(self._parents):
            for parent in bits(above):
                self._children[parent] |= 1 << child
        for child in range(n):
            self._list_moves(child, KINDS)

    @property
    def dag(self) -> tuple[int, ...]:
        """The parents of each variable in a member that meets the constraints."""
        if not self._constrained:
            return tuple(self._dag)
        allowed = allowed_directions(self._neighbours, self._forbidden)
        if allowed is None:
            raise RuntimeError("a class without an allowed member was kept")
        return tuple(a | b for a, b in zip(self._parents, allowed, strict=True))

    def copy(self) -> ClassState:
        """Return a copy, which shares the differences."""
        other = copy(self)
        for name in ("_dag", "_barred", "_parents", "_neighbours", "_children"):
            setattr(other, name, getattr(self, name).copy())
        other._waiting = {kind: waiting.copy() for kind, waiting in self._waiting.items()}
        return other

    def bar(self, x: int, y: int) -> None:
        """Allow no move that makes two variables adjacent."""
        self._barred[x] |= 1 << y
        self._barred[y] |= 1 << x
        for child in (x, y):
            self._list_moves(child, ("insert",))

    def lift_bar(self, x: int, y: int) -> None:
        """Take back :meth:`bar`."""
        self._barred[x] &= ~(1 << y)
        self._barred[y] &= ~(1 << x)
        for child in (x, y):
            self._list_moves(child, ("insert",))

    def deletes(self) -> list[ClassMove]:
        """Return all deletes, those that lose least first, improvements or not."""
        return sorted(move for child in range(len(self._dag)) for move in self._deletes_to(child))

    def has_delete(self, move: ClassMove) -> bool:
        """Whether a delete of an earlier class is one of this class, with the same difference."""
        return move in self._deletes_to(move.y)

    def make_best(self) -> tuple[Kind, ClassMove, int] | None:
        """Make the best delete that improves the score; or else the best turn, or else the best insert.

        Returns
        -------
        tuple of str, ClassMove and int, or None
            The kind, the move, and the set of neighbours of Y that it directs; None if no move improves the score.
        """
        for kind in KINDS:
            waiting = self._waiting[kind]
            while (popped := waiting.pop()) is not None:
                move, version = popped
                path = None if kind == "delete" else self._open_path(kind, move)
                if path is not None:
                    waiting.stopped.append((move, version, path))
                    continue
                turned = self.turned(kind, move)
                if self.make(kind, move):
                    return kind, move, turned
                waiting.refused.append((move, version))
        return None

    def turned(self, kind: Kind, move: ClassMove) -> int:
        """Return the neighbours of Y that a move directs: T of an insert or turn, and H of a delete."""
        adjacent = self._adjacent(move.x)
        if kind == "delete":
            return self._neighbours[move.y] & adjacent & ~move.clique & ~(1 << move.x)
        return move.clique & ~adjacent

    def make(self, kind: Kind, move: ClassMove) -> bool:
        """Make a valid move; return False, and change nothing, if the next class has no allowed member."""
        x, y, clique = move.x, move.y, move.clique
        if self._constrained and kind != "delete" and self._compels_forbidden(x, y, clique):
            return False
        dag = self._dag.copy()
        near = self._neighbours[y]
        first = [*bits(clique), x, y] if kind == "delete" and near >> x & 1 else [*bits(clique), y]
        self._direct(dag, first)
        if kind == "turn":
            self._direct(dag, [x])
            dag[x] &= ~(1 << y)
        dag[y] ^= 1 << x
        if not self._move_to(dag):
            return False
        self.exact -= move.loss
        return True

    def _direct(self, dag: list[int], first: list[int]) -> None:
        """Direct the undirected component of some variables anew in a member, with these variables first."""
        component = component_of(self._neighbours, first[-1])
        for child, above in directed_from(self._neighbours, first):
            dag[child] = dag[child] & ~component | above

    def _move_to(self, dag: list[int]) -> bool:
        """Go to the class of a DAG and list the moves that it changes; return False if no member is allowed."""
        directed, undirected = words = cpdags(pack([dag], len(dag)))
        changed = np.flatnonzero(((directed != self._words[0]) | (undirected != self._words[1])).any(axis=2)[0])
        numbers = changed.tolist()
        new_parents, new_neighbours = unpack(directed[0, changed]), unpack(undirected[0, changed])
        if self._constrained:
            neighbours = self._neighbours.copy()
            parents = self._parents.copy()
            for v, above, near in zip(numbers, new_parents, new_neighbours, strict=True):
                neighbours[v], parents[v] = near, above
            if any(a & b for a, b in zip(parents, self._forbidden, strict=True)):
                return False
            if allowed_directions(neighbours, self._forbidden) is None:
                return False
        self._words, self._dag = words, dag
        edges = self._replace(numbers, new_parents, new_neighbours)
        self._list_around(edges)
        return True

    def _replace(
        self, numbers: list[int], new_parents: tuple[int, ...], new_neighbours: tuple[int, ...]
    ) -> set[tuple[int, int]]:
        """Store the new edges into some variables; return the pairs whose edge has changed."""
        edges = set()
        for v, above, near in zip(numbers, new_parents, new_neighbours, strict=True):
            different = self._parents[v] ^ above
            for u in bits(different):
                self._children[u] ^= 1 << v
            for u in bits(different | self._neighbours[v] ^ near):
                edges.add((min(u, v), max(u, v)))
            self._parents[v], self._neighbours[v] = above, near
        return edges

    def _list_around(self, edges: set[tuple[int, int]]) -> None:
        """List the moves again that may have changed with some edges."""
        ends = mask_of({v for edge in edges for v in edge})
        around, above = ends, 0
        for v in bits(ends):
            around |= self._neighbours[v]
            above |= self._parents[v]
        for child in bits(around):
            self._list_moves(child, KINDS)
        for child in bits(above & ~around):
            self._list_moves(child, ("turn",))
        for waiting in self._waiting.values():
            waiting.release(edges)

    def _adjacent(self, v: int) -> int:
        return self._parents[v] | self._children[v] | self._neighbours[v]

    def _compels_forbidden(self, x: int, y: int, clique: int) -> bool:
        """Whether an edge into y makes a v-structure of a forbidden edge. No other class is ruled out for certain."""
        apart = (self._parents[y] | clique) & ~self._adjacent(x) & ~(1 << x)
        return bool(apart and (self._forbidden[y] >> x & 1 or apart & self._forbidden[y]))

    def _list_moves(self, child: int, kinds: tuple[Kind, ...]) -> None:
        for kind in kinds:
            if kind == "delete":
                moves = [move for move in self._deletes_to(child) if move.loss < 0]
            elif kind == "turn":
                moves = list(self._turns_to(child))
            else:
                moves = list(self._inserts_to(child))
            self._waiting[kind].list_again(child, moves)

    def _cliques(self, child: int, room: int) -> Iterator[tuple[int, int]]:
        """Iterate over the cliques of neighbours, up to ``room`` each, and what is adjacent to no other neighbour."""
        if room < 0:
            return
        neighbours = self._neighbours[child]
        adjacent = {z: self._adjacent(z) for z in bits(neighbours)}
        growing = [(0, neighbours)]
        listed = 0
        while growing:
            clique, candidates = growing.pop()
            listed += 1
            if listed > MOST_CLIQUES:
                raise TooLarge(
                    f"the undirected neighbours of {self._differences.scores.variables[child]!r} have more than "
                    f"{MOST_CLIQUES} cliques: lower {argument('max_parents')}, or use another method, such as 'order'"
                )
            outside = 0
            for z in bits(neighbours & ~clique):
                outside |= adjacent[z]
            yield clique, ~outside
            if clique.bit_count() < room:
                for z in bits(candidates):
                    candidates ^= 1 << z
                    growing.append((clique | 1 << z, candidates & adjacent[z]))

    def _inserts_to(self, y: int) -> Iterator[ClassMove]:
        """Iterate over the inserts that improve the score, if no path stops them."""
        above, apart = self._parents[y], ~(self._adjacent(y) | self._barred[y])
        for clique, eligible in self._cliques(y, self._max_parents - above.bit_count() - 1):
            eligible &= apart
            for x, gain in self._differences.improving(y, above | clique).items():
                if eligible >> x & 1:
                    yield self._move(gain, x, y, clique)

    def _turns_to(self, y: int) -> Iterator[ClassMove]:
        """Iterate over the turns that improve the score, if no path stops them, and whose new edge alone does."""
        above = self._parents[y]
        children = self._children[y] & ~self._joined[y]
        if not children:
            return
        for clique, eligible in self._cliques(y, self._max_parents - above.bit_count() - 1):
            gains = self._differences.improving(y, above | clique)
            for x in bits(children & eligible):
                gain = gains.get(x)
                lost = None if gain is None else self._differences.removals(x, self._parents[x]).get(y)
                if gain is not None and lost is not None and gain + lost > 0:
                    yield self._move(gain + lost, x, y, clique)

    def _deletes_to(self, y: int) -> list[ClassMove]:
        """Return all deletes of edges into a variable."""
        above, neighbours = self._parents[y], self._neighbours[y]
        found = []
        for clique, _ in self._cliques(y, self._max_parents - above.bit_count()):
            removable = (above | neighbours & ~clique) & ~self._joined[y]
            for z in bits(clique):
                removable &= self._adjacent(z)
            for x in bits(removable):
                change = self._differences.removals(y, above | clique | 1 << x).get(x)
                if change is not None:
                    found.append(self._move(change, x, y, clique))
        return found

    def _move(self, gain: int, x: int, y: int, clique: int) -> ClassMove:
        lot = self._differences.lot
        return ClassMove(-gain, (lot[y], lot[x], *sorted(lot[z] for z in bits(clique))), x, y, clique)

    def _open_path(self, kind: Kind, move: ClassMove) -> list[tuple[int, int]] | None:
        """Return the edges of a semi-directed path from Y to X that nothing blocks, or None."""
        x, y = move.x, move.y
        blocked = move.clique | 1 << y
        if kind == "turn":
            blocked |= self._neighbours[x]
        came_from: dict[int, int] = {}
        frontier = [y]
        while frontier:
            following = []
            for u in frontier:
                ahead = (self._children[u] | self._neighbours[u]) & ~blocked
                if u == y and kind == "turn":
                    ahead &= ~(1 << x)
                if ahead >> x & 1:
                    return _edges_of_path(came_from, u, x)
                blocked |= ahead
                for v in bits(ahead):
                    came_from[v] = u
                    following.append(v)
            frontier = following
        return None


def _edges_of_path(came_from: dict[int, int], last: int, end: int) -> list[tuple[int, int]]:
    edges = [(min(last, end), max(last, end))]
    while last in came_from:
        before = came_from[last]
        edges.append((min(before, last), max(before, last)))
        last = before
    return edges
