"""Results as plain data: the documents that JSON and archives hold.

A document has dictionaries, lists, strings and numbers only. In JSON, arrays are nested lists. An archive keeps arrays
apart, and the document has None in their place.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# The keys and indices that lead to a value in a document.
Place = tuple[str | int, ...]

Keep = Callable[[NDArray[Any], Place], None]


@dataclass(frozen=True, slots=True)
class Packed:
    """A value that an archive holds as an array, and JSON in another form.

    Attributes
    ----------
    array : array
        The form of archives: 64-bit numbers.
    plain : callable
        Returns the form of JSON.
    """

    array: NDArray[Any]
    plain: Callable[[], Any]


def encode(value: Any, keep: Keep | None = None, place: Place = ()) -> Any:
    """Return a value as a part of a document.

    Parameters
    ----------
    value : object
        Plain data, arrays, dataclasses, and sequences and mappings of these.
    keep : callable, optional
        Called with each array that is kept apart, and its place in the document. Arrays in mappings are not, because
        there is no type by which they could be decoded.
    place : tuple
        The place of the value.

    Examples
    --------
    >>> encode({"edges": np.array([0.5, np.inf]), "names": ("a", "b")})
    {'edges': [0.5, 'inf'], 'names': ['a', 'b']}
    """
    if isinstance(value, Packed):
        return _encode_array(value.array, value.plain, keep, place)
    if isinstance(value, np.ndarray):
        return _encode_array(value, lambda: encode(value.tolist()), keep if value.dtype == np.float64 else None, place)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = (entry.name for entry in dataclasses.fields(value))
        return {name: encode(getattr(value, name), keep, (*place, name)) for name in names}
    if isinstance(value, np.generic):
        return encode(value.item())
    if isinstance(value, Mapping):
        return {str(key): encode(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [encode(item, keep, (*place, number)) for number, item in enumerate(value)]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def _encode_array(array: NDArray[Any], plain: Callable[[], Any], keep: Keep | None, place: Place) -> Any:
    if keep is None:
        return plain()
    keep(array, place)
    return None
