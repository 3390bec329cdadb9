"""Results: plain data with provenance, written to files and read back strictly."""
