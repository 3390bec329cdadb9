"""How strongly joined variables go together: a row for each edge."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from dagscape.core.errors import InvalidData, InvalidOption
from dagscape.core.wording import plural, visible
from dagscape.drawing.text import shown_text
from dagscape.results.base import Result, check_known
from dagscape.results.decoding import Between, Count, OneOf, Share

if TYPE_CHECKING:
    import pandas as pd

Difference = Annotated[float, Between(-1, 1)]
Ratio = Annotated[float, Between(0)]
Sign = Annotated[str, OneOf(("+", "-", "0", ""))]

# The variables whose higher level a legend names, and how much of their names.
_NAMED, _LONGEST = 5, 20

# Where the joint distribution of two variables comes from.
JOINTS = ("network", "data")
Joint = Annotated[str, OneOf(JOINTS)]


@dataclass(frozen=True, slots=True)
class EdgeEffect:
    """The association of the two ends of an edge.

    Attributes
    ----------
    source, target : str
        The ends; if the direction is open, the more probable one.
    probability : float or None
        The probability of an edge in either direction; None if that is not known.
    risk_difference : float or None
        For two levels each: how much more probable the second level of the target is where the source has its second
        level than where it has its first one.
    odds_ratio : float or None
        For two levels each: the odds of the second level of the target where the source has its second level, over
        those where it has its first one; None also if one of the four probabilities is 0.
    cramers_v : float
        Cramér's V, from 0 to 1, not corrected for bias.
    tau_b : float or None
        Kendall's tau-b; None if the levels of an end have no order.
    sign : str
        The sign of ``tau_b``: ``"+"``, ``"-"`` or ``"0"``; empty if there is none.
    source_levels, target_levels : tuple of str
        The levels in the order that the sign is about, lowest first; empty if they have none.
    """

    source: str
    target: str
    probability: Share | None
    risk_difference: Difference | None
    odds_ratio: Ratio | None
    cramers_v: Share
    tau_b: Difference | None
    sign: Sign
    source_levels: tuple[str, ...]
    target_levels: tuple[str, ...]

    @property
    def compared(self) -> str:
        """What is compared: levels, where there are two each, or the ends of an order."""
        return self._compared(f"{self.source} = ", f"{self.target} = ", f"{self.source}: ", f"{self.target}: ")

    @property
    def compared_levels(self) -> str:
        """The same without the names of the variables, for tables that have them beside it."""
        return self._compared("", "", "", "")

    def _compared(self, given: str, of: str, source: str, target: str) -> str:
        if not self.sign:
            return ""
        if self.risk_difference is not None:
            (low, high), level = self.source_levels, self.target_levels[1]
            return f"P({of}{level} | {given}{high}) - P({of}{level} | {given}{low})"
        ends = ((source, self.source_levels), (target, self.target_levels))
        return ", ".join(f"{name}{levels[0]} … {levels[-1]}" for name, levels in ends)

    @property
    def shown(self) -> str:
        """What a drawing shows: Cramér's V with the sign, or, without an order, after its name.

        >>> EdgeEffect("a", "b", None, 0.31, 3.0, 0.312, 0.312, "+", ("0", "1"), ("0", "1")).shown
        '+0.31'
        >>> EdgeEffect("a", "b", None, None, None, 0.312, None, "", (), ()).shown
        'V 0.31'
        """
        size = f"{self.cramers_v:.2f}"
        return f"V {size}" if not self.sign else size if self.sign == "0" else f"{_MARKS[self.sign]}{size}"


_MARKS = {"+": "+", "-": "\N{MINUS SIGN}"}


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class EdgeEffects(Result):
    """The associations of joined variables: sizes and signs. These are no causal effects.

    Attributes
    ----------
    joint : str
        ``"network"``, the joint distribution of two variables under the network, averaged over several, or ``"data"``,
        the shares of rows.
    networks : int
        The number of different networks that were averaged over.
    covered : float
        Their share of all networks of a list or sample, by weight.
    effects : tuple of EdgeEffect
        One for each edge, the strongest first.
    """

    kind: ClassVar[str] = "edge-effects"

    joint: Joint
    networks: Count
    covered: Share
    effects: tuple[EdgeEffect, ...]

    def __len__(self) -> int:
        return len(self.effects)

    def effect(self, u: str, v: str) -> EdgeEffect:
        """Return the association of two joined variables, in the order of the edge.

        Parameters
        ----------
        u, v : str
            The ends, in any order.
        """
        self._number(u), self._number(v)
        for effect in self.effects:
            if {effect.source, effect.target} == {u, v}:
                return effect
        raise InvalidOption(f"there is no edge between {u!r} and {v!r}")

    def shown_effects(self) -> Mapping[frozenset[str], str]:
        """Return what a drawing shows on the edge between two variables."""
        return {frozenset((effect.source, effect.target)): effect.shown for effect in self.effects}

    def meaning_of(self, pairs: Collection[frozenset[str]]) -> str:
        """Return what the numbers on the edges between some pairs of variables are, for the legend of a drawing."""
        drawn = [effect for effect in self.effects if frozenset((effect.source, effect.target)) in pairs]
        signed = [effect for effect in drawn if effect.sign]
        meaning = f"association (Cramér's V) {self._where}, not a causal effect"
        if signed:
            meaning = f"+ \N{MINUS SIGN}: {meaning}; +: higher levels go together{_seconds(signed)}"
        if len(signed) < len(drawn):
            meaning = f"{meaning}; V: levels without an order" if signed else f"V: {meaning}"
        return meaning

    @property
    def _where(self) -> str:
        return (
            "in the rows" if self.joint == "data" else f"under {'the averaged' if self.networks > 1 else 'the'} network"
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row for each edge, the strongest association first.

        The columns are ``source``, ``target``, ``probability``, ``risk_difference``, ``odds_ratio``, ``cramers_v``,
        ``tau_b``, ``sign`` and ``compared``, which says what the difference and the sign are about.
        """
        import pandas as pd

        columns: dict[str, Any] = {
            name: [getattr(effect, name) for effect in self.effects]
            for name in ("source", "target", "probability", "risk_difference", "odds_ratio", "cramers_v", "tau_b")
        }
        numbers = {name: pd.Series(column, dtype="float64") for name, column in list(columns.items())[2:]}
        texts = {name: [getattr(effect, name) for effect in self.effects] for name in ("sign", "compared")}
        return pd.DataFrame(columns | numbers | texts)

    def _check(self) -> None:
        super(EdgeEffects, self)._check()
        for name in ("source", "target"):
            check_known(f"effects.{name}", (getattr(effect, name) for effect in self.effects), self.variables)
        for effect in self.effects:
            _check_levels(effect)

    def __repr__(self) -> str:
        return visible(f"EdgeEffects({plural(len(self), 'edge')}, {self._where})")


def _seconds(effects: Sequence[EdgeEffect]) -> str:
    """Say which of two levels is the higher one, of the first few variables that have two."""
    ends = [end for e in effects for end in ((e.source, e.source_levels), (e.target, e.target_levels))]
    higher = {shown_text(name, _LONGEST): shown_text(levels[1], _LONGEST) for name, levels in ends if len(levels) == 2}
    named = ", ".join(f"{name}: {level}" for name, level in list(higher.items())[:_NAMED])
    return f" ({named}{', …' if len(higher) > _NAMED else ''})" if named else ""


def _check_levels(effect: EdgeEffect) -> None:
    """Refuse an effect of a file whose levels do not fit its numbers."""
    counts = len(effect.source_levels), len(effect.target_levels)
    if effect.sign and min(counts) < 2:
        raise InvalidData("an effect with a sign has no levels in order")
    if effect.risk_difference is not None and (counts != (2, 2) or not effect.sign):
        raise InvalidData("an effect with a risk difference must have two levels at each end, and a sign")
