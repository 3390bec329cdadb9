"""The prerequisites of the Examination for the Certificate of Proficiency in English.

python docs/figures/ecpe.py FOLDER, where FOLDER has the answers and the Q-matrix of the R package CDM as CSV files.
Writes the refined model, and that of structural EM alone.
"""

from __future__ import annotations

import sys
from pathlib import Path

import dagscape as ds

folder = Path(sys.argv[1])
for refine, title in ((True, "refined"), (False, "structural EM alone")):
    model = ds.command(folder / "ecpe_items.csv.gz", folder / "ecpe_qmatrix.csv", refine=refine)
    name = "ecpe.svg" if refine else "ecpe-complete.svg"
    model.draw(Path(__file__).with_name(name), title=f"ECPE, {title}: BIC {model.score:,.1f}")
