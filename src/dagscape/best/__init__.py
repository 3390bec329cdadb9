"""The best networks and equivalence classes, and averages over them."""
