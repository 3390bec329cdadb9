"""Data of which some variables are numbers and others have levels."""
