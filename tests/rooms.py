"""The rooms of the package, and which of them may import which."""

from __future__ import annotations

from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src" / "dagscape"

# Rooms may import only from rooms above them in this list; those on one line may not import from each other.
FLOORS = [
    {"_native", "_native_v3"},
    {"core"},
    {"running", "results"},
    {"data"},
    {"drawing"},
    {"graphs"},
    {"networks"},
    {"scores"},
    {"ensembles"},
    {"posterior"},
    {"best", "modes"},
    {"search"},
    {"sampling"},
    {"effects", "student"},
    {"studies"},
    {"planning"},
    {"report"},
    {"cli", "sklearn"},
]
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
