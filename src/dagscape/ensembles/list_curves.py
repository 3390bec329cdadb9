"""Curves over the length of lists of networks: how diverse the first networks are, and how close to the truth.

The best networks of a list are often close relatives. Two curves show it, each over the first network, the first two,
and so on: the average structural Hamming distance between two of them (diversity), and the least distance of any of
them to a known structure, as if an oracle chose (oracle accuracy) [chen2019]_. Any list of networks on the same
variables has both: the k best, modes, networks from resampled rows, or networks learned elsewhere.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from dagscape.core.errors import InvalidData, InvalidOption, type_of
from dagscape.core.version import __version__
from dagscape.core.wording import plural, visible
from dagscape.drawing.curves import Line, Panel, draw_panels
from dagscape.drawing.cut_lines import cut_lines
from dagscape.drawing.legend import warnings_of
from dagscape.ensembles.diversity import class_counts, graphs_at, least_distances, mean_distances
from dagscape.graphs.comparison import LEVELS, HasDag, check_level
from dagscape.graphs.dag import Cpdag, Dag
from dagscape.graphs.lists import DagList
from dagscape.graphs.validation import check_variables
from dagscape.results.base import Provenance, Result, check_length, inherited_warnings
from dagscape.results.decoding import Count, NotNegative, OneOf

if TYPE_CHECKING:
    import pandas as pd

_ONLY = "networks"


@dataclass(frozen=True, slots=True)
class ListCurve:
    """The curves of one list.

    Attributes
    ----------
    name : str
        The name of the list.
    diversity : tuple of float
        The average distance between two of the first networks; 0 for one.
    classes : tuple of int
        The number of different equivalence classes among them.
    distance : tuple of int or None
        The least distance of any of them to the known structure; None without one.
    """

    name: str
    diversity: tuple[NotNegative, ...]
    classes: tuple[Count, ...]
    distance: tuple[Count, ...] | None = None


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ListCurves(Result):
    """Diversity and oracle accuracy of lists of networks, by the number of networks.

    Attributes
    ----------
    level : str
        ``"classes"`` or ``"dags"``: what distances are between.
    curves : tuple of ListCurve
        The curves of each list: ``name``, ``diversity``, ``classes`` and ``distance``.
    """

    kind: ClassVar[str] = "list-curves"

    level: Annotated[str, OneOf(LEVELS)]
    curves: tuple[ListCurve, ...]

    def __getitem__(self, name: str) -> ListCurve:
        for curve in self.curves:
            if curve.name == name:
                return curve
        raise InvalidOption(f"there is no list {name!r}: there are {', '.join(repr(each.name) for each in self)}")

    def __iter__(self) -> Iterator[ListCurve]:
        return iter(self.curves)

    def to_frame(self) -> pd.DataFrame:
        """Return one row for each list and length: ``diversity``, ``classes`` and, with a truth, ``distance``."""
        import pandas as pd

        rows = [
            {
                "list": curve.name,
                "length": i + 1,
                "diversity": curve.diversity[i],
                "classes": curve.classes[i],
                **({} if curve.distance is None else {"distance": curve.distance[i]}),
            }
            for curve in self
            for i in range(len(curve.diversity))
        ]
        return pd.DataFrame(rows)

    def plot(self, path: str | os.PathLike[str]) -> None:
        """Draw the curves, a panel for each measure.

        Parameters
        ----------
        path : path
            The file to write; its suffix is the format: ``.svg``, ``.png`` or ``.pdf``.
        """
        titles = {"diversity": "average distance within the list", "classes": "different classes"}
        if self.curves[0].distance is not None:
            titles["distance"] = "least distance to the known structure"
        draw_panels(
            path,
            [
                Panel(title, "networks", [Line(c.name, range(1, len(c.classes) + 1), getattr(c, part)) for c in self])
                for part, title in titles.items()
            ],
            [*cut_lines(self), *warnings_of(self)],
        )

    def _check(self) -> None:
        super(ListCurves, self)._check()
        if not self.curves or len({curve.name for curve in self}) < len(self.curves):
            raise InvalidData("curves must have at least one list, and a name of its own for each")
        if len({curve.distance is None for curve in self}) > 1:
            raise InvalidData("distance must be given for all lists, or for none")
        for curve in self:
            if not curve.diversity:
                raise InvalidData(f"the list {curve.name!r} has no networks")
            for part in ("classes", "distance"):
                check_length(part, getattr(curve, part), "diversity", len(curve.diversity))

    def __repr__(self) -> str:
        shown = "; ".join(f"{each.name}: {plural(len(each.classes), 'network')}" for each in self.curves[:3])
        return visible(f"ListCurves({shown}{'; …' if len(self.curves) > 3 else ''})")


def list_curves(lists: Any, truth: Dag | Cpdag | HasDag | None = None, *, level: str | None = None) -> ListCurves:
    """Return how diverse lists of networks are and, with a known structure, how close they come to it, by length.

    Parameters
    ----------
    lists : list of networks, or mapping of name to list
        A result with ``networks``, such as the k best, modes or a bootstrap, or any iterable of DAGs or networks, all
        on the same variables. A mapping has several.
    truth : Dag, Cpdag or Network, optional
        A known structure, for the oracle accuracy.
    level : {"classes", "dags"}, optional
        What distances are between, as in :func:`dagscape.compare`. Default: ``"classes"``, or that of the first result
        with a level.

    Returns
    -------
    ListCurves

    Examples
    --------
    >>> import dagscape as ds
    >>> asia = ds.load_network("asia")
    >>> scores = ds.local_scores(asia.sample(200, seed=1))
    >>> lists = {"k best": ds.k_best(scores, 5, space="dags"), "modes": ds.modes(scores, 5, delta=2)}
    >>> curves = ds.list_curves(lists, asia)
    >>> [(curve.name, curve.diversity[-1], curve.distance[-1]) for curve in curves]
    [('k best', 0.0, 9), ('modes', 6.3, 4)]
    """
    named = lists if isinstance(lists, Mapping) else {getattr(lists, "label", _ONLY): lists}
    if not named:
        raise InvalidOption("is empty; give at least one list of networks", option="lists")
    level = level or next((each.level for each in named.values() if hasattr(each, "level")), "classes")
    check_level(level)
    dags = {str(name): _networks(each) for name, each in named.items()}
    variables = next(iter(dags.values())).variables
    return ListCurves(
        variables=variables,
        provenance=Provenance(__version__, "list_curves", {"level": level, "truth": truth is not None}),
        warnings=inherited_warnings(*named.values(), truth),
        level=level,
        curves=tuple(_curve(name, _ordered(each, variables), truth, level) for name, each in dags.items()),
    )


def _curve(name: str, dags: DagList, truth: Dag | Cpdag | HasDag | None, level: str) -> ListCurve:
    graphs = graphs_at(dags, level)
    return ListCurve(
        name,
        tuple(mean_distances(graphs).tolist()),
        tuple(class_counts(dags.cpdags()).tolist()),
        None if truth is None else tuple(least_distances(graphs, truth, level).tolist()),
    )


def _networks(given: Any) -> DagList:
    """Return the networks of a result, or of an iterable."""
    listed = getattr(given, "networks", given)
    if isinstance(listed, DagList):
        dags = listed
    elif isinstance(listed, Iterable) and not isinstance(listed, str | Set):
        dags = _as_list([getattr(each, "dag", each) for each in listed])
    else:
        raise InvalidOption(
            f"holds {type_of(given)}, not a list of networks: give a result with networks, or DAGs", option="lists"
        )
    if not len(dags):
        raise InvalidOption("holds a list without networks", option="lists")
    return dags


def _as_list(dags: list[Any]) -> DagList:
    for each in dags:
        if not isinstance(each, Dag):
            raise InvalidOption(f"holds {type_of(each)}, which is not a network: give DAGs", option="lists")
    if not dags:
        raise InvalidOption("holds a list without networks", option="lists")
    return DagList.from_dags([_in_order(dag, dags[0].variables) for dag in dags])


def _in_order(dag: Dag, variables: tuple[str, ...]) -> Dag:
    check_variables(dag.variables, variables, "the first network", option="lists")
    return dag if dag.variables == variables else dag.reordered(variables)


def _ordered(dags: DagList, variables: tuple[str, ...]) -> DagList:
    """Return the list with its variables in the order of those of the first list."""
    if dags.variables == variables:
        return dags
    return DagList.from_dags([_in_order(dag, variables) for dag in dags])
