"""The runner of experiments: interrupted ones go on where they were."""

from __future__ import annotations

import json

import pytest

import dagscape as ds


@pytest.fixture
def experiments(import_benchmark):
    return import_benchmark("experiments")


TASKS = [{"seed": seed, "method": method} for seed in range(3) for method in ("optimal", "greedy")]


def test_finished_runs_are_kept(experiments, tmp_path):
    path, made = tmp_path / "new" / "runs.jsonl", []

    def work(task):
        if len(made) == 4:
            raise KeyboardInterrupt
        made.append(task)
        return {"square": task["seed"] ** 2}

    with pytest.raises(KeyboardInterrupt):
        experiments.run(path, TASKS, work)
    assert made == TASKS[:4]
    # The run that was being written is torn.
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:3]) + lines[3][:-7])
    assert len(experiments.shown(path, TASKS)) == 3
    made.clear()
    frame = experiments.run(path, TASKS, work)
    assert made == TASKS[3:]
    assert frame.to_dict("records") == [{**task, "square": task["seed"] ** 2} for task in TASKS]
    made.clear()
    assert experiments.run(path, [*TASKS, {"seed": 7, "method": "tan"}], work)["square"].tolist()[-1] == 49
    assert len(made) == 1
    assert all(json.loads(line)["version"] == ds.__version__ for line in path.read_text().splitlines())
