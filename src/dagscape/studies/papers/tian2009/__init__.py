"""Tian and He (2009): posterior probabilities of structural features, by sums over DAGs."""
