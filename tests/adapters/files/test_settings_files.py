"""A settings file of the user: read, replaced, removed."""

import os
from pathlib import Path

import pytest

from reknit.adapters.files.settings_files import read_settings, write_settings
from reknit.core.errors import Unavailable, UsageProblem


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
        with pytest.raises(Unavailable, match="is being changed by another program"):
            write_settings(path, old, data)
    assert path.read_text() == "theirs"


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "file").touch()
    for name in ("folder", "pipe", "loop", "file/settings.json"):
        with pytest.raises(UsageProblem, match=name):
            read_settings(tmp_path / name)
