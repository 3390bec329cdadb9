"""Local scores: how well each set of parents explains a variable."""
