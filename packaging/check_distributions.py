"""Install each distribution into an environment of its own, away from the source, and try it.

Run as ``python packaging/check_distributions.py dist/*``.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

SMOKE = Path(__file__).with_name("smoke.py")


def check(distribution: Path) -> None:
    """Install one sdist or wheel with what it depends on, and run the smoke test there."""
    if re.search(r"-linux_\w+\.whl$", distribution.name):
        raise SystemExit(f"{distribution.name} runs on this system only, and indexes refuse it: run make wheel")
    (version,) = re.findall(r"^dagscape-([\w.]+?)(?:-|\.tar)", distribution.name)
    with tempfile.TemporaryDirectory() as folder:
        environment = Path(folder, "environment")
        venv.create(environment, with_pip=True)
        python = environment / "bin" / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", distribution.resolve()], cwd=folder, check=True)
        smoke = shutil.copy(SMOKE, folder)
        subprocess.run([python, smoke, version], cwd=folder, check=True)
    print(f"{distribution.name}: installs, and works")


if __name__ == "__main__":
    if not sys.argv[1:]:
        raise SystemExit("name the distributions to check: dist/*")
    for name in sys.argv[1:]:
        check(Path(name))
