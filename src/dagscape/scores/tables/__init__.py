"""Local scores of all sets, of a list of families, or on demand."""
