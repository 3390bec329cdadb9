"""Run the program inside a test."""

from __future__ import annotations

from dagscape.cli.program.app import main


def run(capfd, *arguments):
    """Return the exit code, standard output and standard error of the program."""
    code = main([str(argument) for argument in arguments])
    out, err = capfd.readouterr()
    return code, out, err


def table_rows(out, header):
    """The cells of the rows below a header, up to the next empty line."""
    lines = out.splitlines()
    start = next(i for i, line in enumerate(lines) if line.split() == header)
    end = next(i for i in range(start, len(lines)) if not lines[i].strip())
    return [line.split() for line in lines[start + 1 : end]]
