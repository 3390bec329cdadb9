"""Tables of discrete data: reading, frames, levels, missing cells, interventions, discretising.

A file, frame or array becomes a :class:`~dagscape.data.tables.table.Table` of strings, which is
encoded as an immutable :class:`~dagscape.data.discrete.dataset.Dataset`. Modules import only from those before them:
value_types, rows, tic_tac_toe < table < codes, frames, levels, intervals < interventions < encoding < summary <
dataset < bundled, values < reading, cut_rules < cutting < discretizing.
"""
