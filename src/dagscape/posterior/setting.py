"""Settings of scores and priors, each with the evidence for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dagscape.core.wording import plural
from dagscape.data.discrete.discretizing import Discretizer
from dagscape.results.decoding import Count, Finite, NotNegative
from dagscape.results.score_info import with_parameters, words_of

if TYPE_CHECKING:
    import pandas as pd

# The way in which columns of numbers are cut if a user does not say otherwise.
DEFAULT_WAY = Discretizer().way

# How ways of cutting are weighed in an average.
EQUAL, BY_EVIDENCE = "equal", "evidence"
CUT_WEIGHTS = (EQUAL, BY_EVIDENCE)


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of a grid, and what its posterior says as a whole.

    Attributes
    ----------
    parameters : mapping of str to float or str
        The values of the score's parameters, such as ``{"ess": 1.0}``.
    structure_prior : str
        The structure prior.
    max_parents : int
        The limit on the number of parents.
    log_evidence, log_total : float
        As in :class:`~dagscape.Posterior`.
    error : float or None
        As in :class:`~dagscape.Posterior`; None if its posterior was not computed, because it does not matter for an
        average.
    parent_states : float or None
        The largest number of joint states of the likely parents of a variable, a geometric mean over structures; None
        if unknown.
    seconds : float
        The time of the sum.
    unlimited : bool
        Whether a variable may have all others as parents, so that ``max_parents`` is no limit.
    discretize : str
        How columns of numbers were cut, such as ``"quantile:3"``, if cuts were compared; the evidence is then that of
        the numbers. Empty if they were not.
    """

    parameters: Mapping[str, str | Finite]
    structure_prior: str
    max_parents: Count
    log_evidence: float
    log_total: float
    error: NotNegative | None
    parent_states: NotNegative | None
    seconds: NotNegative
    unlimited: bool = False
    discretize: str = ""

    @property
    def label(self) -> str:
        """The setting in a few words.

        >>> Setting({"ess": 1.0}, "uniform", 2, 0.0, 0.0, 0.0, 1.0, 0.0).label
        'ess 1, uniform, 2 parents'
        >>> Setting({}, "uniform", 9, 0.0, 0.0, 0.0, 1.0, 0.0, unlimited=True).label
        'uniform, no limit'
        >>> Setting({}, "uniform", 9, 0.0, 0.0, 0.0, 1.0, 0.0, unlimited=True, discretize="quantile:3").label
        'quantile 3, uniform, no limit'
        """
        return ", ".join(self.values.values())

    @classmethod
    def upgraded(cls, document: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a document with parameters; those of earlier versions have ``ess`` only."""
        return with_parameters(document)

    @property
    def ess(self) -> float | None:
        """The equivalent sample size; None if the score has none."""
        value = self.parameters.get("ess")
        return value if isinstance(value, float) else None

    def is_default(self, defaults: Mapping[str, str | float]) -> bool:
        """Whether these are the settings of :func:`~dagscape.local_scores` if none are given.

        Parameters
        ----------
        defaults : mapping of str to float or str
            The defaults of the score's parameters.
        """
        usual = self.structure_prior == "uniform" and self.unlimited and self.discretize in ("", DEFAULT_WAY)
        # Parameters without effect on the data are not among those of the setting.
        return usual and all(defaults.get(name) == value for name, value in self.parameters.items())

    @property
    def values(self) -> dict[str, str]:
        """The options of the grid in words."""
        cuts = {"discretize": self.discretize.replace(":", " ")} if self.discretize else {}
        parameters = cuts | {name: words_of({name: value}) for name, value in self.parameters.items()}
        limit = "no limit" if self.unlimited else plural(self.max_parents, "parent")
        return parameters | {"structure_prior": self.structure_prior, "max_parents": limit}

    def raw(self, option: str) -> float | str:
        """Return the value of one option of the grid."""
        if option in self.parameters:
            return self.parameters[option]
        value: float | str = getattr(self, option)
        return value

    def value(self, option: str) -> str:
        """Return one option of the grid in words; empty if the score does not have it."""
        return self.values.get(option, "")


def setting_shares(settings: Sequence[Setting], cut_weights: str = EQUAL) -> NDArray[np.float64]:
    """Return the posterior probability of each setting, if all are equally probable before the data are seen.

    Parameters
    ----------
    settings : sequence of Setting
        The settings.
    cut_weights : {"equal", "evidence"}
        Whether each way of cutting numbers has the same share, and its settings share that by their evidence; or all
        settings have shares by their evidence. Only the latter are posterior probabilities of ways, and they follow how
        well intervals fit the distributions of single columns, more than how these depend on each other.

    Examples
    --------
    >>> settings = [Setting({"ess": ess}, "uniform", 2, 0.0, 0.0, 0.0, 1.0, 0.0) for ess in (1.0, 10.0)]
    >>> setting_shares(settings).tolist()
    [0.5, 0.5]
    """
    logs = [setting.log_evidence for setting in settings]
    return shares_of(logs, [setting.discretize for setting in settings], cut_weights)


def shares_of(logs: Sequence[float], ways: Sequence[str], cut_weights: str) -> NDArray[np.float64]:
    """Return the shares of settings, given the evidence for each and its way of cutting, as :func:`setting_shares`.

    >>> shares_of([0.0, 0.0, -50.0], ["quantile:2", "quantile:2", "quantile:3"], "equal").tolist()
    [0.25, 0.25, 0.5]
    """
    evidence = np.array(logs)
    groups = np.unique(ways, return_inverse=True)[1] if cut_weights == EQUAL else np.zeros(len(ways), dtype=np.intp)
    shares = np.empty(len(ways))
    with np.errstate(invalid="ignore"):
        for group in range(int(groups.max(initial=-1)) + 1):
            members = groups == group
            weights = np.exp(evidence[members] - evidence[members].max())
            shares[members] = weights / weights.sum()
    shares /= groups.max(initial=0) + 1
    return shares


def options_of(settings: Sequence[Setting]) -> tuple[str, ...]:
    """Return the options of a grid: cuts, if they were compared, the parameters of the score, prior and limit.

    >>> options_of([Setting({"ess": 1.0}, "uniform", 2, 0.0, 0.0, 0.0, 1.0, 0.0)])
    ('ess', 'structure_prior', 'max_parents')
    """
    if not settings:
        return ()
    cuts = ("discretize",) if any(setting.discretize for setting in settings) else ()
    return (*cuts, *settings[0].parameters, "structure_prior", "max_parents")


def settings_frame(settings: Sequence[Setting], cut_weights: str = EQUAL) -> pd.DataFrame:
    """Return settings, one per row: their values, log evidence and share, most probable first."""
    import pandas as pd

    options = options_of(settings)
    columns: dict[str, Any] = {"setting": [setting.label for setting in settings]}
    columns |= {option: [setting.raw(option) for setting in settings] for option in options}
    columns |= {"log_evidence": [setting.log_evidence for setting in settings]}
    frame = pd.DataFrame(columns | {"share": setting_shares(settings, cut_weights) if settings else []})
    return frame.sort_values("share", ascending=False, kind="stable", ignore_index=True)
