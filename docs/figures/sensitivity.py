"""Draws docs/figures/sensitivity.svg: the edges of the house votes that depend most on the settings."""

from __future__ import annotations

from pathlib import Path

import dagscape as ds

study = ds.sensitivity(ds.load_dataset("votes"))
title = "House votes: the 15 edges that change most, 18 settings"
study.draw(Path(__file__).with_suffix(".svg"), rows=15, title=title)
