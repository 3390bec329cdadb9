"""Files: read and written so that a failure loses nothing and is reported in one sentence."""
