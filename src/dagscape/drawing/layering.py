"""Layers of a layered drawing: the layer of each node, and the order of the nodes within each layer.

The problem has two parts, both solved as in Gansner, Koutsofios, North & Vo, "A technique for drawing directed
graphs" (1993).

*Layers.* Give every node an integer so that edges lead to higher layers and the sum of their lengths is minimal.
This is a linear programme whose matrix is a network, and the network simplex solves it: a spanning tree of edges of
length one is a vertex, and the cut value of a tree edge shows whether replacing it improves the solution. The cut
value is the number of edges from the tail's side to the head's side minus those that lead back, which is the sum of
(out-degree - in-degree) over the tail's side: one pass over the tree gives all of them.

*Order.* Dummy nodes cut edges that skip layers into pieces. Then the layers are swept down and up; each is
sorted by the mean position of its nodes' neighbours in the previous layer (barycentres), and adjacent nodes are
swapped where that saves crossings. The number of sweeps is bounded, and the best order seen is kept.

Everything is deterministic: ties go to the smaller index, and no clock decides when to stop.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

Edge = tuple[int, int]

# Dense graphs have cubically many dummy nodes; beyond this number the longest edges are drawn without them.
MAX_DUMMIES = 4000
_SWEEPS = 40
_PATIENCE = 10


def compact_layers(n: int, edges: Sequence[Edge]) -> list[int]:
    """Return the layer of each node of a connected acyclic graph that minimises the total length of the edges.

    >>> compact_layers(4, [(0, 1), (1, 2), (3, 2)])
    [0, 1, 2, 1]
    """
    layers = _longest_paths(n, edges)
    if n > 1:
        _network_simplex(layers, edges, _tight_tree(layers, edges))
        _balance(layers, edges)
    top = min(layers, default=0)
    return [layer - top for layer in layers]


def _longest_paths(n: int, edges: Sequence[Edge]) -> list[int]:
    waiting = [0] * n
    below: list[list[int]] = [[] for _ in range(n)]
    for tail, head in edges:
        below[tail].append(head)
        waiting[head] += 1
    layers = [0] * n
    ready = [node for node in range(n) if not waiting[node]]
    while ready:
        node = ready.pop()
        for child in below[node]:
            layers[child] = max(layers[child], layers[node] + 1)
            waiting[child] -= 1
            if not waiting[child]:
                ready.append(child)
    return layers


def _tight_tree(layers: list[int], edges: Sequence[Edge]) -> list[int]:
    """Shift layers until edges of length one span the graph; return the indices of such a spanning tree."""
    touching: list[list[int]] = [[] for _ in layers]
    for number, (tail, head) in enumerate(edges):
        touching[tail].append(number)
        touching[head].append(number)
    reached, tree = {0}, []
    frontier = [0]
    while True:
        while frontier:
            node = frontier.pop()
            for number in touching[node]:
                tail, head = edges[number]
                other = head if tail == node else tail
                if other not in reached and layers[head] - layers[tail] == 1:
                    reached.add(other)
                    tree.append(number)
                    frontier.append(other)
        if len(reached) == len(layers):
            return tree
        # Shift the whole tree until the shortest edge that leaves it has length one.
        slack, number = min(
            (layers[head] - layers[tail] - 1, number)
            for number, (tail, head) in enumerate(edges)
            if (tail in reached) != (head in reached)
        )
        shift = slack if edges[number][0] in reached else -slack
        for node in reached:
            layers[node] += shift
        frontier = sorted(reached)


def _network_simplex(layers: list[int], edges: Sequence[Edge], tree: list[int]) -> None:
    """Replace tree edges while one has a negative cut value, and shift the layers accordingly."""
    surplus = [0] * len(layers)
    for tail, head in edges:
        surplus[tail] += 1
        surplus[head] -= 1
    # Degenerate exchanges could cycle; since the layers are feasible at every step, a bound on steps is safe.
    for _ in range(8 * len(layers)):
        order, upper = _rooted(len(layers), edges, tree)
        total = surplus[:]
        worst, leaving = 0, -1
        for node in reversed(order[1:]):
            slot = upper[node]
            tail, head = edges[tree[slot]]
            total[head if tail == node else tail] += total[node]
            cut = total[node] if tail == node else -total[node]
            if cut < worst:
                worst, leaving = cut, node
        if leaving < 0:
            return
        _exchange(layers, edges, tree, order, upper, leaving)


def _rooted(n: int, edges: Sequence[Edge], tree: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return the nodes of the tree in depth-first order, and for each the position of its edge towards the root."""
    touching: list[list[tuple[int, int]]] = [[] for _ in range(n)]
    for slot, number in enumerate(tree):
        tail, head = edges[number]
        touching[tail].append((head, slot))
        touching[head].append((tail, slot))
    upper = [-1] * n
    order, stack = [], [0]
    while stack:
        node = stack.pop()
        order.append(node)
        for other, slot in touching[node]:
            if slot != upper[node]:
                upper[other] = slot
                stack.append(other)
    return order, upper


def _exchange(
    layers: list[int], edges: Sequence[Edge], tree: list[int], order: list[int], upper: list[int], leaving: int
) -> None:
    """Cut the tree above a node and rejoin the two parts by the shortest edge in the opposite direction."""
    slot = upper[leaving]
    branch = {leaving}
    for node in order[order.index(leaving) + 1 :]:
        tail, head = edges[tree[upper[node]]]
        if (head if tail == node else tail) not in branch:
            break
        branch.add(node)
    upwards = edges[tree[slot]][0] == leaving
    slack, number = min(
        (layers[head] - layers[tail] - 1, number)
        for number, (tail, head) in enumerate(edges)
        if (head in branch) == upwards and (tail in branch) != upwards
    )
    tree[slot] = number
    for node in branch:
        layers[node] += -slack if upwards else slack


def _balance(layers: list[int], edges: Sequence[Edge]) -> None:
    """Move nodes that could be in several layers at the same cost to the least crowded one."""
    above: list[list[int]] = [[] for _ in layers]
    below: list[list[int]] = [[] for _ in layers]
    for tail, head in edges:
        below[tail].append(head)
        above[head].append(tail)
    crowd: dict[int, int] = {}
    for layer in layers:
        crowd[layer] = crowd.get(layer, 0) + 1
    for node in range(len(layers)):
        if not above[node] or len(above[node]) != len(below[node]):
            continue
        first = max(layers[parent] for parent in above[node]) + 1
        last = min(layers[child] for child in below[node]) - 1
        crowd[layers[node]] -= 1
        layers[node] = min(range(first, last + 1), key=lambda layer: (crowd.get(layer, 0), layer))
        crowd[layers[node]] = crowd.get(layers[node], 0) + 1


@dataclass(slots=True)
class LayeredGraph:
    """A graph whose edges all lead from one layer to the next: nodes below ``real`` are real, the others dummies.

    ``chains`` has, for each edge of the original graph, the nodes it passes from tail to head.
    """

    real: int
    layers: list[list[int]]
    above: list[list[int]]
    below: list[list[int]]
    chains: list[list[int]]

    def dummy(self, node: int) -> bool:
        """Whether the node is only a point on a long edge."""
        return node >= self.real


def layered_graph(n: int, edges: Sequence[Edge], layer_of: Sequence[int] | None = None) -> LayeredGraph:
    """Return the layers of a connected acyclic graph, ordered so that few edges cross.

    The nodes are in the given layers, if there are any; edges must lead to higher ones.

    >>> layered_graph(4, [(0, 2), (1, 3), (0, 3), (1, 2)]).layers
    [[0, 1], [2, 3]]
    """
    graph = _with_dummies(n, edges, compact_layers(n, edges) if layer_of is None else layer_of)
    candidates = [_traversed(graph, downwards) for downwards in (True, False)]
    graph.layers = min((_reduced(graph, layers) for layers in candidates), key=lambda found: found[0])[1]
    return graph


def _with_dummies(n: int, edges: Sequence[Edge], layer_of: Sequence[int]) -> LayeredGraph:
    layers: list[list[int]] = [[] for _ in range(max(layer_of, default=-1) + 1)]
    for node, layer in enumerate(layer_of):
        layers[layer].append(node)
    above: list[list[int]] = [[] for _ in range(n)]
    below: list[list[int]] = [[] for _ in range(n)]
    chains = [list(edge) for edge in edges]
    for number in sorted(range(len(edges)), key=lambda number: layer_of[edges[number][1]] - layer_of[edges[number][0]]):
        tail, head = edges[number]
        between = range(layer_of[tail] + 1, layer_of[head])
        if len(above) - n + len(between) > MAX_DUMMIES:
            break
        chain = [tail, *range(len(above), len(above) + len(between)), head]
        for dummy, layer in zip(chain[1:-1], between, strict=True):
            layers[layer].append(dummy)
            above.append([])
            below.append([])
        for upper, lower in pairwise(chain):
            below[upper].append(lower)
            above[lower].append(upper)
        chains[number] = chain
    return LayeredGraph(n, layers, above, below, chains)


def _traversed(graph: LayeredGraph, downwards: bool) -> list[list[int]]:
    """Return an initial order: depth first from the sources or the sinks, which draws a tree without crossings."""
    back, forth = (graph.above, graph.below) if downwards else (graph.below, graph.above)
    layer_of = {node: layer for layer, nodes in enumerate(graph.layers) for node in nodes}
    layers: list[list[int]] = [[] for _ in graph.layers]
    seen: set[int] = set()
    stack = [node for node in reversed(range(graph.real)) if not back[node]]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            layers[layer_of[node]].append(node)
            stack += [other for other in reversed(forth[node]) if other not in seen]
    return layers


def _reduced(graph: LayeredGraph, layers: list[list[int]]) -> tuple[int, list[list[int]]]:
    """Sweep, and return the fewest crossings found and the order that has them."""
    place = [0] * len(graph.above)
    for nodes in layers:
        _number(nodes, place)
    fewest, best = crossings(graph, layers), [nodes[:] for nodes in layers]
    stale = 0
    for sweep in range(_SWEEPS):
        if not fewest or stale == _PATIENCE:
            break
        # Every other pair of sweeps reverses ties of barycentres, to escape orders that ties would fix.
        _sweep(graph, layers, place, downwards=sweep % 2 == 0, turn=sweep % 4 >= 2)
        _swap_neighbours(graph, layers, place, ties=sweep % 4 >= 2)
        found = crossings(graph, layers)
        stale += 1
        if found < fewest:
            fewest, best, stale = found, [nodes[:] for nodes in layers], 0
    return fewest, best


def _number(nodes: Sequence[int], place: list[int]) -> None:
    for index, node in enumerate(nodes):
        place[node] = index


def _sweep(graph: LayeredGraph, layers: list[list[int]], place: list[int], *, downwards: bool, turn: bool) -> None:
    near = graph.above if downwards else graph.below
    for nodes in layers if downwards else reversed(layers):
        # Nodes without neighbours there keep their positions; the others share the remaining ones.
        movable = [node for node in nodes if near[node]]
        means = {node: sum([place[other] for other in near[node]]) / len(near[node]) for node in movable}
        if turn:
            movable.reverse()
        movable.sort(key=means.__getitem__)
        moved = iter(movable)
        nodes[:] = [next(moved) if near[node] else node for node in nodes]
        _number(nodes, place)


def _swap_neighbours(graph: LayeredGraph, layers: list[list[int]], place: list[int], *, ties: bool) -> None:
    """Swap adjacent nodes of a layer wherever that saves crossings; once also where it makes no difference."""
    for nodes in layers:
        up = {node: sorted([place[other] for other in graph.above[node]]) for node in nodes}
        down = {node: sorted([place[other] for other in graph.below[node]]) for node in nodes}
        for turn in range(4):
            least = 0 if ties and not turn else 1
            swapped = False
            for right in range(1, len(nodes)):
                a, b = nodes[right - 1], nodes[right]
                if _surplus(up[a], up[b]) + _surplus(down[a], down[b]) >= least:
                    nodes[right - 1], nodes[right] = b, a
                    swapped = True
            if not swapped:
                break
        _number(nodes, place)


def _surplus(left: list[int], right: list[int]) -> int:
    """Return how many crossings a swap of two adjacent nodes saves, given the positions of their neighbours."""
    return sum([bisect_left(right, x) + bisect_right(right, x) for x in left]) - len(left) * len(right)


def crossings(graph: LayeredGraph, layers: Sequence[Sequence[int]]) -> int:
    """Count the crossings of edges for given orders of the layers."""
    count = 0
    for upper, lower in pairwise(layers):
        place = {node: index for index, node in enumerate(lower)}
        passed: list[int] = []
        for node in upper:
            ends = sorted([place[other] for other in graph.below[node]])
            count += sum([len(passed) - bisect_right(passed, end) for end in ends])
            for end in ends:
                insort(passed, end)
    return count
