"""Bayesian networks: fitting, likelihood, sampling and BIF files."""
