"""The data of experiments: read from a folder of the user, or bundled."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dagscape.core.errors import InvalidData, InvalidOption
from dagscape.data.bundled import load_dataset
from dagscape.data.reading import read_data
from dagscape.networks.bundled import load_network
from dagscape.networks.discrete.network import Network
from dagscape.networks.files import read_network
from dagscape.studies.papers.catalogue import SOURCES

if TYPE_CHECKING:
    from dagscape.data.discrete.dataset import Dataset

BUNDLED = "builtin:"


def network_source(name: str) -> str:
    """Return the name of the source of a network: ``"alarm"`` is in ``networks/alarm.bif``."""
    return name if name.startswith(BUNDLED) else f"networks/{name}.bif"


def table_source(name: str) -> str:
    """Return the name of the source of a table: ``"wine"`` is in ``sets/wine.csv``."""
    return name if name.startswith(BUNDLED) else f"sets/{name}.csv"


@dataclass(frozen=True, slots=True)
class Sources:
    """The data at hand: what is bundled, and the files of a folder.

    Parameters
    ----------
    folder : Path or None
        The folder, laid out as in :mod:`~dagscape.studies.papers.catalogue`.
    """

    folder: Path | None = None

    def find(self, name: str) -> Path | None:
        """Return the file of a source, compressed or not; None if there is none."""
        if self.folder is None:
            return None
        paths = (self.folder / name, self.folder / f"{name}.gz")
        return next((path for path in paths if path.is_file()), None)

    def has(self, name: str) -> bool:
        """Whether a source is at hand; those called ``builtin:NAME`` always are."""
        return name.startswith(BUNDLED) or self.find(name) is not None

    def path(self, name: str) -> Path:
        """Return the file of a source."""
        path = self.find(name)
        if path is None:
            where = "no folder of data was given" if self.folder is None else f"it is not in {str(self.folder)!r}"
            raise InvalidOption(
                f"{name!r} is needed, and {where}: see `dagscape reproduce --list` for where it is published, and give "
                "the folder that contains it with --data"
            )
        return path

    def differs(self, name: str) -> bool:
        """Whether the contents of a file are not those that were used for the published results."""
        path = self.find(name)
        return path is not None and name in SOURCES and _digest(path) != SOURCES[name].sha256

    def network(self, name: str) -> Network:
        """Read a network, such as ``"alarm"`` or ``"builtin:cancer"``."""
        if name.startswith(BUNDLED):
            return load_network(name.removeprefix(BUNDLED))
        return _read_network(self.path(network_source(name)))

    def table(self, name: str, **options: Any) -> Dataset:
        """Read a table, such as ``"mushroom"`` or ``"builtin:votes"``, with options of ``read_data``."""
        if name.startswith(BUNDLED):
            bundled: Dataset = read_data(name, **options) if options else load_dataset(name.removeprefix(BUNDLED))
            return bundled
        data: Dataset = read_data(self.path(table_source(name)), **options)
        return data


@lru_cache(maxsize=8)
def _read_network(path: Path) -> Network:
    network = read_network(path)
    if not isinstance(network, Network):
        raise InvalidData(f"{str(path)!r} is a network with measured variables, not a discrete one")
    return network


@lru_cache(maxsize=256)
def _digest(path: Path) -> str:
    try:
        content = path.read_bytes()
        return hashlib.sha256(gzip.decompress(content) if path.suffix == ".gz" else content).hexdigest()
    except (OSError, EOFError) as error:
        raise InvalidData(f"cannot read {str(path)!r}: {error}") from error
