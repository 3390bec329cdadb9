"""Chapter 3 of [chen2016]: the k best equivalence classes."""
