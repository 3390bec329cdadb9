"""Draws docs/figures/ecpe.svg: the prerequisites among three skills of English grammar.

The folder with the answers and the Q-matrix, which are not part of dagscape, is the argument:
``python docs/figures/ecpe.py FOLDER``.
"""

from __future__ import annotations

import sys
from pathlib import Path

import dagscape as ds

folder = Path(sys.argv[1])
model = ds.command(folder / "ecpe_items.csv.gz", folder / "ecpe_qmatrix.csv")
model.draw(Path(__file__).with_suffix(".svg"), title="Examination for the Certificate of Proficiency in English")
print(model)
