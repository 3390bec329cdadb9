"""The sum over orders on many machines, by MPI."""
