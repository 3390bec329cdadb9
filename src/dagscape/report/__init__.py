"""What there is to see of each kind of result, as blocks, and their writer for a terminal."""
