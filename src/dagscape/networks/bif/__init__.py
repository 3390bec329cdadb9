"""The interchange format BIF."""
