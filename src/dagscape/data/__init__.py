"""Tables of data: reading, frames, levels, missing cells, interventions, discretising.

A file, frame or array becomes a :class:`~dagscape.data.tables.table.Table` of columns of text and of numbers. From it
comes an immutable :class:`~dagscape.data.discrete.dataset.Dataset` of levels, a
:class:`~dagscape.data.continuous.numeric.NumericData` of numbers, or a :class:`~dagscape.data.mixed.mixed.MixedData` of
both. ``tables`` imports nothing from the others, ``discrete`` nothing from ``continuous`` and ``mixed``, except that
discretising reads files, which may hold either, and ``continuous`` nothing from ``mixed``.
"""
