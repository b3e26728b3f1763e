"""Damaged and odd data files without end, for the reader. By hand, for 30 minutes: python tests/damaged_files.py 30"""

import io
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from symbias.data import read
from symbias.errors import BadInput

PIECES = [
    b"a",
    b",",
    b"\n",
    b"\r\n",
    b"1",
    b"-",
    b"e",
    b"9" * 20,
    b"1/3",
    b'"',
    b"\xef\xbb\xbf",
    b"\xff",
    b"nan",
    b"inf",
]
PIECES += [b" ", b"\t", b"\0", b"_", b"0.1", b"1e400", b"1e99999", b"\xd9\xa1", b"target", b";", b"\xe2\x80\xa8", b"PK"]
DTYPES = ["f8", "i1", "u8", "f2", "f4", "c16", "?", "M8[s]", "S3", "U5"]


def csv(draw: random.Random) -> bytes:
    if draw.random() < 0.5:
        return b"".join(draw.choice(PIECES) for _ in range(draw.randrange(60)))
    return b"a,b,target\n1,2,1\n0.5,1/3,-1\n"


def npz(draw: random.Random) -> bytes:
    shape = draw.choice([(2, 3), (2, 3, 3), (6,), (2, 0)])
    X = np.arange(int(np.prod(shape))).reshape(shape).astype(draw.choice(DTYPES))
    content = io.BytesIO()
    save = draw.choice([np.savez, np.savez_compressed])
    save(content, X=X, y=np.array([1.0, 2.0]))
    return content.getvalue()


def damaged(draw: random.Random, content: bytes) -> bytes:
    """The content with up to five bytes changed, pieces cut out, put in or repeated, and perhaps an early end."""
    made = bytearray(content)
    for _ in range(draw.randrange(6)):
        place = draw.randrange(len(made) + 1)
        made[place : place + draw.choice([0, 0, 1, 8])] = draw.choice(
            [b"", bytes([draw.randrange(256)]), draw.choice(PIECES), bytes(made[max(0, place - 9) : place])]
        )
    return bytes(made[: draw.randrange(len(made) + 1)]) if draw.random() < 0.1 else bytes(made)


def files(seed: int) -> Iterator[tuple[str, bytes]]:
    """(ending, content) without end, the same for the same seed."""
    draw = random.Random(seed)
    while True:
        kind = draw.choice([csv, npz])
        yield kind.__name__, damaged(draw, kind(draw))


def is_read_or_refused(folder: Path, ending: str, content: bytes) -> bool:
    """Read the file: True when it was data, False when it was refused; any other error gets out."""
    path = folder / f"data.{ending}"
    path.write_bytes(content)
    try:
        found = read(path)
    except BadInput as error:
        assert 15 < len(str(error)) < 2000, error
        return False
    assert len(found.X) == len(found.y) and found.X.size
    return True


if __name__ == "__main__":
    end, tried = time.monotonic() + 60 * float(sys.argv[1]), 0
    with tempfile.TemporaryDirectory() as name:
        for ending, content in files(int(time.time())):
            try:
                is_read_or_refused(Path(name), ending, content)
            except BaseException:
                Path(f"found.{ending}").write_bytes(content)
                print(f"found after {tried} files, written to found.{ending}")
                raise
            tried += 1
            if time.monotonic() > end:
                break
    print(f"{tried} files read or refused")
