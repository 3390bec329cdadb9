"""Tables of results on a terminal, plans, and results read back from JSON."""
