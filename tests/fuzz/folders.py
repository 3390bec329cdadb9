"""Ways to damage a folder of checkpoints: its files, and which files are in it.

A folder is a mapping from the names of its files to their contents. Every kind of damage takes a random generator and a
:class:`Scene`, and returns a folder that is damaged, or that only looks as if it were: a file of an earlier stage, for
instance, may be all that is needed to go on.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

from fuzz.mutations import damage_bytes, damage_json

Folder = dict[str, bytes]

_BLOCK = 512


@dataclass(frozen=True)
class Scene:
    """The checkpoints of a job, and those of other jobs.

    Attributes
    ----------
    stages : sequence of folders
        The folder of the job at several moments, in order.
    others : sequence of folders
        The folders of other jobs, at some moments.
    copies : sequence of folders
        Copies of the folder that were made while files were written.
    """

    stages: Sequence[Folder]
    others: Sequence[Folder]
    copies: Sequence[Folder]


def flip_bits(rng: Random, scene: Scene) -> Folder:
    """One flipped bit, or a few, in one file."""

    def flipped(content: bytes) -> bytes:
        damaged = bytearray(content)
        for _ in range(rng.choice((1, 1, 1, 2, 8))):
            damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        return bytes(damaged)

    return _with_one_file(rng, scene, flipped)


def zero_blocks(rng: Random, scene: Scene) -> Folder:
    """Zeros in place of a block, as a disk leaves them that lost power."""

    def zeroed(content: bytes) -> bytes:
        size = rng.choice((8, _BLOCK, 8 * _BLOCK))
        place = rng.randrange(-(-len(content) // size)) * size
        return content[:place] + bytes(min(size, len(content) - place)) + content[place + size :]

    return _with_one_file(rng, scene, zeroed)


def change_lengths(rng: Random, scene: Scene) -> Folder:
    """A file that is cut off, empty, or goes on."""

    def changed(content: bytes) -> bytes:
        kind = rng.randrange(4)
        if kind == 0:
            return b""
        if kind == 1:
            return content + rng.randbytes(rng.choice((1, 8, _BLOCK)))
        return content[: rng.randrange(len(content))]

    return _with_one_file(rng, scene, changed)


def swap_blocks(rng: Random, scene: Scene) -> Folder:
    """Two blocks of a file in each other's place."""

    def swapped(content: bytes) -> bytes:
        size = rng.choice((8, _BLOCK, 16 * _BLOCK))
        blocks = [content[at : at + size] for at in range(0, len(content), size)]
        one, other = rng.randrange(len(blocks)), rng.randrange(len(blocks))
        blocks[one], blocks[other] = blocks[other], blocks[one]
        return b"".join(blocks)

    return _with_one_file(rng, scene, swapped)


def swap_files(rng: Random, scene: Scene) -> Folder:
    """Two files under each other's name, or one under both; the other may be one that the folder does not have."""
    folder = dict(rng.choice(scene.stages))
    known = {name for stage in scene.stages for name in stage}
    known |= {name.replace(".state.", ".result.") for name in known} | {
        name.replace(".result.", ".state.") for name in known
    }
    one = rng.choice(sorted(folder))
    other = rng.choice(sorted(known - {one}))
    displaced = folder.get(other)
    folder[other] = folder[one]
    if rng.random() < 0.7:
        del folder[one]
        if displaced is not None:
            folder[one] = displaced
    return folder


def mix_stages(rng: Random, scene: Scene) -> Folder:
    """Each file from one of two stages."""
    stages = rng.choices(scene.stages, k=2)
    mixed = {}
    for name in sorted(stages[0].keys() | stages[1].keys()):
        chosen = rng.choice(stages)
        if name in chosen:
            mixed[name] = chosen[name]
    return mixed


def mix_jobs(rng: Random, scene: Scene) -> Folder:
    """Files of another job under the names of this one."""
    folder, other = dict(rng.choice(scene.stages)), rng.choice(scene.others)
    for name in rng.sample(sorted(folder), rng.randint(1, len(folder))):
        ending = name.partition(".")[2]
        if alike := [content for given, content in sorted(other.items()) if given.partition(".")[2] == ending]:
            folder[name] = rng.choice(alike)
    return folder | (other if rng.random() < 0.2 else {})


def lose_files(rng: Random, scene: Scene) -> Folder:
    """A folder without some of its files."""
    folder = dict(rng.choice(scene.stages))
    for name in rng.sample(sorted(folder), rng.randint(1, len(folder))):
        del folder[name]
    return folder


def edit_states(rng: Random, scene: Scene) -> Folder:
    """A state whose arrays were changed with NumPy and saved again."""
    folder, name = _folder_and_state(rng, scene)
    with np.load(io.BytesIO(folder[name])) as saved:
        arrays = dict(saved)
    chosen = rng.choice(sorted(arrays))
    kind = rng.randrange(7)
    if kind == 0:
        del arrays[chosen]
    elif kind == 1:
        arrays[rng.choice(sorted(arrays))] = arrays[chosen]
    elif kind == 2:
        arrays[chosen] = np.array({"an": "object"})
    elif kind == 3:
        with np.errstate(all="ignore"):
            arrays[chosen] = arrays[chosen].astype(rng.choice(("<f8", "<i8", "<i4", "<c16", "<U9")))
    elif kind == 4:
        arrays[chosen] = np.resize(arrays[chosen], rng.choice(((), (0,), (1,), (3, 3), (arrays[chosen].size + 1,))))
    elif arrays[chosen].size:
        changed = np.array(arrays[chosen])
        with np.errstate(all="ignore"):
            changed.flat[rng.randrange(changed.size)] += rng.choice((1, 2, 100))
        arrays[chosen] = changed
    return folder | {name: _npz(arrays)}


def edit_headers(rng: Random, scene: Scene) -> Folder:
    """A state with other values in its header, or with a header that is no JSON."""
    folder, name = _folder_and_state(rng, scene)
    with np.load(io.BytesIO(folder[name])) as saved:
        arrays = dict(saved)
    text = arrays["header"].tobytes() if "header" in arrays else b"{}"
    changed = damage_bytes(rng, text) if rng.random() < 0.4 else json.dumps(damage_json(rng, json.loads(text))).encode()
    return folder | {name: _npz(arrays | {"header": np.frombuffer(changed, dtype=np.uint8)})}


def damage_archives(rng: Random, scene: Scene) -> Folder:
    """A state whose archive is damaged where it is not only data: its directory, versions, sizes, headers of arrays."""
    folder, name = _folder_and_state(rng, scene)
    content = folder[name]
    if rng.random() < 0.4:
        return folder | {name: damage_bytes(rng, content)}
    if rng.random() < 0.5:
        return folder | {name: _with_odd_array(rng, content)}
    damaged = bytearray(content)
    signature, fields = rng.choice(
        ((b"PK\x03\x04", (4, 6, 8, 14, 18, 22, 26)), (b"PK\x01\x02", (6, 8, 10, 20, 24, 42)))
    )
    places = [at for at in range(len(damaged)) if damaged.startswith(signature, at)]
    if places:
        at = rng.choice(places) + rng.choice(fields)
        damaged[at : at + 2] = rng.choice((b"\0\0", b"\1\0", b"\x63\0", b"\xff\xff", b"\x0c\0", b"\x08\0"))
    return folder | {name: bytes(damaged)}


def copy_while_running(rng: Random, scene: Scene) -> Folder:
    """A copy that was made while the job was writing."""
    return dict(rng.choice(scene.copies))


KINDS: Mapping[str, Callable[[Random, Scene], Folder]] = {
    "flipped bits": flip_bits,
    "zeroed blocks": zero_blocks,
    "other lengths": change_lengths,
    "swapped blocks": swap_blocks,
    "swapped files": swap_files,
    "mixed stages": mix_stages,
    "other jobs": mix_jobs,
    "lost files": lose_files,
    "edited states": edit_states,
    "edited headers": edit_headers,
    "damaged archives": damage_archives,
    "copies while running": copy_while_running,
}


def _with_one_file(rng: Random, scene: Scene, damage: Callable[[bytes], bytes]) -> Folder:
    folder = dict(rng.choice(scene.stages))
    name = rng.choice([name for name, content in sorted(folder.items()) if content])
    return folder | {name: damage(folder[name])}


def _folder_and_state(rng: Random, scene: Scene) -> tuple[Folder, str]:
    folder = dict(rng.choice([stage for stage in scene.stages if _states(stage)]))
    return folder, rng.choice(_states(folder))


def _states(folder: Folder) -> list[str]:
    return [name for name in sorted(folder) if name.endswith(".npz")]


def _npz(arrays: Mapping[str, np.ndarray]) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def _with_odd_array(rng: Random, content: bytes) -> bytes:
    """Return an archive in which the header of an array says something else, with the right checksum."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as given, zipfile.ZipFile(stream, "w") as made:
        members = {info.filename: given.read(info) for info in given.infolist()}
        chosen = rng.choice(sorted(members))
        start, length = members[chosen][:8], int.from_bytes(members[chosen][8:10], "little")
        text, body = members[chosen][10 : 10 + length], members[chosen][10 + length :]
        odd = rng.choice(
            (
                text.replace(b"<f8", b"<i8"),
                text.replace(b"<i8", b"<f8"),
                text.replace(b"False", b"True "),
                text.replace(b"'shape': (", b"'shape': (1, "),
                b"{'descr': '<f8', 'fortran_order': False, 'shape': (" + b"9" * 30 + b",), }\n",
                b"{" * 70,
                b"'" + text,
                damage_bytes(rng, text),
            )
        )
        members[chosen] = start + (len(odd) % 2**16).to_bytes(2, "little") + odd + body
        for name, member in members.items():
            made.writestr(zipfile.ZipInfo(name), member)
    return stream.getvalue()
