"""Bayesian networks: fitting, likelihood, sampling, queries, and BIF and JSON files."""
