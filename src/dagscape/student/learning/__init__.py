"""Learning: parameters, skill graphs and prerequisites."""
