"""Data whose variables are numbers."""
