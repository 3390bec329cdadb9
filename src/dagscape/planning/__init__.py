"""Plans: what a job needs before it starts, and the records of methods that say so."""
