"""Starts programs on several ranks."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from dagscape.posterior.backends import BACKENDS

TESTS = Path(__file__).resolve().parents[1]
PROGRAM = Path(__file__).with_name("mpi_program.py")

# Open MPI refuses more ranks than cores, and to run for root, unless it is told otherwise.
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent)]),
    "PYTHONUNBUFFERED": "1",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}

LAUNCHER = shutil.which(
    "mpiexec", path=os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", os.defpath)])
)


def why_not() -> str:
    """Why programs cannot run on several ranks here."""
    return BACKENDS["orders", "mpi"].missing() or ("" if LAUNCHER else "there is no mpiexec")


def command(ranks, *arguments):
    """The command that starts a Python program on several ranks."""
    return [LAUNCHER, "-n", str(ranks), sys.executable, *map(str, arguments)]


def start(ranks, *arguments, **options):
    return subprocess.Popen(
        command(ranks, *arguments),
        env=ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def run(ranks, *arguments, **options):
    """The exit code, standard output and standard error of a program on several ranks."""
    process = start(ranks, *arguments, **options)
    try:
        out, err = process.communicate(timeout=120)
    finally:
        process.kill()
    return process.returncode, out, err
