"""Tables of student models: skills, prerequisites, random starts, students, and how well models predict answers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Group

from dagscape.core.wording import plural
from dagscape.posterior.result import Posterior
from dagscape.report.layout import Name, listed_names, plain, table_of
from dagscape.student.learning.parm import Parm
from dagscape.student.model.evaluation import Evaluation
from dagscape.student.model.model import StudentModel
from dagscape.student.model.network import Simulated

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import RenderableType

# Students that are shown by default.
STUDENTS_SHOWN = 10

# Scores of restarts that differ by less are those of the same model, up to the tolerance of EM.
_SAME_SCORE = 0.1

# Pairs of skills that are less probable are not shown.
_LIKELY = 0.05

_CONDITIONAL = (
    "The probabilities of edges are conditional on the fitted item model: they do not include that the skills of the\n"
    "students are estimated, nor the direction that the ratio decided: look at adjacent rather than edge. In Python,\n"
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


def render_student_model(model: StudentModel, post: Posterior | None = None) -> RenderableType:
    """Render a student model: its skills, prerequisites and random starts, with probabilities of edges if given."""
    size = f"{plural(len(model.variables), 'skill')}, {plural(len(model.items), 'item')}"
    score = "score" if model.score_info is None or model.score_info.score is None else model.score_info.score.upper()
    heading = (
        f"A student model of {size}, learned from {plural(model.students, 'student')}: "
        f"{plural(model.network.edge_count, 'prerequisite')}\n"
        f"log-likelihood {model.log_likelihood:,.3f}, {plural(model.parameter_count, 'parameter')}, "
        f"{score} {model.score:,.3f}"
    )
    return Group(plain(heading), plain(), _skills(model), *_prerequisites(model, post), plain(), plain(_starts(model)))


def _skills(model: StudentModel) -> RenderableType:
    table = table_of("skill", "mastered ± SE", "items", "of its own", "prerequisites", right=(1, 2, 3))
    columns = ["skill", "mastered", "error", "items", "items_alone", "prerequisites"]
    for skill, share, error, items, alone, parents in _rows(model.skills_frame()[columns]):
        table.add_row(Name(skill), f"{share:.4f} {_error(error)}", str(items), str(alone), listed_names(parents))
    return table


def _rows(frame: pd.DataFrame) -> Iterator[tuple[Any, ...]]:
    return frame.itertuples(index=False, name=None)


def _error(error: float) -> str:
    return f"± {error:.4f}" if math.isfinite(error) else "± ?"


def _prerequisites(model: StudentModel, post: Posterior | None) -> list[RenderableType]:
    frame = model.to_frame()
    if frame.empty:
        return [plain("\nNo skill is a prerequisite of another.")]
    probabilities = [] if post is None else ["edge", "adjacent"]
    headers = ["prerequisite", "of", "strength", "ratio", "directed by", *probabilities]
    table = table_of(*headers, right=(2, 3, 5, 6))
    for source, target, strength, direction, ratio in _rows(frame):
        cells = [f"{strength:.4f}", f"{ratio:.3f}", direction]
        if post is not None:
            cells += [f"{post.edge(source, target):.4f}", f"{post.adjacency(source, target):.4f}"]
        table.add_row(Name(source), Name(target), *cells)
    return [plain(), table, *([plain(), plain(_CONDITIONAL)] if post is not None else [])]


def _starts(model: StudentModel) -> str:
    """Say how many random starts led to the best model, and how far the others are behind."""
    scores = [restart.score for restart in model.restarts]
    best = max(scores)
    same = sum(best - score < _SAME_SCORE for score in scores)
    text = f"{plural(len(scores), 'random start')}: {same} reached the best score"
    if same < len(scores):
        text += f", the others are up to {best - min(scores):,.2f} lower"
    open_ends = sum(not restart.converged for restart in model.restarts)
    return text + (f"; {open_ends} did not converge" if open_ends else "")


def render_students(model: StudentModel, mastery: pd.DataFrame, rows: int = STUDENTS_SHOWN) -> RenderableType:
    """Render what a model says of students: the frame of :meth:`StudentModel.mastery`, its first rows."""
    skills = len(model.variables)
    shares = mastery.iloc[:, :skills].mean()
    summary = table_of("skill", "mastered", "in the model", right=(1, 2))
    for skill, share, known in zip(model.variables, shares, model.mastery_shares, strict=True):
        summary.add_row(Name(skill), f"{share:.4f}", f"{known:.4f}")
    numbers = (*range(1, skills + 1), skills + 2)
    table = table_of("student", *model.variables, "most probable state", "probability", right=numbers)
    for student, *values in mastery.head(rows).itertuples(name=None):
        *each, state, probability = values
        cells = (*(f"{p:.3f}" for p in each), listed_names(state) or "(none)", f"{probability:.3f}")
        table.add_row(Name(student), *cells)
    heading = f"{plural(len(mastery), 'student')}, {plural(skills, 'skill')}"
    parts: list[RenderableType] = [plain(heading), plain(), summary]
    if rows:
        parts += [plain(), table]
    hidden = len(mastery) - rows
    return Group(*parts, *([plain(f"… {plural(hidden, 'student')} not shown")] if hidden > 0 else []))


def render_simulated(found: Simulated, files: Sequence[str]) -> RenderableType:
    """Render simulated students: how many there are, the prerequisites with their strengths, and where they are."""
    answers = found.answers
    size = f"{plural(len(answers.students), 'simulated student')}, {plural(found.dag.n, 'skill')}"
    heading = f"{size}, {plural(len(answers.items), 'item')}, {answers.missing_share:.1%} of the answers missing"
    table = table_of("prerequisite", "of", "strength", right=(2,))
    for (source, target), strength in found.model.strengths().items():
        table.add_row(Name(source), Name(target), f"{strength:.4f}")
    prerequisites: list[RenderableType] = [table, plain()] if found.dag.edge_count else []
    return Group(plain(heading), plain(), *prerequisites, plain(f"Written: {', '.join(files)}"))


def render_parm(found: Parm) -> RenderableType:
    """Render the pairs of prerequisites that association rules found, and the others that are likely."""
    heading = (
        f"{plural(len(found.pairs), 'pair')} of prerequisites among {plural(len(found.variables), 'skill')}, from "
        f"{plural(found.students, 'student')}\nBoth rules must reach support {found.minsup:g} and confidence "
        f"{found.minconf:g} with a probability of at least {found.minprob:g}"
    )
    headers = ("prerequisite", "of", "probability", "mastered rule", "lacking rule", "confidence", "")
    table = table_of(*headers, right=(2, 3, 4, 5))
    for source, target, *numbers in _rows(found.to_frame()):
        if numbers[0] >= _LIKELY:
            holds = "holds" if (source, target) in found.pairs else ""
            table.add_row(Name(source), Name(target), *(f"{number:.4f}" for number in numbers), holds)
    cycle = [plain(f"\nThe pairs form a cycle: {' → '.join(listed_names([name]) for name in found.cycle)}")]
    return Group(plain(heading), plain(), table, *(cycle if found.cycle else []))


def render_evaluation(found: Evaluation) -> RenderableType:
    """Render the area under the ROC curve of each model, and its p-value against the first."""
    heading = (
        f"{plural(len(found.areas), 'fold')} of {plural(found.students, 'student')}: "
        f"{plural(found.answers, 'answer')} predicted from the other answers of the student"
    )
    table = table_of("model", "AUC", "± 1.96 SE", "p-value", "prerequisites", "", right=(1, 2, 3, 4))
    for name, area, interval, p_value, edges in _rows(found.to_frame()):
        numbers = (f"{area:.4f}", f"{interval:.4f}", "" if math.isnan(p_value) else f"{p_value:.2g}")
        table.add_row(name, *numbers, "" if name == "majority" else f"{edges:.1f}", _MODELS.get(name, ""))
    tests = "The p-values are of paired t-tests, over the folds, against the first model."
    return Group(plain(heading), plain(), table, plain(), plain(tests))
