"""A full disk is known by what this machine says; file names, remotes and other file systems do not speak of it."""

import os
from pathlib import Path

import pytest

from reknit.adapters.files.free_space import PLENTY_BYTES, check_disk, check_space, says_no_space
from reknit.core.errors import DiskFull, Unavailable


@pytest.mark.parametrize(
    "words",
    [
        b"fatal: write error: No space left on device\n",
        b"error: unable to write file .git/objects/ab: Disk quota exceeded\nfatal: adding files failed\n",
    ],
)
def test_a_full_disk_is_known_by_gits_words(words: bytes) -> None:
    assert says_no_space(words)


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(b"fatal: path 'src/No space left on device.py' does not exist in 'abc'\n", id="a file name"),
        pytest.param(b"fatal: path 'x: No space left on device' does not exist in 'abc'\n", id="a longer file name"),
        pytest.param(b"remote: error: No space left on device\n", id="the disk of a remote"),
        pytest.param(b"fatal: remote error: full: No space left on device\n", id="the error of a remote"),
        pytest.param(b"", id="nothing"),
    ],
)
def test_the_words_of_others_are_not_believed(words: bytes) -> None:
    assert not says_no_space(words)


def test_a_folder_that_is_away_is_no_full_disk(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="cannot be reached: No such file or directory"):
        check_space(tmp_path / "gone")


def _with(blocks: int, free: int) -> os.statvfs_result:
    return os.statvfs_result((4096, 4096, blocks, free, free, 0, 0, 0, 0, 255))


def test_only_a_disk_that_tells_its_size_can_be_full() -> None:
    check_disk(_with(0, 0), "/state")
    with pytest.raises(DiskFull, match="is full"):
        check_disk(_with(1_000_000, 0), "/state")


def test_a_disk_with_little_space_is_enough_until_something_says_that_it_is_not() -> None:
    little = _with(1_000_000, 1_000)
    check_disk(little, "/state")
    with pytest.raises(Unavailable, match="has too little space left for what ran here"):
        check_disk(little, "/state", PLENTY_BYTES)
