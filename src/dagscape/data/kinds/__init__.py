"""What the columns of a table hold: guesses of their kinds, and columns that copy or determine each other."""
