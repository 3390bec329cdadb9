"""Modes: networks that are best among their neighbours, and differ from each other."""
