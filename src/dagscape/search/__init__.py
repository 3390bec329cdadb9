"""Learners: methods that find one good network, one file each."""
