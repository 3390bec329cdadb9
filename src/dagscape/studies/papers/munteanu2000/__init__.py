"""Munteanu and Cau (2000): efficient score-based learning of equivalence classes of Bayesian networks (EQ1)."""
