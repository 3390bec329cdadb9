"""Student models: skills, prerequisites, random starts, students, and how well models predict answers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from dagscape.core.wording import plural
from dagscape.posterior.result import Posterior
from dagscape.report.blocks import (
    Block,
    Heading,
    Name,
    Note,
    Number,
    Paragraph,
    Row,
    Table,
    Text,
    joined,
    names,
    number,
    table,
)
from dagscape.report.probabilities import probability
from dagscape.student.learning.parm import Parm
from dagscape.student.model.evaluation import Evaluation
from dagscape.student.model.model import StudentModel
from dagscape.student.model.network import Simulated

if TYPE_CHECKING:
    import pandas as pd

# Students that are shown by default.
STUDENTS_SHOWN = 10

# Scores of restarts that differ by less are those of the same model, up to the tolerance of EM.
_SAME_SCORE = 0.1

# Pairs of skills that are less probable are not shown.
_LIKELY = 0.05

_CONDITIONAL = (
    "The probabilities of edges are conditional on the fitted item model: they do not include that the skills of the "
    "students are estimated, nor the direction that the ratio decided: look at adjacent rather than edge. In Python, "
    "bootstrap_skills() includes both."
)

_MODELS = {
    "command": "the prerequisites that were learned",
    "majority": "the share of correct answers to the item",
    "disconnected": "no prerequisites",
    "chain": "each skill is the prerequisite of the next",
    "parm": "prerequisites from association rules",
    "full": "all skills joined",
}


def render_student_model(model: StudentModel, post: Posterior | None = None) -> list[Block]:
    """Render a student model: its skills, prerequisites and random starts, with probabilities of edges if given."""
    size = f"{plural(len(model.variables), 'skill')}, {plural(len(model.items), 'item')}"
    score = "score" if model.score_info is None or model.score_info.score is None else model.score_info.score.upper()
    heading = (
        f"A student model of {size}, learned from {plural(model.students, 'student')}: "
        f"{plural(model.network.edge_count, 'prerequisite')}"
    )
    fit = (
        f"log-likelihood {model.log_likelihood:,.3f}, {plural(model.parameter_count, 'parameter')}, "
        f"{score} {model.score:,.3f}"
    )
    return [Heading(heading, (fit,)), _skills(model), *_prerequisites(model, post), Paragraph(_starts(model))]


def _skills(model: StudentModel) -> Table:
    columns = ["skill", "mastered", "error", "items", "items_alone", "prerequisites"]
    rows = [
        (
            Name(skill),
            Number(share, f"{share:.4f} {_error(error)}"),
            number(items, "d"),
            number(alone, "d"),
            names(parents),
        )
        for skill, share, error, items, alone, parents in _rows(model.skills_frame()[columns])
    ]
    return table(["skill", "mastered ± SE", "items", "of its own", "prerequisites"], rows, numeric=[1, 2, 3])


def _rows(frame: pd.DataFrame) -> Iterator[tuple[Any, ...]]:
    return frame.itertuples(index=False, name=None)


def _error(error: float) -> str:
    return f"± {error:.4f}" if math.isfinite(error) else "± ?"


def _prerequisites(model: StudentModel, post: Posterior | None) -> list[Block]:
    frame = model.to_frame()
    if frame.empty:
        return [Paragraph("No skill is a prerequisite of another.")]
    rows: list[Row] = []
    for source, target, strength, direction, ratio in _rows(frame):
        cells = (Name(source), Name(target), probability(strength), number(ratio, ".3f"), direction)
        sure = [] if post is None else [post.edge(source, target), post.adjacency(source, target)]
        rows.append((*cells, *map(probability, sure)))
    headers = [
        "prerequisite",
        "of",
        "strength",
        "ratio",
        "directed by",
        *([] if post is None else ["edge", "adjacent"]),
    ]
    conditional = [] if post is None else [Note(_CONDITIONAL)]
    return [table(headers, rows, numeric=[2, 3, 5, 6]), *conditional]


def _starts(model: StudentModel) -> str:
    """Say how many random starts led to the best model, and how far the others are behind."""
    scores = [restart.score for restart in model.restarts]
    best = max(scores)
    same = sum(best - score < _SAME_SCORE for score in scores)
    text = f"{plural(len(scores), 'random start')}: {same} reached the best score"
    if same < len(scores):
        text += f", the others are up to {best - min(scores):,.2f} lower"
    open_ends = sum(not restart.converged for restart in model.restarts)
    text += f"; {open_ends} did not converge" if open_ends else ""
    return text + _refinement(model, best)


def _refinement(model: StudentModel, best: float) -> str:
    """Say what the refinement of the best start gained."""
    if model.refinement is None:
        return ""
    gain = model.score - best
    text = f"; refinement gained {gain:,.2f}" if gain > 0 else "; refinement found nothing better"
    return text + ("" if model.refinement.converged else ", and did not converge")


def render_students(model: StudentModel, mastery: pd.DataFrame, rows: int = STUDENTS_SHOWN) -> list[Block]:
    """Render what a model says of students: the frame of :meth:`StudentModel.mastery`, its first rows."""
    skills = len(model.variables)
    shares = mastery.iloc[:, :skills].mean()
    summary = [
        (Name(skill), probability(share), probability(known))
        for skill, share, known in zip(model.variables, shares, model.mastery_shares, strict=True)
    ]
    hidden = len(mastery) - rows
    omitted = f"… {plural(hidden, 'student')} not shown" if hidden > 0 else ""
    listed: list[Block] = [Note(omitted)] if omitted else []
    if rows:
        listed = [_states(model, mastery.head(rows), omitted)]
    return [
        Heading(f"{plural(len(mastery), 'student')}, {plural(skills, 'skill')}"),
        table(["skill", "mastered", "in the model"], summary, numeric=[1, 2]),
        *listed,
    ]


def _states(model: StudentModel, mastery: pd.DataFrame, omitted: str) -> Table:
    """Return the table of students, with the probability of each skill and the most probable state."""
    rows: list[Row] = []
    for student, *values in mastery.itertuples(name=None):
        *each, state, chance = values
        rows.append((Name(student), *(number(p, ".3f") for p in each), names(state) or "(none)", number(chance, ".3f")))
    skills = len(model.variables)
    headers: list[Text | Name] = ["student", *map(Name, model.variables), "most probable state", "probability"]
    return table(headers, rows, numeric=[*range(1, skills + 1), skills + 2], omitted=omitted)


def render_simulated(found: Simulated, files: Sequence[str]) -> list[Block]:
    """Render simulated students: how many there are, the prerequisites with their strengths, and where they are."""
    answers = found.answers
    size = f"{plural(len(answers.students), 'simulated student')}, {plural(found.dag.n, 'skill')}"
    heading = f"{size}, {plural(len(answers.items), 'item')}, {answers.missing_share:.1%} of the answers missing"
    rows = [
        (Name(source), Name(target), probability(strength))
        for (source, target), strength in found.model.strengths().items()
    ]
    prerequisites = [table(["prerequisite", "of", "strength"], rows, numeric=[2])] if rows else []
    return [Heading(heading), *prerequisites, Paragraph(f"Written: {', '.join(files)}")]


def render_parm(found: Parm) -> list[Block]:
    """Render the pairs of prerequisites that association rules found, and the others that are likely."""
    heading = (
        f"{plural(len(found.pairs), 'pair')} of prerequisites among {plural(len(found.variables), 'skill')}, from "
        f"{plural(found.students, 'student')}"
    )
    limits = (
        f"Both rules must reach support {found.minsup:g} and confidence {found.minconf:g} with a probability of at "
        f"least {found.minprob:g}"
    )
    headers = ("prerequisite", "of", "probability", "mastered rule", "lacking rule", "confidence", "")
    rows = [
        (Name(source), Name(target), *map(probability, numbers), "holds" if (source, target) in found.pairs else "")
        for source, target, *numbers in _rows(found.to_frame())
        if numbers[0] >= _LIKELY
    ]
    around = joined([(Name(name, listed=True),) for name in found.cycle], " → ")
    cycle = [Paragraph(("The pairs form a cycle: ", *around))] if found.cycle else []
    return [Heading(heading, (limits,)), table(headers, rows, numeric=[2, 3, 4, 5]), *cycle]


def render_evaluation(found: Evaluation) -> list[Block]:
    """Render the area under the ROC curve of each model, and its p-value against the first."""
    heading = (
        f"{plural(len(found.areas), 'fold')} of {plural(found.students, 'student')}: "
        f"{plural(found.answers, 'answer')} predicted from the other answers of the student"
    )
    rows = [
        (
            name,
            number(area, ".4f"),
            number(interval, ".4f"),
            "" if math.isnan(p_value) else number(p_value, ".2g"),
            "" if name == "majority" else number(edges, ".1f"),
            _MODELS.get(name, ""),
        )
        for name, area, interval, p_value, edges in _rows(found.to_frame())
    ]
    return [
        Heading(heading),
        table(["model", "AUC", "± 1.96 SE", "p-value", "prerequisites", ""], rows, numeric=[1, 2, 3, 4]),
        Note("The p-values are of paired t-tests, over the folds, against the first model."),
    ]
