"""The options ``--effects`` and ``--effects-file``: how strongly joined variables go together."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import click

from dagscape.cli.program.output import checked_path
from dagscape.core.errors import InvalidOption
from dagscape.core.references import loaded
from dagscape.data.any_data import kind_in_words
from dagscape.data.discrete.common_cuts import ComparedCuts
from dagscape.data.discrete.dataset import Dataset
from dagscape.report.blocks import Block
from dagscape.results.base import result_format

if TYPE_CHECKING:
    from dagscape.studies.edge_effects_result import EdgeEffects

Command = TypeVar("Command", bound=Callable[..., Any])

# Where the choice is kept, so that commands need not pass it on.
_EFFECTS_KEY = "dagscape.effects"


def _keep(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    context.meta.setdefault(_EFFECTS_KEY, {})[parameter.name] = value


def _keep_path(context: click.Context, parameter: click.Parameter, path: str | None) -> None:
    _keep(context, parameter, checked_path(result_format)(context, parameter, path))


def effects_options(command: Command) -> Command:
    """Add the options."""
    wanted = click.option(
        "--effects",
        is_flag=True,
        expose_value=False,
        callback=_keep,
        help="Also show how strongly joined variables go together, and in which direction: risk difference and odds "
        "ratio, Cramér's V, and a sign. Drawings have them, too. These are associations, not causal effects.",
    )
    saved = click.option(
        "--effects-file",
        metavar="FILE",
        expose_value=False,
        callback=_keep_path,
        help="Also write them to a .json, .npz, .csv or .tsv file.",
    )
    return wanted(saved(command))


def wants_effects() -> bool:
    """Whether the running subcommand is asked for effects."""
    chosen = _chosen()
    return bool(chosen.get("effects") or chosen.get("effects_file"))


def check_effects(data: object) -> None:
    """Raise an error if effects are asked for, but there are no discrete data."""
    if wants_effects() and isinstance(data, ComparedCuts):
        raise InvalidOption("--effects needs one way of cutting numbers: give --discretize once")
    if wants_effects() and not isinstance(data, Dataset):
        raise InvalidOption(
            f"--effects needs a table of discrete data: there are no counts of levels in a {kind_in_words(data)}"
        )


def effects_of(result: Any, data: object, **options: Any) -> Callable[[], EdgeEffects | None]:
    """Return a function that measures the edges of a result, and saves the measures, if that is asked for.

    It does so once, when it is called: after the result is saved.
    """

    @cache
    def measured() -> EdgeEffects | None:
        if not wants_effects():
            return None
        check_effects(data)
        found: EdgeEffects = loaded("studies.edge_effects:edge_effects")(result, data, **options)
        path = _chosen().get("effects_file")
        if path is not None:
            found.save(path)
        return found

    return measured


def effects_blocks(measured: Callable[[], EdgeEffects | None]) -> list[Block]:
    """Return the table of effects, if there are any to show."""
    found = measured()
    blocks: list[Block] = [] if found is None else loaded("report.edge_effects:render_edge_effects")(found)
    return blocks


def _chosen() -> dict[str, Any]:
    chosen: dict[str, Any] = click.get_current_context().meta.get(_EFFECTS_KEY, {})
    return chosen
