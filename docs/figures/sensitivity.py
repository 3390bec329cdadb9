"""Draws docs/figures/sensitivity.svg: the edges of some house votes that depend most on the settings."""

from __future__ import annotations

from pathlib import Path

import dagscape as ds

table = ds.load_dataset("votes").to_frame().iloc[:60, :10]
study = ds.sensitivity(ds.Dataset.from_frame(table, missing="level"))
title = "60 house votes: the 15 edges that change most, 18 settings"
study.draw(Path(__file__).with_suffix(".svg"), rows=15, title=title)
