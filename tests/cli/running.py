"""Run the program inside a test."""

from __future__ import annotations

from dagscape.cli.program.app import main


def run(capfd, *arguments):
    """Return the exit code, standard output and standard error of the program."""
    code = main([str(argument) for argument in arguments])
    out, err = capfd.readouterr()
    return code, out, err
