"""What is found about columns of a table, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about columns of a table that users should know, with the remedy.

    Attributes
    ----------
    about : {"relation", "counts"}
        Columns that copy or determine each other, or a column that counts rows.
    sentence : str
        What was found.
    columns : tuple of str
        The columns.
    """

    about: Literal["relation", "counts"]
    sentence: str
    columns: tuple[str, ...]
