"""Local scores: how well a set of parents explains a variable, for every family at once."""
