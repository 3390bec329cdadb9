"""Samples of networks: exact and independent, or from Markov chains."""
