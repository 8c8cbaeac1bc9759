"""Opening what somebody names: only regular files, and without waiting."""

import os
import socket
from pathlib import Path

import pytest

from reknit.adapters.files.regular_files import (
    LARGEST_BYTES,
    SYMLINK,
    open_plain,
    read_first_bytes,
    read_instruction,
    read_plain,
    read_plain_text,
)
from reknit.core.errors import UsageError


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
            with pytest.raises((UsageError, OSError)) as refused:
                read_plain(path)
            assert kind in str(refused.value) or isinstance(refused.value, OSError)
        with pytest.raises(OSError, match="No such device"):
            read_plain("socket")


def test_what_is_too_large_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "large").open("wb") as file:
        file.truncate(20_000_000)
    with pytest.raises(UsageError, match=r"'.*large' is larger than 10 MB"):
        read_plain(tmp_path / "large")
    assert len(read_plain(tmp_path / "large", most_bytes=20_000_000)) == 20_000_000


def test_what_is_not_there_is_said_as_usual(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_plain(tmp_path / "nothing")


def test_only_regular_files_below_real_folders_are_read(tmp_path: Path) -> None:
    outside, root = tmp_path / "outside", tmp_path / "root"
    outside.mkdir()
    (outside / "secret.md").write_text("secret")
    (root / "docs").mkdir(parents=True)
    (root / "docs" / "a.md").write_text("0123456789")
    (root / "docs" / "link.md").symlink_to(outside / "secret.md")
    (root / "docs" / "lost.md").symlink_to("nowhere")
    (root / "linked").symlink_to(outside)
    (root / "folder.md").mkdir()
    os.mkfifo(root / "pipe.md")
    (root / "a.md").write_bytes(b"x\xff")
    paths = ["a.md", "docs/a.md", "docs/link.md", "docs/lost.md", "linked/secret.md", "folder.md", "pipe.md", "no.md"]
    assert read_first_bytes(str(root), paths, 4) == {
        "a.md": b"x\xff", "docs/a.md": b"0123", "docs/link.md": SYMLINK, "docs/lost.md": SYMLINK,
        "linked/secret.md": SYMLINK,
    }  # fmt: skip


def test_a_root_that_is_a_link_is_the_users_own_choice(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.md").write_text("a")
    (tmp_path / "link").symlink_to("real")
    assert read_first_bytes(str(tmp_path / "link"), ["a.md"], 9) == {"a.md": b"a"}


def test_a_path_through_a_file_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a")
    assert "Not a directory" in str(read_first_bytes(str(tmp_path), ["a/b.md"], 9)["a/b.md"])


def test_a_name_that_is_too_long_is_said(tmp_path: Path) -> None:
    name = "a" * 300
    assert read_first_bytes(str(tmp_path), [name], 9) == {name: "it cannot be read: File name too long"}


def read(path: Path, below: Path) -> str:
    return read_instruction(path, below=below, where="there/x.md", kind="some-file")


def refused(path: Path, below: Path) -> str:
    with pytest.raises(UsageError) as caught:
        read(path, below)
    assert (caught.value.name, caught.value.where) == ("some-file", "there/x.md")
    assert caught.value.help
    return caught.value.message


def test_text_is_returned_as_it_is_up_to_a_size(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_bytes("é\r\n".encode() + b"x" * (LARGEST_BYTES - 4))
    assert read(path, tmp_path).startswith("é\r\nx")
    path.write_bytes(b"x" * (LARGEST_BYTES + 1))
    assert refused(path, tmp_path) == "it is larger than 64 KB"


def test_it_must_be_utf8(tmp_path: Path) -> None:
    (tmp_path / "x.md").write_bytes(b"caf\xe9")
    assert refused(tmp_path / "x.md", tmp_path) == "it is not UTF-8 text"


def test_what_is_no_file_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.md")
    assert refused(tmp_path / "x.md", tmp_path) == "it is not a file"


@pytest.mark.parametrize("link", ["a/b/x.md", "a/b", "a"])
def test_no_step_below_the_folder_is_a_link(tmp_path: Path, link: str) -> None:
    real, root = tmp_path / "real", tmp_path / "root"
    (real / "a" / "b").mkdir(parents=True)
    (real / "a" / "b" / "x.md").write_text("words")
    (root / link).parent.mkdir(parents=True)
    (root / link).symlink_to(real / link)
    assert refused(root / "a" / "b" / "x.md", root) == "it is a symlink, or is reached through one"


def test_the_folder_itself_may_be_one(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "x.md").write_text("words")
    (tmp_path / "root").symlink_to("real")
    assert read(tmp_path / "root" / "x.md", tmp_path / "root") == "words"
