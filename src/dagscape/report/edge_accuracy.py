"""Probabilities of edges against a known structure: how well they rank, and whether they are right."""

from __future__ import annotations

from dagscape.core.wording import plural
from dagscape.ensembles.edge_accuracy_result import EdgeAccuracy
from dagscape.report.blocks import Block, Heading, Note, number, table


def render_edge_accuracy(found: EdgeAccuracy) -> list[Block]:
    """Render the measures, and the bins that have pairs."""
    bins = plural(len(found.bin_counts), "bin")
    measures = [
        ("auc", found.auc, "area under the ROC curve: how often a true pair comes before another"),
        ("average_precision", found.average_precision, "precision, averaged over the true pairs"),
        ("brier", found.brier, "average squared distance of probability and truth"),
        ("log_loss", found.log_loss, "average of -ln P(truth)"),
        (
            "calibration_error",
            found.calibration_error,
            f"average distance of probability and share that is true, in {bins}",
        ),
    ]
    rows = [(name, number(value, ".4f"), meaning) for name, value, meaning in measures if value is not None]
    shown = [
        (f"{low:.3g} to {high:.3g}", number(pairs), number(mean, ".3f"), number(share, ".3f"))
        for low, high, pairs, mean, share in found.calibration_frame().dropna().itertuples(index=False)
    ]
    heading = f"Probabilities of {found.feature}: {found.positives} of {plural(found.pairs, 'pair')} are true"
    left = [Note(f"{plural(found.left_out, 'pair')} left out: the known class leaves their directions open.")]
    return [
        Heading(heading),
        table(["measure", "value", ""], rows, numeric=[1]),
        table(["probability", "pairs", "average", "share true"], shown, numeric=[1, 2, 3]),
        *(left if found.left_out else []),
    ]
