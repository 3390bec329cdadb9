"""Definitions of scores, one file each, and the functions of sets that they are made of."""
