"""dagscape."""
