"""Where the data of a result come from: the file, and where its columns of numbers were cut."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from dagscape.core.wording import visible
from dagscape.results.decoding import Count, Finite

# The method of columns that are cut where the user says.
GIVEN = "given"

# Names of columns in a line, at most.
_NAMES_SHOWN = 8

# That of automatic cuts, where ties, frequent values and few rows decide how many intervals there are.
AUTOMATIC = "auto"

_WORDS = {
    AUTOMATIC: "{} intervals by frequency",
    "quantile": "{} quantiles",
    "width": "{} equal widths",
    "mdl": "class entropy (mdl)",
    "hartemink": "{} intervals by pairwise information (hartemink)",
}


@dataclass(frozen=True, slots=True)
class Cutting:
    """Columns of numbers that were cut in the same way.

    Attributes
    ----------
    method : str
        The method of :class:`dagscape.Discretizer`, or ``"given"``.
    bins : int or None
        The number of intervals: of automatic cuts that there are, of others that was asked for; None if the method
        chooses it, or if cuts were given.
    cuts : mapping of str to tuple of float
        The cuts of each column.
    """

    method: str
    bins: Count | None
    cuts: Mapping[str, tuple[Finite, ...]] = field(hash=False)

    @property
    def words(self) -> str:
        """The method and the number of intervals in words.

        >>> Cutting("quantile", 3, {"age": (30.0, 50.0)}).words
        '3 quantiles'
        >>> Cutting("auto", 3, {"age": (30.0,)}).words
        '2 intervals by frequency'
        >>> Cutting("given", None, {"age": (30.0, 50.0)}).words
        'cut at 30, 50'
        """
        if self.method == GIVEN:
            return f"cut at {', '.join(f'{cut:g}' for cut in next(iter(self.cuts.values()), ()))}"
        words = _WORDS.get(self.method)
        if self.method == AUTOMATIC and words is not None:
            return words.format(" or ".join(map(str, sorted({len(found) + 1 for found in self.cuts.values()}))))
        return visible(self.method) if words is None else words.format("some" if self.bins is None else self.bins)


@dataclass(frozen=True, slots=True)
class DataSource:
    """Where data come from.

    Attributes
    ----------
    name : str
        The name of the file, without its folder; empty if the data do not come from one.
    cuttings : tuple of Cutting
        How columns of numbers were cut.
    several : bool
        Whether these are several ways of cutting the same columns, which were compared or averaged over.
    """

    name: str = ""
    cuttings: tuple[Cutting, ...] = ()
    several: bool = False

    @property
    def remark(self) -> str:
        """What follows from automatic cuts in one way: that there are others; empty if users said how, or averaged.

        >>> DataSource("a.csv", (Cutting("auto", 3, {"age": (30.0, 50.0)}),)).remark[:55]
        'numbers are cut in one way (3 intervals by frequency): '
        """
        automatic = [cutting.words for cutting in self.cuttings if cutting.method == AUTOMATIC and not self.several]
        if not automatic:
            return ""
        return (
            f"numbers are cut in one way ({words_of_ways(automatic)}): a posterior with 'discretize average' averages "
            "over several, and 'sensitivity' compares them"
        )

    def lines(self) -> list[str]:
        """Return what a picture or a table says of the cuts, one line for each way; empty if nothing was cut.

        >>> DataSource("a.csv", (Cutting("quantile", 3, {"age": (30.0, 50.0), "pay, net": (9.5, 20.0)}),)).lines()
        ["3 quantiles: age, 'pay, net'"]
        """
        # Where the user says is not one of several ways.
        compared = [cutting for cutting in self.cuttings if self.several and cutting.method != GIVEN]
        alone = [cutting for cutting in self.cuttings if cutting not in compared]
        found = [f"{cutting.words}: {_named(cutting.cuts)}" for cutting in alone]
        if compared:
            ways = list(dict.fromkeys(cutting.words for cutting in compared))
            columns = dict.fromkeys(name for cutting in compared for name in cutting.cuts)
            found.insert(0, f"cut in {len(ways)} ways ({words_of_ways(ways)}): {_named(columns)}")
        return found

    def line(self) -> str:
        """Return the same in one line, with the name of the file; empty if nothing was cut."""
        said = "; ".join(self.lines())
        return f"{visible(self.name)}; {said}" if said and self.name else said

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON values."""
        cuttings = [{**asdict(entry), "cuts": _lists(entry.cuts)} for entry in self.cuttings]
        return {"name": self.name, "cuttings": cuttings, "several": self.several}


def joined_sources(sources: Iterable[DataSource | None]) -> DataSource | None:
    """Return the source of data that were cut in several ways; None if nothing is known of them."""
    known = [source for source in sources if source is not None]
    if not known:
        return None
    cuttings = tuple(dict.fromkeys(cutting for source in known for cutting in source.cuttings))
    return DataSource(known[0].name, cuttings, several=any(source != known[0] for source in known))


def words_of_ways(ways: Sequence[str]) -> str:
    """List ways of cutting, those of one kind together.

    >>> words_of_ways(["2 quantiles", "3 quantiles", "5 quantiles", "3 equal widths", "class entropy (mdl)"])
    '2, 3 and 5 quantiles, 3 equal widths, class entropy (mdl)'
    """
    kinds: dict[str, list[str]] = {}
    for way in ways:
        count, space, kind = way.partition(" ")
        kinds.setdefault(kind if space and count.isdecimal() else way, []).append(count)
    found = []
    for kind, counts in kinds.items():
        listed = " and ".join(filter(None, [", ".join(counts[:-1]), counts[-1]]))
        found.append(kind if kind in ways else f"{listed} {kind}")
    return ", ".join(found)


def _lists(cuts: Mapping[str, tuple[float, ...]]) -> dict[str, list[float]]:
    return {name: list(found) for name, found in cuts.items()}


def _named(columns: Iterable[str]) -> str:
    """List columns; names with punctuation of such lists are quoted."""
    names = [repr(name) if any(mark in name for mark in ",;:'") else visible(name) for name in columns]
    more = len(names) - _NAMES_SHOWN
    return ", ".join(names[:_NAMES_SHOWN]) + (f" and {more} more" if more > 0 else "")
