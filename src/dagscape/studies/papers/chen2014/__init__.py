"""Chen and Tian (2014): the k best equivalence classes for model averaging (kBestEC)."""
