"""Graphs: DAGs, equivalence classes, comparison and random graphs, for any number of variables."""
