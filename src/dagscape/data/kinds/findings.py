"""What is found about columns of a table, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about columns of a table that users should know, with the remedy.

    Attributes
    ----------
    about : {"relation", "counts", "zeros"}
        Columns that copy or determine each other, a column that counts rows, or one whose zeros may be missing cells.
    sentence : str
        What was found.
    columns : tuple of str
        The columns.
    """

    about: Literal["relation", "counts", "zeros"]
    sentence: str
    columns: tuple[str, ...]
