"""Removing folders that somebody else filled: deep, locked, large, linked, and still written to."""

import contextlib
import logging
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from reknit.adapters.files import folders
from reknit.adapters.files.folders import (
    PLENTY_BYTES,
    check_disk,
    check_space,
    discard,
    make_fresh,
    remove,
    says_no_space,
    temporary_folder,
)
from reknit.core.errors import DiskFullError, InternalError, UnavailableError

NOBODY = 65534


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder of an ordinary user, for whom modes count."""
    made = Path(tempfile.mkdtemp(prefix="reknit-test-"))
    if os.geteuid() == 0:
        os.chown(made, NOBODY, NOBODY)
    with _ordinary_user():
        yield made
        assert remove(made) == ""


@contextlib.contextmanager
def _ordinary_user() -> Iterator[None]:
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def deep(folder: Path, depth: int) -> None:
    """Deeper than a path can be long."""
    handle = os.open(folder, os.O_RDONLY)
    for number in range(depth):
        os.mkdir("d" * 20, dir_fd=handle)
        if number % 500 == 0:
            os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=handle))
        inner = os.open("d" * 20, os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = inner
    os.close(handle)


def test_folders_far_deeper_than_python_recurses(place: Path) -> None:
    folder = place / "deep"
    folder.mkdir()
    deep(folder, 4_000)
    with pytest.raises(OSError, match="too long"):  # so the tree is what it should be
        Path(folder, *["d" * 20] * 4_000).stat()
    assert remove(folder) == ""
    assert not os.path.lexists(folder)


def test_folders_without_any_rights(place: Path) -> None:
    inner = place / "locked" / "inner" / "inmost"
    inner.mkdir(parents=True)
    (inner / "file").write_text("x")
    for folder in (inner, inner.parent, place / "locked"):
        folder.chmod(0)
    with pytest.raises(PermissionError):
        shutil.rmtree(place / "locked")
    assert remove(place / "locked") == ""
    assert list(place.iterdir()) == []


def test_links_are_removed_and_never_followed(place: Path) -> None:
    outside = place / "outside"
    outside.mkdir(mode=0o755)
    (outside / "kept").write_text("x")
    inside = place / "inside"
    (inside / "a").mkdir(parents=True)
    (inside / "folder").symlink_to(outside)
    (inside / "a" / "file").symlink_to(outside / "kept")
    (inside / "loop").symlink_to(".")
    os.mkfifo(inside / "pipe")
    assert remove(inside) == ""
    assert (outside / "kept").read_text() == "x"
    assert outside.stat().st_mode & 0o777 == 0o755
    (place / "link").symlink_to(outside)
    assert remove(place / "link") == ""
    assert (outside / "kept").exists()


def test_files_that_appear_meanwhile(place: Path) -> None:
    folder = place / "busy"
    folder.mkdir()
    over = threading.Event()

    def write() -> None:
        for number in range(100_000):
            if over.is_set():
                return
            with contextlib.suppress(FileNotFoundError):
                (folder / f"f{number % 50}").touch()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        left = remove(folder, within_s=20)
    finally:
        over.set()
        writer.join()
    assert left in ("", "it is still being written to", "Directory not empty")
    assert remove(folder) == ""


def test_it_ends_in_its_time(place: Path) -> None:
    folder = place / "large"
    folder.mkdir()
    for number in range(100):
        (folder / str(number)).touch()
    assert remove(folder, within_s=-1.0) == "it took too long"
    assert remove(folder) == ""


def test_what_is_not_there_or_no_folder(place: Path) -> None:
    assert remove(place / "nothing") == ""
    (place / "file").touch()
    assert remove(place / "file") == ""


def test_what_cannot_be_removed_is_logged_and_moved_aside(place: Path, caplog: pytest.LogCaptureFixture) -> None:
    (place / "room" / "full").mkdir(parents=True)
    with caplog.at_level(logging.WARNING, "reknit"), pytest.MonkeyPatch.context() as patch:
        patch.setattr(remove, "__kwdefaults__", {"within_s": -1.0})  # too little time stands for a file that stays
        discard(place / "room")
        make_fresh(place / "room")
    assert "could not be removed" in caplog.text
    assert list((place / "room").iterdir()) == []
    assert [(left / "full").is_dir() for left in place.glob("room.left-*")] == [True]


def test_a_place_that_cannot_be_made_fresh_is_our_own_problem(place: Path) -> None:
    (place / "shut").mkdir()
    (place / "shut" / "room").mkdir()
    (place / "shut").chmod(0o500)
    with pytest.raises(InternalError, match="could not be emptied: Permission denied"):
        make_fresh(place / "shut" / "room")


def test_a_temporary_folder_is_gone_afterwards(place: Path) -> None:
    with temporary_folder("x-", str(place)) as folder:
        (Path(folder) / "locked").mkdir(mode=0)
    assert list(place.iterdir()) == []


def test_the_depth_is_one_that_python_cannot_recurse() -> None:
    assert sys.getrecursionlimit() < 4_000
    assert folders.REMOVAL_S <= 300


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
    with pytest.raises(UnavailableError, match="cannot be reached: No such file or directory"):
        check_space(tmp_path / "gone")


def _with(blocks: int, free: int) -> os.statvfs_result:
    return os.statvfs_result((4096, 4096, blocks, free, free, 0, 0, 0, 0, 255))


def test_only_a_disk_that_tells_its_size_can_be_full() -> None:
    check_disk(_with(0, 0), "/state")
    with pytest.raises(DiskFullError, match="is full"):
        check_disk(_with(1_000_000, 0), "/state")


def test_a_disk_with_little_space_is_enough_until_something_says_that_it_is_not() -> None:
    little = _with(1_000_000, 1_000)
    check_disk(little, "/state")
    with pytest.raises(UnavailableError, match="has too little space left for what ran here"):
        check_disk(little, "/state", PLENTY_BYTES)
