"""The network that a search starts from, and whether it meets the constraints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dagscape.core.errors import InvalidOption, argument, type_of
from dagscape.core.masks import bits
from dagscape.graphs.comparison import HasDag
from dagscape.graphs.dag import Dag
from dagscape.graphs.validation import check_variables
from dagscape.scores.tables.local_scores import LocalScores


def starting_network(scores: LocalScores, start: Dag | HasDag | None) -> Dag:
    """Return the network to start from: the user's, or the required edges alone.

    Parameters
    ----------
    scores : LocalScores
        The scores, with constraints.
    start : Dag or an object with a ``dag``, optional
        The user's choice.
    """
    if start is None:
        return Dag.trusted(scores.variables, tuple(_mask(required) for required in scores.constraints.required))
    dag = network_of_user(start, scores.variables)
    _check_constraints(scores, dag)
    return dag


def network_of_user(start: Dag | HasDag, variables: Sequence[str]) -> Dag:
    """Return the network that a user starts from, with the variables in the order of the data.

    Parameters
    ----------
    start : Dag or an object with a ``dag``
        The user's choice.
    variables : sequence of str
        The variables of the data.
    """
    dag = getattr(start, "dag", start)
    if not isinstance(dag, Dag):
        raise InvalidOption(f"is {type_of(start)}; it must be a Dag or a Network", option="start")
    check_variables(dag.variables, variables, "the data", option="start")
    return dag.reordered(variables)


def most_parents(start: object) -> int:
    """Return the largest number of parents in a user's network, if there is one."""
    dag = getattr(start, "dag", start)
    return max((parents.bit_count() for parents in dag.parent_masks), default=0) if isinstance(dag, Dag) else 0


def _check_constraints(scores: LocalScores, dag: Dag) -> None:
    names = scores.variables
    for child, parents in enumerate(dag.parent_masks):
        if missing := _mask(scores.constraints.required[child]) & ~parents:
            parent = names[next(bits(missing))]
            raise InvalidOption(f"lacks the required edge {parent!r} -> {names[child]!r}", option="start")
        if wrong := _mask(scores.constraints.forbidden[child]) & parents:
            parent = names[next(bits(wrong))]
            raise InvalidOption(f"has the forbidden edge {parent!r} -> {names[child]!r}", option="start")
        if parents.bit_count() > scores.max_parents:
            raise InvalidOption(
                f"has {parents.bit_count()} parents of {names[child]!r}, but {argument('max_parents')} is "
                f"{scores.max_parents}",
                option="start",
            )


def _mask(members: Iterable[int]) -> int:
    return sum(1 << member for member in members)
