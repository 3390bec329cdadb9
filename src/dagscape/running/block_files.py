"""Tables that are too large for a state, written to a file of their own block by block.

Each block has a digest, which depends on the job, the table and the number of the block. Whoever writes a block keeps
its digest, in a sealed state that is saved after the block; whoever reads it must show the digest. A block of another
time, place or job is therefore refused like a damaged one. While the disk is busy, other threads compute digests.

The digest of a block is the BLAKE2b digest of the checksums (CRC-32) of its pieces. This is several times as fast as
that of all its bytes, and tables of hundreds of gibibytes are written. A single changed bit, or any change within 32
bits, is always noticed, and another change of a piece but for a chance of 2^-32: enough against accidents, from which
checkpoints are to be protected.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import DagscapeError, InvalidData
from dagscape.core.files.writing import sync_folder
from dagscape.running.sealed_states import DIGEST_BYTES, digest_of

Blocks = NDArray[np.int64]
Digests = NDArray[np.uint8]

# Bytes of a block that have a checksum of their own.
_PIECE = 1 << 18


class BlockFile:
    """A table of 64-bit integers in a file: blocks of the same size, one after the other.

    Parameters
    ----------
    path : Path
        The file.
    name : str
        The name of the table, of up to 16 letters.
    key : bytes
        The key of the job.
    shape : (int, int)
        The number of blocks, and of integers in each.
    threads : int
        How many threads compute digests.
    """

    def __init__(self, path: Path, name: str, key: bytes, shape: tuple[int, int], threads: int = 1) -> None:
        self._path, self._name, self._key = path, name, key
        self._shape = shape
        self._threads = threads

    def no_digests(self) -> Digests:
        """Return an array for the digests of all blocks."""
        return np.zeros((self._shape[0], DIGEST_BYTES), dtype=np.uint8)

    def write(self, blocks: Blocks, first: int, digests: Digests) -> None:
        """Write blocks from number ``first`` on, wait until they are on the disk, and note their digests."""
        if not len(blocks):
            return
        with self._computing() as later:
            found = [later(block, first + place) for place, block in enumerate(blocks)]
            try:
                self._store(blocks, first)
            except OSError as error:
                reason = error.strerror or error
                raise DagscapeError(f"cannot write the checkpoint {str(self._path)!r}: {reason}") from error
        for place, digest in enumerate(found):
            digests[first + place] = np.frombuffer(digest.result(), dtype=np.uint8)

    def _store(self, blocks: Blocks, first: int) -> None:
        is_new = not self._path.exists()
        with open(self._path, "x+b" if is_new else "r+b") as stream:
            stream.truncate(8 * self._shape[0] * self._shape[1])
            stream.seek(8 * first * self._shape[1])
            stream.write(np.ascontiguousarray(blocks).data.cast("B"))
            stream.flush()
            os.fsync(stream.fileno())
        if is_new:
            sync_folder(self._path.parent)

    def read(self, blocks: Blocks, first: int, digests: Digests) -> None:
        """Fill in blocks from number ``first`` on; raise :class:`InvalidData` if one does not agree with its digest."""
        if not len(blocks):
            return
        if digests.shape != (self._shape[0], DIGEST_BYTES):
            raise InvalidData("there are digests of another number of blocks")
        with self._computing() as later, open(self._path, "rb") as stream:
            stream.seek(8 * first * self._shape[1])
            found = []
            for place, block in enumerate(blocks):
                if stream.readinto(block.data.cast("B")) != block.nbytes:
                    raise InvalidData(f"{self._path.name!r} is too short")
                found.append(later(block, first + place))
        for place, digest in enumerate(found):
            if digest.result() != digests[first + place].tobytes():
                raise InvalidData(f"block {first + place} of {self._path.name!r} does not agree with its digest")

    def _digest(self, block: Blocks, number: int) -> bytes:
        content = block.data.cast("B")
        sums = [zlib.crc32(content[at : at + _PIECE]) for at in range(0, len(content), _PIECE)]
        return digest_of(np.array(sums, dtype="<u4"), self._key, self._name.encode(), number.to_bytes(8, "little"))

    @contextmanager
    def _computing(self) -> Iterator[Callable[[Blocks, int], Future[bytes]]]:
        """Yield a function that starts to compute the digest of a block on one of the threads."""
        with ThreadPoolExecutor(self._threads) as pool:

            def later(block: Blocks, number: int) -> Future[bytes]:
                try:
                    return pool.submit(self._digest, block, number)
                except RuntimeError:
                    # The system starts no more threads.
                    done: Future[bytes] = Future()
                    done.set_result(self._digest(block, number))
                    return done

            yield later
