"""Networks with measured variables: each has a linear regression on its measured parents, with a normal error."""
