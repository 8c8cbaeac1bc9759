"""The probes' own tools, outside a box: each must be able to say that a wall is missing."""

import errno
import os
from pathlib import Path

import pytest

from reknit.adapters.box.bubblewrap import probes


def raising(number: int) -> None:
    raise OSError(number, os.strerror(number))


def test_a_refusal_counts_only_if_it_is_the_right_one() -> None:
    assert probes.check_refused(lambda: raising(errno.EROFS), errno.EROFS)[0]
    assert probes.check_refused(lambda: raising(errno.EROFS))[0]
    assert not probes.check_refused(lambda: raising(errno.ENOSPC), errno.EROFS)[0]
    assert probes.check_refused(lambda: None, errno.EROFS) == (False, "it was not refused")


def test_a_call_that_failed_raises_what_the_kernel_said() -> None:
    probes.raise_on_failure(0)
    assert probes.check_refused(lambda: probes.raise_on_failure(probes.LIBC.close(-1)), errno.EBADF)[0]


def test_links_are_not_followed_while_looking(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/key").touch()
    (tmp_path / "link").symlink_to("/etc")
    assert sorted(probes.walk_files(str(tmp_path))) == [f"{tmp_path}/a/b/key"]
    assert list(probes.walk_files(str(tmp_path / "gone"))) == []
    assert list(probes.list_files(str(tmp_path / "a/b/key"))) == [f"{tmp_path}/a/b/key"]
    assert list(probes.list_files(str(tmp_path / "gone"))) == []


def test_a_place_that_can_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "open").touch()
    assert probes.check_locked(str(tmp_path)) == (False, f"{tmp_path}/open was opened for writing")
    (tmp_path / "open").unlink()
    assert probes.check_locked(str(tmp_path)) == (False, f"{tmp_path} is mounted read-write")


def test_what_nobody_can_write_needs_no_wall(tmp_path: Path) -> None:
    (tmp_path / "closed").touch(mode=0o444)
    assert probes.check_locked(str(tmp_path / "closed")) == (True, "")
    assert probes.check_locked(str(tmp_path / "gone")) == (True, "")


def test_an_open_pipe_does_not_hang_a_probe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert probes.can_open(str(tmp_path / "pipe"), os.O_RDONLY)
    assert not probes.can_open(str(tmp_path / "pipe"), os.O_WRONLY), "nobody reads it"


def test_private_folders_must_be_writable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "TMPDIR"):
        monkeypatch.setenv(name, str(tmp_path))
    assert probes.write_private_folders() == (True, "")
    monkeypatch.setenv("TMPDIR", str(tmp_path / "gone"))
    with pytest.raises(FileNotFoundError):
        probes.write_private_folders()
    assert probes.measure_size(str(tmp_path)) > 0
