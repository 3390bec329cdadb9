"""Facts about local scores that methods act on, carried from the scores into every result computed from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Annotated, Any, Self

from dagscape.results.data_source import DataSource
from dagscape.results.decoding import Between, Count, Finite, decode, decode_record

NamedEdge = tuple[str, str]

# Doubles represent these numbers exactly.
RowCount = Annotated[int, Between(0, 2**53)]
LevelCount = Annotated[int, Between(1, 2**53)]


def with_parameters(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a record of an earlier version, which had ``ess`` as its only parameter, with its parameters."""
    if "parameters" in document:
        return document
    ess = decode(Finite | None, document.get("ess"), "ess")
    return {**document, "parameters": {} if ess is None else {"ess": ess}}


def words_of(parameters: Mapping[str, str | float]) -> str:
    """Return parameters of a score with their values, in a few words.

    >>> words_of({"ess": 10.0})
    'ess 10'
    """
    values = {name: value if isinstance(value, str) else f"{value:g}" for name, value in parameters.items()}
    return ", ".join(f"{name} {value}" for name, value in values.items())


@dataclass(frozen=True, slots=True)
class ScoreInfo:
    """What local scores were computed from.

    Attributes
    ----------
    score : str or None
        The name of the score, such as ``"bdeu"``; None if the scores come from elsewhere.
    parameters : mapping of str to float or str
        The values of the score's parameters, such as ``{"ess": 1.0}``.
    max_parents : int or None
        The largest number of parents of a variable.
    structure_prior : str
        The structure prior: its name, or a description with a digest.
    required, forbidden : tuple of (parent, child)
        Edges that every network must have, or must not have; tiers count as forbidden edges.
    data : str or None
        The digest of the data (:attr:`dagscape.Dataset.fingerprint`); None if unknown.
    rows, dropped_rows, experimental_rows : int or None
        The number of rows, of rows dropped because of missing cells, and of rows with an intervention.
    interventions : str
        What the rows in which a variable was set say about its families: nothing (``"perfect"``), or as much as a
        second sample with parameters of its own (``"mechanism"``).
    targets : tuple of tuples of str
        The sets of variables that were set together in some rows, each once; the empty set if there are rows without
        experiments. Empty if there are no experiments, or if they are unknown.
    randomised : tuple of str
        The variables that were set in every row: no network has an edge into them.
    rule : str
        Which edges the score itself rules out, as a clause. They are among the forbidden ones.
    caution : str
        What else follows from the score for all networks, as a clause: how it approximates, and what that means.
    ruled_out : int
        The number of edges that are forbidden by nothing but this rule.
    score_choice : str
        Why the score was chosen, as a clause, if it was ``"auto"``; empty if it was given.
    score_equivalent : bool
        Whether Markov-equivalent networks have identical scores.
    equivalent_prior : bool
        Whether the structure prior gives Markov-equivalent networks the same probability, as all named priors do.
    level_counts : tuple of int or None
        The number of levels of each variable; None if unknown, or if the data are not discrete.
    warnings : tuple of str
        The warnings about the data, which are among those of every result computed from the scores.
    choice : str
        How the parameters and the structure prior were chosen if they were not given, such as ``"the highest evidence
        of 16 settings"``; empty if they were given, or are defaults.
    source : DataSource or None
        The file that the data come from, and where columns of numbers were cut; None if nothing is known of them.
    weighted_by : str or None
        The column of the source that said how many times each row counts.

    Examples
    --------
    >>> import dagscape as ds
    >>> info = ds.local_scores(ds.load_dataset("tic-tac-toe")).info
    >>> info.score, dict(info.parameters), info.score_equivalent
    ('bdeu', {'ess': 1.0}, True)
    """

    score: str | None = None
    parameters: Mapping[str, str | Finite] = field(default_factory=dict, hash=False)
    max_parents: Count | None = None
    structure_prior: str = "uniform"
    required: tuple[NamedEdge, ...] = ()
    forbidden: tuple[NamedEdge, ...] = ()
    data: str | None = None
    rows: RowCount | None = None
    dropped_rows: RowCount | None = None
    experimental_rows: RowCount | None = None
    interventions: str = "perfect"
    # It follows from the other fields, and files of version 0.1.0 lack it.
    score_equivalent: bool = field(default=False, compare=False)
    # It follows from the prior; earlier files, which lack it, have named priors.
    equivalent_prior: bool = field(default=True, compare=False)
    # It follows from the data, and earlier files lack it.
    level_counts: tuple[LevelCount, ...] | None = field(default=None, compare=False)
    # So do these.
    targets: tuple[tuple[str, ...], ...] = field(default=(), compare=False)
    randomised: tuple[str, ...] = field(default=(), compare=False)
    rule: str = field(default="", compare=False)
    caution: str = field(default="", compare=False)
    ruled_out: Count = field(default=0, compare=False)
    score_choice: str = field(default="", compare=False)
    warnings: tuple[str, ...] = field(default=(), compare=False)
    choice: str = field(default="", compare=False)
    # The same data may come from several files.
    source: DataSource | None = field(default=None, compare=False)
    weighted_by: str | None = field(default=None, compare=False)

    @property
    def ess(self) -> float | None:
        """The equivalent sample size; None if the score has none."""
        value = self.parameters.get("ess")
        return value if isinstance(value, float) else None

    @property
    def settings_line(self) -> str:
        """The settings that were chosen, and how; empty if all were given, or are defaults.

        >>> ScoreInfo("bdeu", {"ess": 8.0}, choice="the highest evidence of 16 settings").settings_line
        'ess 8, uniform (the highest evidence of 16 settings)'
        """
        if not self.choice:
            return ""
        values = [words_of(self.parameters), self.structure_prior]
        return f"{', '.join(filter(None, values))} ({self.choice})"

    @property
    def remarks(self) -> tuple[str, ...]:
        """What follows from the data, the score and how numbers were cut for all networks, in sentences."""
        choice = (f"Score {self.score!r}, because {self.score_choice}",) if self.score_choice else ()
        rule = tuple(f"With the score {self.score!r}, {said}" for said in (self.rule, self.caution) if said)
        randomised = (
            f"{name!r} was set in every row, so that no network has an edge into it" for name in self.randomised
        )
        cuts = () if self.source is None or not self.source.remark else (self.source.remark,)
        return (*choice, *rule, *randomised, *cuts)

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Self:
        """Rebuild it from :meth:`to_dict`; missing fields get their defaults, unknown ones are ignored."""
        return decode_record(cls, document, "score_info")

    @classmethod
    def upgraded(cls, document: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a document with parameters; those of earlier versions have ``ess`` only."""
        return with_parameters(document)

    def to_dict(self) -> dict[str, Any]:
        """Return the facts as JSON values, with lists in place of tuples."""
        lists = {option: [list(edge) for edge in getattr(self, option)] for option in ("required", "forbidden")}
        lists["targets"] = [list(target) for target in self.targets]
        counts = None if self.level_counts is None else list(self.level_counts)
        # `ess` is for readers of earlier versions.
        source = None if self.source is None else self.source.to_dict()
        names = {"randomised": list(self.randomised), "warnings": list(self.warnings), "source": source}
        about = {"level_counts": counts, "ess": self.ess}
        return asdict(replace(self, source=None)) | lists | names | about
