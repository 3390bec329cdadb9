"""How stable prerequisites are, by the bootstrap: student models learned again and again, from resampled students.

The posterior of a student model takes the fitted probabilities of answers as given. Learning everything again from
resampled students, the items' probabilities included, shows the whole uncertainty. Skills are the same in all samples,
because the Q-matrix says which items need them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dagscape.core.caveats import Caveats
from dagscape.core.progress import ProgressOption
from dagscape.core.randomness import Seed, recorded_seed
from dagscape.core.resources import memory_limit
from dagscape.results.base import provenance_of
from dagscape.results.score_info import ScoreInfo
from dagscape.student.input.answers import MISSING, Answers
from dagscape.student.input.long_answers import LongFormat
from dagscape.student.input.q_matrix import QMatrix, matched
from dagscape.student.learning.command import command, unidentified_skills
from dagscape.student.learning.requirements import MODEL_OPTIONS
from dagscape.studies.bootstrap_plan import DEFAULT_RESTARTS, skill_bootstrap_requirements
from dagscape.studies.bootstrap_result import Bootstrap
from dagscape.studies.samples import DEFAULT_SAMPLES, Sample, SampleStudy, shares_of_samples

if TYPE_CHECKING:
    from concurrent.futures import Executor


@dataclass(frozen=True, slots=True)
class StudentResampling:
    """What all samples have in common: the answers, the Q-matrix, and the options of :func:`dagscape.command`."""

    answers: Answers
    q_matrix: QMatrix
    options: Mapping[str, Any]


def bootstrap_skills(
    responses: Any,
    q_matrix: Any,
    samples: int = DEFAULT_SAMPLES,
    *,
    long: LongFormat | None = None,
    seed: Seed = 0,
    executor: Executor | None = None,
    workers: int | None = None,
    max_seconds: float | None = None,
    progress: ProgressOption = None,
    **options: Any,
) -> Bootstrap:
    """Learn student models from resampled students: the share of samples with each prerequisite and each chain.

    Parameters
    ----------
    responses, q_matrix
        As for :func:`dagscape.command`.
    samples : int
        The number of samples.
    long
        As for :func:`dagscape.command`.
    seed, executor, workers, max_seconds, progress
        As for :func:`dagscape.bootstrap`.
    **options
        Those of :func:`dagscape.command`; ``restarts`` is 3 unless given.

    Returns
    -------
    Bootstrap
        The prerequisites of each sample as directed by the ratio rule, and the shares of samples as arrays.

    See Also
    --------
    StudentModel.posterior : exact probabilities given the fitted item model.

    Examples
    --------
    >>> import dagscape as ds
    >>> simulated = ds.simulate_students("a", 500, seed=1)
    >>> boot = ds.bootstrap_skills(simulated.answers, simulated.q_matrix, samples=10, restarts=1)
    >>> boot.adjacency("S1", "S2"), boot.edge("S1", "S2")
    (1.0, 1.0)
    """
    study = SampleStudy(samples, max_seconds, executor, workers, options)
    given = matched(responses, q_matrix, long=long)
    answers, needs = given
    caveats = Caveats()
    caveats.issue(unidentified_skills(needs))
    job = StudentResampling(answers, needs, {"restarts": DEFAULT_RESTARTS, **options})
    limit = memory_limit(options.get("max_memory"))
    chosen = {name: job.options[name] for name in MODEL_OPTIONS if name in job.options}
    skill_bootstrap_requirements(given, 1, limit, samples=samples, **chosen).check(limit)
    outcomes, unfinished = study.run(learn_resampled, job, seed, progress, doing="Learning from samples of students")
    caveats.issue(unfinished)
    networks, edges, ancestors = shares_of_samples([sample for sample, _ in outcomes], classes=False)
    used = recorded_seed(seed)
    parameters = {"samples": study.samples, "max_seconds": max_seconds, **job.options}
    return Bootstrap(
        variables=needs.skills,
        score_info=outcomes[0][1],
        provenance=provenance_of("bootstrap_skills", parameters, {"study": study.clock.seconds}, 1, used),
        warnings=caveats.kept,
        method="command",
        samples=study.samples,
        networks=networks,
        scores=np.array([sample.score for sample, _ in outcomes]),
        edges=edges,
        ancestors=ancestors,
        chooses_members=True,
    )


def learn_resampled(
    job: StudentResampling,
    rng: np.random.Generator,
    seconds: float,  # noqa: ARG001 (a sample is learned to its end)
) -> tuple[Sample, ScoreInfo]:
    """Learn the prerequisites from one sample of the students, with one thread."""
    students = len(job.answers.students)
    drawn = job.answers.take(rng.integers(students, size=students))
    # Nobody in a sample may have answered a rare item, which then says nothing of it.
    kept = (drawn.table != MISSING).any(axis=0)
    items = tuple(np.array(drawn.items, dtype=object)[kept])
    answers = Answers(drawn.students, items, drawn.table[:, kept])
    q_matrix = QMatrix(items, job.q_matrix.skills, job.q_matrix.table[kept])
    model = command(answers, q_matrix, **{**job.options, "seed": rng, "threads": 1})
    return Sample(model.network, model.score, complete=True), model.score_info or ScoreInfo()
