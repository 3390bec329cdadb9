"""Tables of data: reading, frames, levels, missing cells, interventions, discretising.

A file, frame or array becomes a :class:`~dagscape.data.tables.table.Table` of columns of text and of numbers. From it
comes an immutable :class:`~dagscape.data.discrete.dataset.Dataset` of levels, or a
:class:`~dagscape.data.continuous.numeric.NumericData` of numbers. ``tables`` imports nothing from the other two, and
``discrete`` nothing from ``continuous``, except that discretising reads files, which may hold either.
"""
