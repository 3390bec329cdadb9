"""What becomes of each column when numbers are cut automatically: intervals, levels, or set aside.

Measured columns are cut; ordered and nominal ones have levels, unless these are so many that most of them occur only a
few times. Identifiers, dates and free text are set aside, because a value that occurs once determines all others of
its row. Whoever knows better overrules: ``nominal`` columns have levels and ``numeric`` ones are cut, whatever they
hold, and ``ignore`` sets columns aside.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from dagscape.core.errors import InvalidData, InvalidOption, argument, did_you_mean
from dagscape.data.kinds.guessing import MANY_LABELS, RARE, Guess, guess_from_profile
from dagscape.data.kinds.profile import ColumnProfile, profile_of
from dagscape.data.tables.columns import MISSING, Column, TextColumn
from dagscape.data.tables.table import Table, listing

Use = Literal["intervals", "levels", "set aside"]

# What is said of columns that the user does not want.
IGNORED = "is to be ignored"

# How the reasons begin for which columns are set aside by what they seem to hold.
_SEEMS, _RARE, _UNREADABLE = "looks like ", "has levels that are too rare: ", "is no column of numbers: it "

_ARTICLES = {"identifier": "an identifier", "date": "a date", "free text": "free text", "measured": "measured"}


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of a column.

    Attributes
    ----------
    guess : Guess
        What it seems to hold.
    use : str
        ``"intervals"``, ``"levels"`` or ``"set aside"``.
    reason : str
        Why it is set aside, as a sentence without its subject.
    """

    guess: Guess
    use: Use
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Wishes:
    """The columns for which the user has decided.

    Attributes
    ----------
    nominal, numeric, ignore : tuple of str
        Columns that have levels, that are cut, and that are set aside, whatever they hold.
    """

    nominal: tuple[str, ...] = ()
    numeric: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    @classmethod
    def of(cls, nominal: Collection[str] = (), numeric: Collection[str] = (), ignore: Collection[str] = ()) -> Wishes:
        """Return the wishes, or raise an error if they contradict each other.

        Examples
        --------
        >>> Wishes.of(nominal=["age"], ignore=["name"])
        Wishes(nominal=('age',), numeric=(), ignore=('name',))
        """
        given = {"nominal": nominal, "numeric": numeric, "ignore": ignore}
        seen: dict[str, str] = {}
        for option, names in given.items():
            if isinstance(names, str) or not isinstance(names, Collection):
                raise InvalidOption(f"is {names!r}; it must be a collection of names", option=option)
            for name in dict.fromkeys(names):
                if name in seen:
                    raise InvalidOption(f"holds {name!r}, which is also in {argument(seen[name])}", option=option)
                seen[name] = option
        return cls(*(tuple(dict.fromkeys(names)) for names in given.values()))

    def check(self, table: Table) -> None:
        """Raise an error if a table has no column of that name."""
        for name in (*self.nominal, *self.numeric, *self.ignore):
            if name not in table:
                known = did_you_mean(name, table.names) or f": its columns are {listing(table.names)}"
                raise InvalidOption(f"{table.source} has no column {name!r}{known}")


NO_WISHES = Wishes()


@dataclass(frozen=True, slots=True)
class Plan:
    """What becomes of the columns of a table.

    Attributes
    ----------
    decisions : mapping of str to Decision
        By column.
    """

    decisions: Mapping[str, Decision] = field(default_factory=dict)

    @property
    def cut(self) -> tuple[str, ...]:
        """The columns to cut."""
        return tuple(name for name, decision in self.decisions.items() if decision.use == "intervals")

    @property
    def kept(self) -> tuple[str, ...]:
        """The columns with levels."""
        return tuple(name for name, decision in self.decisions.items() if decision.use == "levels")

    @property
    def aside(self) -> dict[str, str]:
        """The columns to set aside, with the reason."""
        return {name: found.reason for name, found in self.decisions.items() if found.use == "set aside"}

    def left(self, table: Table) -> list[str]:
        """Return the columns that become variables; raise an error if there is none."""
        left = [*self.decisions.keys() - self.aside.keys()]
        if not left:
            reasons = "; ".join(f"{name!r} {reason}" for name, reason in [*self.aside.items()][:4])
            raise InvalidData(
                f"{table.source} has no column that could be a variable: {reasons}. Choose some with "
                f"{argument('nominal')}, whose values become levels, or {argument('numeric')}, whose cells are numbers"
            )
        return [name for name in self.decisions if name in left]


def plan_columns(table: Table, wishes: Wishes, declared: Collection[str] = ()) -> Plan:
    """Decide what becomes of each column of a table.

    Parameters
    ----------
    table : Table
        The columns in use.
    wishes : Wishes
        What the user has decided.
    declared : collection of str
        Columns whose levels the user has declared.

    Examples
    --------
    >>> from dagscape.data.tables.frames import table_from_array
    >>> rows = [[f"p{i}", i / 8, "ab"[i % 2]] for i in range(30)]
    >>> plan = plan_columns(table_from_array(rows), Wishes())
    >>> plan.aside
    {'X0': "looks like an identifier: a different value in each of 30 rows, such as 'p0'"}
    >>> plan.cut, plan.kept
    (('X1',), ('X2',))
    """
    wanted = frozenset(wishes.nominal) | frozenset(declared)
    return Plan(
        {
            name: decide(column, nominal=name in wanted, numeric=name in wishes.numeric)
            for name, column in zip(table.names, table.columns, strict=True)
        }
    )


def decide(column: Column, *, nominal: bool = False, numeric: bool = False) -> Decision:
    """Decide what becomes of a column, which the user may want to be nominal or numeric."""
    profile = profile_of(column)
    guess = guess_from_profile(profile)
    if numeric:
        return Decision(guess, "intervals")
    if nominal or column.declared:
        return Decision(guess, "levels")
    reason = _why_aside(guess, profile)
    if reason:
        return Decision(guess, "set aside", reason)
    return Decision(guess, "intervals" if guess.kind == "measured" else "levels")


def _why_aside(guess: Guess, profile: ColumnProfile) -> str:
    if guess.unreadable:
        return f"{_UNREADABLE}{guess.unreadable}"
    if guess.kind in ("identifier", "date", "free text"):
        return f"{_SEEMS}{_ARTICLES[guess.kind]}: {guess.reason}"
    if guess.kind == "nominal" and profile.distinct > MANY_LABELS and profile.rows < RARE * profile.distinct:
        return f"{_RARE}{guess.reason}"
    return ""


def is_guessed(reason: str) -> bool:
    """Whether a column that was set aside for a reason was by what it seems to hold.

    Examples
    --------
    >>> is_guessed("looks like free text: 90 different values"), is_guessed("has the same value, 'a', in every row")
    (True, False)
    """
    return reason.startswith((_SEEMS, _RARE, _UNREADABLE))


def with_levels(table: Table, names: Collection[str]) -> Table:
    """Return a table in which the decimals of some columns are levels, in ascending order.

    Examples
    --------
    >>> from dagscape.data.tables.frames import table_from_array
    >>> with_levels(table_from_array([[10.5], [2.0], [2.0]]), ["X0"]).column("X0").values
    ('2.0', '10.5')
    """
    columns = [
        _sorted_levels(column) if name in names and column.kind == "decimals" and not column.declared else column
        for name, column in zip(table.names, table.columns, strict=True)
    ]
    return table.with_columns(table.names, columns)


def _sorted_levels(column: Column) -> Column:
    text = column.observed()
    order = np.argsort(np.array([float(value) for value in text.values]), kind="stable")
    places = np.full(order.size + 1, MISSING, dtype=np.int32)
    places[order] = np.arange(order.size, dtype=np.int32)
    values = tuple([text.values[place] for place in order.tolist()])
    return TextColumn(values, places[text.codes], declared=True, own=column.type)
