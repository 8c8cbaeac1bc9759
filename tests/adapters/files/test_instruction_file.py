"""Text files that go into prompts: how large, of which kind, and by which way they are reached."""

import os
from pathlib import Path

import pytest

from reknit.adapters.files.instruction_file import LARGEST_BYTES, read_instruction
from reknit.core.errors import UsageProblem


def read(path: Path, below: Path) -> str:
    return read_instruction(path, below=below, where="there/x.md", kind="some-file")


def refused(path: Path, below: Path) -> str:
    with pytest.raises(UsageProblem) as caught:
        read(path, below)
    assert (caught.value.name, caught.value.where) == ("some-file", "there/x.md")
    assert caught.value.help
    return caught.value.what


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
