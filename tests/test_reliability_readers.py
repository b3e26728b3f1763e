"""The reader of CSV and npz: whatever the bytes, data or a clear sentence. Longer, by hand: tests/damaged_files.py."""

import io
from itertools import islice

import damaged_files
import numpy as np
import pytest

from symbias.data import read
from symbias.errors import BadInput


def test_two_thousand_damaged_files_are_read_or_refused(tmp_path):
    outcomes = [damaged_files.is_read_or_refused(tmp_path, *file) for file in islice(damaged_files.files(1), 2000)]
    assert 50 < sum(outcomes) < 1950  # both happen


def archive() -> bytes:
    content = io.BytesIO()
    np.savez(content, X=np.ones((2, 3)), y=np.ones(2))
    return content.getvalue()


def in_directory(content: bytes, offset: int, value: int) -> bytes:
    """The archive with one byte of its first central directory entry changed (6: version needed, 8: flags)."""
    place = content.index(b"PK\x01\x02") + offset
    return content[:place] + bytes([value]) + content[place + 1 :]


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("central directory", lambda c: c.replace(b"PK\x01\x02", b"PK\x01\x00", 1)),
        ("version of zip", lambda c: in_directory(c, 6, 99)),
        ("strong encryption", lambda c: in_directory(c, 8, 0x41)),
        ("a name that runs over the array", lambda c: c.replace(b"\x05\x00\x14\x00X.npy", b"\xff\x00\x14\x00X.npy", 1)),
        ("no zip in front", lambda c: b"x" + c[1:]),
        ("checksum", lambda c: c.replace(b"\xf0?", b"\xf1?", 1)),
        ("header of the array", lambda c: c.replace(b"'descr'", b"'desce'", 1)),
    ],
)
def test_what_the_long_run_found_is_refused(tmp_path, name, change):
    path = tmp_path / "data.npz"
    path.write_bytes(archive())
    assert read(path).X.shape == (2, 3)
    changed = change(archive())
    assert changed != archive()
    path.write_bytes(changed)
    with pytest.raises(BadInput, match="damaged|no npz|not an npz") as refused:
        read(path)
    assert len(str(refused.value)) < 400


def test_an_error_of_another_kind_would_be_seen(tmp_path, monkeypatch):
    monkeypatch.setattr(damaged_files, "read", lambda path: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        damaged_files.is_read_or_refused(tmp_path, "csv", b"")
