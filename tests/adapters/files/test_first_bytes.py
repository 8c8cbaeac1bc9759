"""How files begin: no link is followed, nothing blocks, and a long file is not read to its end."""

import os
from pathlib import Path

from reknit.adapters.files.first_bytes import SYMLINK, first_bytes


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
    assert first_bytes(str(root), paths, 4) == {
        "a.md": b"x\xff", "docs/a.md": b"0123", "docs/link.md": SYMLINK, "docs/lost.md": SYMLINK,
        "linked/secret.md": SYMLINK,
    }  # fmt: skip


def test_a_root_that_is_a_link_is_the_users_own_choice(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.md").write_text("a")
    (tmp_path / "link").symlink_to("real")
    assert first_bytes(str(tmp_path / "link"), ["a.md"], 9) == {"a.md": b"a"}


def test_a_path_through_a_file_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a")
    assert "Not a directory" in str(first_bytes(str(tmp_path), ["a/b.md"], 9)["a/b.md"])


def test_a_name_that_is_too_long_is_said(tmp_path: Path) -> None:
    name = "a" * 300
    assert first_bytes(str(tmp_path), [name], 9) == {name: "it cannot be read: File name too long"}
