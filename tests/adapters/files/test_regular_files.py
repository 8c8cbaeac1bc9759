"""Opening what somebody names: only regular files, and without waiting."""

import os
import socket
from pathlib import Path

import pytest

from reknit.adapters.files.regular_files import open_plain, read_plain, read_plain_text
from reknit.core.errors import UsageProblem


def test_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("é")
    (tmp_path / "link").symlink_to("a")
    assert read_plain(tmp_path / "a") == "é".encode()
    assert read_plain_text(str(tmp_path / "link")) == "é"
    with open_plain(tmp_path / "a") as opened:
        assert os.get_inheritable(opened.fileno()) is False


def test_what_is_no_file_is_refused_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        monkeypatch.chdir(tmp_path)
        listener.bind("socket")
        for path, kind in (
            ("pipe", "a named pipe"),
            (".", "a folder"),
            ("/dev/zero", "a device"),
            ("/dev/tty", "a dev"),
        ):
            with pytest.raises((UsageProblem, OSError)) as refused:
                read_plain(path)
            assert kind in str(refused.value) or isinstance(refused.value, OSError)
        with pytest.raises(OSError, match="No such device"):
            read_plain("socket")


def test_what_is_too_large_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "large").open("wb") as file:
        file.truncate(20_000_000)
    with pytest.raises(UsageProblem, match=r"'.*large' is larger than 10 MB"):
        read_plain(tmp_path / "large")
    assert len(read_plain(tmp_path / "large", most_bytes=20_000_000)) == 20_000_000


def test_what_is_not_there_is_said_as_usual(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_plain(tmp_path / "nothing")
