"""Networks: a DAG with its conditional probabilities; fitting, likelihood, sampling and BIF files."""
