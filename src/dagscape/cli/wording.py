"""Messages of the Python functions in the words of the command line."""

from __future__ import annotations

import re

# What an option of the Python functions is called on the command line, where that is not its own name with dashes.
_RENAMED = {
    "structure_prior": "prior",
    "required": "require",
    "forbidden": "forbid",
    "bins": "discretize",
    "method": "discretize",
    "columns": "discretize-columns",
}
_OPTIONS = (
    "missing_values|missing|levels|interventions|separator|method|bins|columns|class_column|score|ess|max_parents|"
    "structure_prior|required|forbidden|tiers|threads|max_memory|top|expected_parents|k|space|within|delta|distinct|bound|groups|grouping|seed|max_seconds|score_equivalent"
)
# Only these are never words of a sentence.
_DISTINCTIVE = "missing_values|class_column|max_parents|structure_prior|max_memory"

# An option with a value, an option alone, or the option that a message begins with; never what stands in quotes.
_MENTION = re.compile(
    rf"(?<![\w'])(?P<option>{_OPTIONS})=(?P<value>'[^']*'|[\w-]*)"
    rf"|(?<![\w'])(?P<alone>{_DISTINCTIVE})(?![\w'])"
    rf"|^(?P<subject>{_OPTIONS})(?= (?:is|has|holds|names|declares|gives) )"
)


def with_option_names(message: str) -> str:
    """A message with the options of the Python functions spelled as they are on the command line.

    >>> with_option_names("4 missing cells: use missing='level' or missing='drop'")
    '4 missing cells: use --missing level or --missing drop'
    >>> with_option_names("ess is -1.0; it must be positive")
    '--ess is -1.0; it must be positive'
    """

    def rewrite(match: re.Match[str]) -> str:
        name = match["option"] or match["alone"] or match["subject"]
        option = ("--" if len(name) > 1 else "-") + _RENAMED.get(name, name).replace("_", "-")
        value = match["value"] or ""
        # Quotes stay where the shell needs them.
        plain = value.strip("'")
        if not value or plain == "True":
            return option
        return f"{option} {plain if plain.replace('-', '').isalnum() else value}"

    return _MENTION.sub(rewrite, message).replace("discretize()", "--discretize")
