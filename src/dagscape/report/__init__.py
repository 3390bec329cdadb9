"""Results for people and for programs: tables on a terminal, and JSON read back."""
