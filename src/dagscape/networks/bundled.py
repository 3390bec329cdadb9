"""Bundled networks: small ones from the literature.

In every table, a variable with parents has one row for each of their states, with the last
parent varying fastest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from numpy.typing import ArrayLike

from dagscape.core.errors import InvalidOption, did_you_mean, function
from dagscape.graphs.dag import Dag
from dagscape.networks.discrete.network import Network

# Where there are larger ones, whose licences differ or are not stated.
_REPOSITORY = "https://www.bnlearn.com/bnrepository/"

_YES_NO = ("yes", "no")
_TRUE_FALSE = ("True", "False")


class _Node(NamedTuple):
    levels: tuple[str, ...]
    parents: tuple[str, ...]
    cpt: ArrayLike


def _network(name: str, nodes: Mapping[str, _Node]) -> Network:
    dag = Dag.from_parents({variable: node.parents for variable, node in nodes.items()})
    levels = {variable: node.levels for variable, node in nodes.items()}
    # The constructor makes arrays of nested lists, though the type of the attribute is that of the result.
    return Network(dag, levels, {variable: node.cpt for variable, node in nodes.items()}, name)  # type: ignore[misc]


def asia() -> Network:
    """The chest clinic of Lauritzen and Spiegelhalter [lauritzen1988]_: 8 variables, 8 edges.

    Tuberculosis after a visit to Asia, lung cancer and bronchitis from smoking, and what an X-ray and shortness of
    breath say about them. ``either`` is a logical or.

    Examples
    --------
    >>> asia().dag.parents("either")
    ('tub', 'lung')
    """
    return _network(
        "asia",
        {
            "asia": _Node(_YES_NO, (), [0.01, 0.99]),
            "tub": _Node(_YES_NO, ("asia",), [[0.05, 0.95], [0.01, 0.99]]),
            "smoke": _Node(_YES_NO, (), [0.5, 0.5]),
            "lung": _Node(_YES_NO, ("smoke",), [[0.1, 0.9], [0.01, 0.99]]),
            "bronc": _Node(_YES_NO, ("smoke",), [[0.6, 0.4], [0.3, 0.7]]),
            "either": _Node(_YES_NO, ("tub", "lung"), [[[1.0, 0.0], [1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]]]),
            "xray": _Node(_YES_NO, ("either",), [[0.98, 0.02], [0.05, 0.95]]),
            "dysp": _Node(_YES_NO, ("bronc", "either"), [[[0.9, 0.1], [0.8, 0.2]], [[0.7, 0.3], [0.1, 0.9]]]),
        },
    )


def cancer() -> Network:
    """The metastatic cancer network of Cooper [cooper1984]_: 5 variables, 5 edges.

    Metastatic cancer may raise the calcium in the serum and may cause a brain tumour; either can lead to coma, and a
    tumour to severe headaches. This is not the network with four edges on pollution, smoking and cancer that some
    collections call by the same name.

    Examples
    --------
    >>> cancer().dag.parents("coma")
    ('increased-calcium', 'brain-tumour')
    """
    return _network(
        "cancer",
        {
            "metastatic-cancer": _Node(_YES_NO, (), [0.2, 0.8]),
            "increased-calcium": _Node(_YES_NO, ("metastatic-cancer",), [[0.8, 0.2], [0.2, 0.8]]),
            "brain-tumour": _Node(_YES_NO, ("metastatic-cancer",), [[0.2, 0.8], [0.05, 0.95]]),
            "coma": _Node(
                _YES_NO,
                ("increased-calcium", "brain-tumour"),
                [[[0.8, 0.2], [0.8, 0.2]], [[0.8, 0.2], [0.05, 0.95]]],
            ),
            "severe-headaches": _Node(_YES_NO, ("brain-tumour",), [[0.8, 0.2], [0.6, 0.4]]),
        },
    )


def earthquake() -> Network:
    """The burglar alarm of Pearl, with the probabilities of Korb and Nicholson [korb2010]_: 5 variables, 4 edges.

    A burglary or an earthquake sets off an alarm, and two neighbours may call when they hear it.

    Examples
    --------
    >>> earthquake().dag.parents("Alarm")
    ('Burglary', 'Earthquake')
    """
    return _network(
        "earthquake",
        {
            "Burglary": _Node(_TRUE_FALSE, (), [0.01, 0.99]),
            "Earthquake": _Node(_TRUE_FALSE, (), [0.02, 0.98]),
            "Alarm": _Node(
                _TRUE_FALSE,
                ("Burglary", "Earthquake"),
                [[[0.95, 0.05], [0.94, 0.06]], [[0.29, 0.71], [0.001, 0.999]]],
            ),
            "JohnCalls": _Node(_TRUE_FALSE, ("Alarm",), [[0.9, 0.1], [0.05, 0.95]]),
            "MaryCalls": _Node(_TRUE_FALSE, ("Alarm",), [[0.7, 0.3], [0.01, 0.99]]),
        },
    )


def survey() -> Network:
    """The train use survey of Scutari and Denis [scutari2014]_: 6 variables, 6 edges.

    Age (A) and sex (S) influence education (E), education influences occupation (O) and the size of the place of
    residence (R), and these influence the means of transport (T).

    Examples
    --------
    >>> survey().levels["T"]
    ('car', 'train', 'other')
    """
    return _network(
        "survey",
        {
            "A": _Node(("young", "adult", "old"), (), [0.3, 0.5, 0.2]),
            "S": _Node(("M", "F"), (), [0.6, 0.4]),
            "E": _Node(
                ("high", "uni"),
                ("A", "S"),
                [[[0.75, 0.25], [0.64, 0.36]], [[0.72, 0.28], [0.7, 0.3]], [[0.88, 0.12], [0.9, 0.1]]],
            ),
            "O": _Node(("emp", "self"), ("E",), [[0.96, 0.04], [0.92, 0.08]]),
            "R": _Node(("small", "big"), ("E",), [[0.25, 0.75], [0.2, 0.8]]),
            "T": _Node(
                ("car", "train", "other"),
                ("O", "R"),
                [[[0.48, 0.42, 0.1], [0.58, 0.24, 0.18]], [[0.56, 0.36, 0.08], [0.7, 0.21, 0.09]]],
            ),
        },
    )


def sprinkler() -> Network:
    """The wet grass of Russell and Norvig [russell2010]_, after Pearl: 4 variables, 4 edges.

    Clouds make rain more likely and the sprinkler less likely; either makes the grass wet.

    Examples
    --------
    >>> sprinkler().dag.parents("WetGrass")
    ('Sprinkler', 'Rain')
    """
    return _network(
        "sprinkler",
        {
            "Cloudy": _Node(_TRUE_FALSE, (), [0.5, 0.5]),
            "Sprinkler": _Node(_TRUE_FALSE, ("Cloudy",), [[0.1, 0.9], [0.5, 0.5]]),
            "Rain": _Node(_TRUE_FALSE, ("Cloudy",), [[0.8, 0.2], [0.2, 0.8]]),
            "WetGrass": _Node(
                _TRUE_FALSE,
                ("Sprinkler", "Rain"),
                [[[0.99, 0.01], [0.9, 0.1]], [[0.9, 0.1], [0.0, 1.0]]],
            ),
        },
    )


NETWORKS: dict[str, Callable[[], Network]] = {
    "asia": asia,
    "cancer": cancer,
    "earthquake": earthquake,
    "sprinkler": sprinkler,
    "survey": survey,
}


def load_network(name: str) -> Network:
    """Load a bundled network.

    Parameters
    ----------
    name : str
        ``"asia"``, the chest clinic [lauritzen1988]_; ``"cancer"``, metastatic cancer [cooper1984]_; ``"earthquake"``,
        the burglar alarm [korb2010]_; ``"sprinkler"``, the wet grass [russell2010]_; or ``"survey"``, means of
        transport [scutari2014]_.

    Examples
    --------
    >>> load_network("asia")
    Network('asia': 8 variables, 8 edges, 18 free parameters)
    """
    if name not in NETWORKS:
        others = f"{function('read_network')} reads files of others, such as those of {_REPOSITORY}"
        known = did_you_mean(name, NETWORKS) or f"; there are {', '.join(map(repr, NETWORKS))}; {others}"
        raise InvalidOption(f"there is no bundled network {name!r}{known}")
    return NETWORKS[name]()
