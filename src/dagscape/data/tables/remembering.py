"""What functions of immutable data returned, so that they are called once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

_T = TypeVar("_T")


class Remembering:
    """Data that remember what functions of them returned, in a field ``_known`` of their own."""

    __slots__ = ()

    _known: dict[str, Any]

    def once(self, name: str, compute: Callable[[], _T]) -> _T:
        """Return what a function of these data returns. It is called only the first time that its name is given.

        Examples
        --------
        >>> import dagscape as ds
        >>> data = ds.Dataset.from_array([["no", "dry"], ["yes", "wet"]])
        >>> data.once("first row", lambda: data.codes[0].tolist())
        [0, 0]
        """
        if name not in self._known:
            self._known[name] = compute()
        return cast(_T, self._known[name])
