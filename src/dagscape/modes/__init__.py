"""Modes: networks that are the best among their neighbours and differ from each other."""
