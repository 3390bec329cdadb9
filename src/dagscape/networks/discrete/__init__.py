"""Networks of discrete variables: fitting, likelihood, sampling and queries."""
