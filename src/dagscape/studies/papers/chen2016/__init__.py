"""Chen (2016): structure discovery in Bayesian networks, a dissertation; one folder for each chapter."""
