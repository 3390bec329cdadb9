"""Error messages spelled for the command line: options and commands in place of arguments and functions."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import partial

from dagscape.core.errors import Mention, SpelledMessage, spelled
from dagscape.planning.registry import TASKS

# Arguments whose option is not their own name with dashes.
_OPTIONS = {
    "data": "DATA",
    "structure_prior": "--prior",
    "required": "--require",
    "rules": "--missing-rules",
    "forbidden": "--forbid",
    "bins": "--discretize",
    "columns": "--discretize-columns",
    "progress": "--quiet",
    "evidence": "--given",
    "target": "the target",
    "file_format": "--format",
    "responses": "ANSWERS",
    "structure": "--simulate",
}

# Functions whose command or option does not have their name.
_COMMANDS = {task.function_name: f"dagscape {task.command}" for task in TASKS.values() if task.command} | {
    "chain": "dagscape posterior --method chain",
    "Dataset.select": "--columns or --drop",
    "discretize": "--discretize",
    "load_result": "dagscape draw",
    "Discretizer.load": "--discretizer",
    "Network.fit": "dagscape fit",
    "read_network": "dagscape query",
    "read_scores": "dagscape posterior",
    "read_data": "dagscape describe",
}

# Values that the command line takes as words.
_WORDS = {"\t": "tab", " ": "space"}


def spelling(mention: Mention, options: Mapping[str, str] = _OPTIONS) -> str:
    """Spell a mention for the command line; arguments that are not among the options have their own names.

    >>> spelling(Mention("argument", "max_parents", "4")), spelling(Mention("function", "modes"))
    ('--max-parents 4', 'dagscape modes')
    >>> spelling(Mention("argument", "drop", "['row id']")), spelling(Mention("argument", "drop", "['id']"))
    ("--drop 'row id'", '--drop id')
    """
    if mention.kind == "function":
        return _COMMANDS.get(mention.name, f"dagscape {mention.name}")
    dashes = "--" if len(mention.name) > 1 else "-"
    option = options.get(mention.name, dashes + mention.name.replace("_", "-"))
    if not mention.value or mention.value == "True":
        return option
    value = ast.literal_eval(mention.value)
    value = _WORDS.get(value, value) if mention.name == "separator" else value
    if isinstance(value, list):
        value = ",".join(value)
        return f"{option} {value if value.isalnum() else repr(value)}"
    # Values that the shell would split or interpret keep their quotes.
    return f"{option} {value if str(value).replace('-', '').isalnum() else mention.value}"


def worded(message: BaseException | str, **options: str) -> str:
    """Return an error, a warning or a plain message as the command line shows it.

    Parameters
    ----------
    message : exception or str
        The message.
    **options : str
        Arguments that have another option here than elsewhere.

    Examples
    --------
    >>> from dagscape.core.errors import InvalidOption, argument
    >>> worded(InvalidOption("is -1.0; it must be positive", option="ess"))
    '--ess is -1.0; it must be positive'
    >>> worded(f"4 missing cells: use {argument('missing', 'level')}")
    '4 missing cells: use --missing level'
    """
    spell = partial(spelling, options=_OPTIONS | options)
    return message.spelled(spell) if isinstance(message, SpelledMessage) else spelled(str(message), spell)
