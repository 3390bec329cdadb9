"""Chen and Yuan (2019): learning diverse Bayesian networks (modes)."""
