"""Plans: the steps of a job, whether it fits, and what to do if not."""

from __future__ import annotations

from dagscape.core.resources import format_bytes
from dagscape.core.wording import format_seconds, plural
from dagscape.planning.plan import Plan
from dagscape.report.blocks import Block, Number, Paragraph, Problem, table


def render_plan(planned: Plan) -> list[Block]:
    """Render the memory and time of each step, and the verdict."""
    rows = [
        (
            step.name,
            step.work,
            Number(step.memory, format_bytes(step.memory)),
            Number(step.seconds, format_seconds(step.seconds)),
        )
        for step in planned.steps
    ]
    return [table(["step", "work", "memory", "time"], rows, numeric=[2, 3]), _verdict(planned)]


def _verdict(planned: Plan) -> Paragraph:
    available = f" of {format_bytes(planned.memory_available)} available now" if planned.memory_available else ""
    limit = f"the limit is {format_bytes(planned.memory_limit)}{available}"
    largest = [f"{plural(n, 'variable')} ({name})" for name, n in planned.largest.items()]
    reach = [f"The largest sums that fit: {', '.join(largest)}."] if largest else []
    if planned.fits:
        quicker = [f"Advice: {planned.advice}."] if planned.advice else []
        return Paragraph(f"It fits: {limit}.", (*reach, *quicker))
    verdict = Problem(f"It does not fit: {planned.refusal or limit}.")
    return Paragraph((verdict,), (*reach, f"Advice: {planned.advice}."))
