"""Every error and warning that dagscape raises deliberately.

Each message is one sentence that a user can act on: the value, the limit and the remedy. A message marks the arguments
and functions that it mentions (:func:`argument`, :func:`function`), and :class:`InvalidOption` names the argument that
is wrong. The same error can therefore be spelled for Python and for the command line.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from typing import Literal, cast

from dagscape.core.wording import visible

MentionKind = Literal["argument", "function"]


@dataclass(frozen=True, slots=True)
class Mention:
    """An argument, with or without a value, or a function, mentioned in a message."""

    kind: MentionKind
    name: str
    value: str = ""


_SHORTENED = reprlib.Repr()
_SHORTENED.maxstring = _SHORTENED.maxother = _SHORTENED.maxlong = 200

_LONGEST_NAME = 200

# Names that an unknown one is compared with; more would take seconds.
_MOST_COMPARED = 2000

Spelling = Callable[[Mention], str]

# Private-use characters delimit mentions: repr() escapes them, so quoted user input cannot contain them.
_OPEN, _SEPARATOR, _CLOSE = "\ue000", "\ue001", "\ue002"
_MENTION = re.compile(f"{_OPEN}(.*?){_SEPARATOR}(.*?){_SEPARATOR}(.*?){_CLOSE}", re.DOTALL)


def argument(name: str, value: object = None) -> str:
    """Mention an argument in a message, optionally with a value.

    >>> str(TooLarge(f"raise {argument('max_memory')}, or use {argument('max_parents', 4)}"))
    'raise max_memory, or use max_parents=4'
    """
    return _mention("argument", name, "" if value is None else repr(value))


def function(name: str) -> str:
    """Mention a public function in a message.

    >>> str(InvalidOption(f"compute local scores first, with {function('local_scores')}"))
    'compute local scores first, with local_scores()'
    """
    return _mention("function", name, "")


def _mention(kind: MentionKind, name: str, value: str) -> str:
    return f"{_OPEN}{kind}{_SEPARATOR}{name}{_SEPARATOR}{value}{_CLOSE}"


def spelled(message: str, spelling: Spelling) -> str:
    """Spell out the mentions in a message."""
    return _MENTION.sub(lambda found: spelling(Mention(cast("MentionKind", found[1]), found[2], found[3])), message)


def python_spelling(mention: Mention) -> str:
    """Spell a mention for Python: ``max_parents``, ``max_parents=4``, ``modes()``."""
    if mention.kind == "function":
        return f"{mention.name}()"
    return f"{mention.name}={mention.value}" if mention.value else mention.name


class SpelledMessage(Exception):
    """An error or warning whose message can be spelled for Python and for the command line.

    ``args`` holds the Python spelling, so that ``str``, ``repr`` and tracebacks need nothing else. Whatever names a
    message mentions, it has no control characters.
    """

    def __init__(self, message: str = "") -> None:
        self._message = visible(message)
        super().__init__(spelled(self._message, python_spelling))

    def spelled(self, spelling: Spelling) -> str:
        """Return the message with its mentions spelled out."""
        return spelled(self._message, spelling)


class DagscapeError(SpelledMessage):
    """Base class of all errors raised by dagscape."""


class InvalidData(DagscapeError, ValueError):
    """The data cannot be used as they are.

    Parameters
    ----------
    message : str
        What is wrong.
    degenerate : tuple of str
        The measured variables that are constant, or linearly dependent, in the rows, if that is what is wrong.

    Examples
    --------
    >>> InvalidData("'z' has the same value in all rows", degenerate=("z",)).degenerate
    ('z',)
    """

    def __init__(self, message: str = "", degenerate: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.degenerate = degenerate


class InvalidOption(DagscapeError, ValueError):
    """An argument has an invalid value, or two arguments contradict each other.

    Parameters
    ----------
    message : str
        What is wrong. If ``option`` is given, the message continues after its name: "is -1; it must be positive".
    option : str, optional
        The invalid argument.

    Examples
    --------
    >>> error = InvalidOption("is -1; it must be positive", option="ess")
    >>> error.option, str(error)
    ('ess', 'ess is -1; it must be positive')
    """

    def __init__(self, message: str, option: str | None = None) -> None:
        super().__init__(message if option is None else f"{argument(option)} {message}")
        self.option = option


class TooLarge(DagscapeError, MemoryError):
    """The job needs more memory than its limit."""


class BackendUnavailable(DagscapeError, RuntimeError):
    """An optional package or device that the job needs is not available."""


class DagscapeWarning(SpelledMessage, UserWarning):
    """Base class of all warnings of the package.

    Parameters
    ----------
    message : str
        What to be careful about.
    remedy : str
        The end of the sentence: what to do about it in the same call. Results do not keep it, because whoever reads one
        from a file cannot repeat the call.

    Examples
    --------
    >>> warning = DagscapeWarning("an item falls", f"; use {argument('monotone', True)}")
    >>> str(warning), warning.lasting
    ('an item falls; use monotone=True', 'an item falls')
    """

    def __init__(self, message: str = "", remedy: str = "") -> None:
        super().__init__(message + remedy)
        self.lasting = spelled(visible(message), python_spelling)


class IncompleteScores(DagscapeWarning):
    """A table of scores lacks families, or may lack some."""


class StoppedEarly(DagscapeWarning):
    """A search stopped before it found everything requested; what it found is correct."""


class SamplesLeftOut(DagscapeWarning):
    """Samples of a bootstrap have no score, because measured variables are constant or linearly dependent in them."""


class SparseFamilies(DagscapeWarning):
    """Likely parents of a variable have more joint states than there are rows."""


class SuspiciousColumns(DagscapeWarning):
    """A variable looks like an identifier, or the column of experiments is probably another one."""


class RelatedColumns(SuspiciousColumns):
    """Variables copy or determine each other."""


class FewRows(DagscapeWarning):
    """There are so few rows that measured variables show next to nothing about edges."""


class AutomaticReading(DagscapeWarning):
    """Columns of a table were cut into intervals, or set aside because of what they seem to hold or are constant."""


class PooledExperiments(DagscapeWarning):
    """Tests of independence used rows of experiments like all others."""


class NothingObserved(DagscapeWarning):
    """New rows share no column with a network, so that every prediction is the same."""


class LostPrecision(DagscapeWarning):
    """Rounding errors are large: of a sum of terms of both signs, or of scores that columns which copy others have."""


class UnconvergedChains(DagscapeWarning):
    """Markov chains disagree, or are too short: their averages may be far off."""


class NoProbabilities(DagscapeWarning):
    """Scores rank networks, but their differences are no log odds, so shares of a list mean nothing."""


class UnreadablePicture(DagscapeWarning):
    """The text of a picture is too small on its page."""


class UnidentifiedSkills(DagscapeWarning):
    """The answers may not determine a skill, because no item needs it alone."""


class FallingItems(DagscapeWarning):
    """Students who master more skills of an item solve it less often, by a fitted model."""


class FewStudents(DagscapeWarning):
    """A student model has more parameters than students."""


class InfiniteErrors(DagscapeWarning):
    """Probabilities of a student model have no standard error, or the model is too large to compute them."""


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return the end of a sentence about an unknown name: the most similar known name, if any.

    Numbers have no similar names: 18 is not a typing error for 8.

    >>> did_you_mean("smokng", ["smoking", "cancer"]), did_you_mean("int", ["INT"])
    ("; did you mean 'smoking'?", "; did you mean 'INT'?")
    """
    # Long strings are no names, and would take long to compare.
    if not isinstance(name, str) or len(name) > _LONGEST_NAME or not re.search(r"[^\W\d]", name):
        return ""
    # Of names that differ in case only, the first.
    folded = {other.casefold(): other for other in reversed(list(islice(known, _MOST_COMPARED)))}
    close = get_close_matches(name.casefold(), folded, n=1)
    return f"; did you mean {folded[close[0]]!r}?" if close else ""


def brief(value: object) -> str:
    """Return a value as a message shows it: like repr, but what is long or nested deeply is shortened.

    >>> brief("maybe"), brief([[1, 2], [3]]), brief(list(range(1000)))
    ("'maybe'", '[[1, 2], [3]]', '[0, 1, 2, 3, 4, 5, ...]')
    """
    try:
        return _SHORTENED.repr(value)
    except ValueError:
        # Python does not write integers of thousands of digits.
        return f"{type_of(value)} of too many digits"


def type_of(value: object) -> str:
    """Return the type of a value with its article, for messages.

    >>> type_of(3), type_of("text")
    ('an int', 'a str')
    """
    name = type(value).__name__
    # The n of "ndarray" is read as a letter.
    return f"{'an' if name.lower().startswith((*'aeiou', 'nd')) else 'a'} {name}"
