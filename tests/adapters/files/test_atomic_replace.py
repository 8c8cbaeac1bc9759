"""Replacing one file as a whole."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from reknit.adapters.files.atomic_replace import Content, locked, remove, replace


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    handle = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    with locked(handle):
        yield handle
    os.close(handle)


def test_the_new_content_has_the_old_rights(folder: int, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o640)
    (tmp_path / ".file.reknit-new").write_text("of a process that was killed")
    assert replace(folder, "file", Content(b"new", path.stat()), folder)
    assert (path.read_text(), path.stat().st_mode & 0o777, os.listdir(tmp_path)) == ("new", 0o640, ["file"])


def test_nobody_else_can_read_it_before_it_has_the_old_rights(
    folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modes, change = [], os.fchmod

    def look(number: int, mode: int) -> None:
        modes.append(os.fstat(number).st_mode & 0o777)
        change(number, mode)

    path = tmp_path / "file"
    path.touch(0o644)
    monkeypatch.setattr(os, "fchmod", look)
    assert replace(folder, "file", Content(b"new", path.stat()), folder)
    assert modes == [0o600]


def test_a_change_of_another_program_is_kept(folder: int, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    seen = path.stat()
    path.write_text("of another program")
    assert not replace(folder, "file", Content(b"new", seen), folder)
    assert not replace(folder, "file", Content(b"new", None), folder)
    assert not remove(folder, "file", seen)
    assert (path.read_text(), os.listdir(tmp_path)) == ("of another program", ["file"])
    assert remove(folder, "file", path.stat())
    assert not replace(folder, "file", Content(b"new", seen), folder)
    assert os.listdir(tmp_path) == []
