"""Plans: the steps of a job, whether it fits, and what to do if not."""

from __future__ import annotations

from dagscape.core.resources import format_bytes
from dagscape.planning.plan import Plan
from dagscape.report.blocks import Block, Number, Paragraph, Problem, table


def render_plan(planned: Plan) -> list[Block]:
    """Render the memory and time of each step, and the verdict."""
    rows = [
        (
            step.name,
            step.work,
            Number(step.memory, format_bytes(step.memory)),
            Number(step.seconds, step.time),
        )
        for step in planned.shown_steps
    ]
    verdict = planned.verdict if planned.fits else (Problem(planned.verdict),)
    return [table(["step", "work", "memory", "time"], rows, numeric=[2, 3]), Paragraph(verdict, planned.sentences)]
