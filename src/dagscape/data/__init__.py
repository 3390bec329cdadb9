"""Tables of discrete data: reading, frames, levels, missing cells, interventions, discretising.

A file, frame or array becomes a :class:`~dagscape.data.table.Table` of strings, which is
encoded as an immutable :class:`~dagscape.data.dataset.Dataset`. Modules import only from those before them:
table, rows, tic_tac_toe < frames, levels, interventions, intervals < dataset < bundled < reading < discretizing,
summary.
"""
