"""What is missing: where, together with what, and whether it depends on what was observed."""
