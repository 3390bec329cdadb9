"""Fuzzing: damaged and hostile inputs, made from a seed, must be used or refused in one sentence."""
