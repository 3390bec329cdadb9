"""The names of the files that tables come from."""

from __future__ import annotations

import ast
import os

# Spreadsheets by their endings, with the package that pandas needs for each: its name, and that of its module.
SPREADSHEET_PACKAGES = {
    ".xlsx": ("openpyxl", "openpyxl"),
    ".xlsm": ("openpyxl", "openpyxl"),
    ".xls": ("xlrd", "xlrd"),
    ".ods": ("odfpy", "odf"),
}
SPREADSHEETS = tuple(SPREADSHEET_PACKAGES)


def file_name(source: str) -> str:
    """Return the name of a file, without its folder, given what a table calls its source; empty if that is no file.

    Parameters
    ----------
    source : str
        :attr:`dagscape.data.tables.table.Table.source`: the path of a file in quotes, or other words.

    Examples
    --------
    >>> file_name("'surveys/poll.csv'"), file_name("'builtin:iris'"), file_name("'-'"), file_name("the data frame")
    ('poll.csv', 'builtin:iris', 'standard input', '')
    """
    if source[:1] not in ("'", '"'):
        return ""
    path = ast.literal_eval(source)
    return "standard input" if path == "-" else os.path.basename(path)
