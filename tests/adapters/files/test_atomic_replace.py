"""Replacing one file as a whole."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from reknit.adapters.files.atomic_replace import Content, lock_folder, read_settings, remove, replace, write_settings
from reknit.core.errors import UnavailableError, UsageError


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    handle = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    with lock_folder(handle):
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


def test_rights_and_links_stay(tmp_path: Path) -> None:
    real, link = tmp_path / "dotfiles" / "real.json", tmp_path / "settings.json"
    real.parent.mkdir()
    real.write_bytes(b"old\r\n")
    real.chmod(0o600)
    link.symlink_to("dotfiles/real.json")
    write_settings(link, read_settings(link), b"new\r\n")
    assert (os.readlink(link), real.read_bytes(), real.stat().st_mode & 0o777) == (
        "dotfiles/real.json",
        b"new\r\n",
        0o600,
    )
    assert os.listdir(real.parent) == ["real.json"]
    write_settings(link, read_settings(link), None)
    assert (link.is_symlink(), real.exists()) == (True, False)
    write_settings(link, read_settings(link), b"again")
    assert real.read_bytes() == b"again"


def test_folders_are_made(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "settings.json"
    assert read_settings(path).facts is None
    write_settings(path, read_settings(path), b"{}")
    assert path.read_bytes() == b"{}"


def test_a_change_of_another_program_is_never_lost(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text("old")
    old = read_settings(path)
    path.write_text("theirs")
    for data in (b"new", None):
        with pytest.raises(UnavailableError, match="is being changed by another program"):
            write_settings(path, old, data)
    assert path.read_text() == "theirs"


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "file").touch()
    for name in ("folder", "pipe", "loop", "file/settings.json"):
        with pytest.raises(UsageError, match=name):
            read_settings(tmp_path / name)
