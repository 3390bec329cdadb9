"""Files of local scores."""
