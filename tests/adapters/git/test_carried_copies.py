"""Ignored entries in a fresh tree: small ones are copied, and nothing leads out of either folder."""

import os
import resource
from pathlib import Path

import pytest

from reknit.adapters.git.carried_copies import FOLDER, TOTAL, CopyLimit, copy_small


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    for name in ("repository", "tree"):
        (tmp_path / name).mkdir()
    return tmp_path / "repository", tmp_path / "tree"


def copied(folders: tuple[Path, Path], *entries: str) -> set[str]:
    return set(copy_small(str(folders[0]), str(folders[1]), entries))


def test_files_and_small_folders_are_copied_with_times_and_modes(folders: tuple[Path, Path]) -> None:
    repository, tree = folders
    (repository / "gen" / "inner").mkdir(parents=True)
    tool = repository / "gen" / "inner" / "tool"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    os.utime(tool, (1_000_000, 1_000_000))
    (repository / "gen" / "link").symlink_to("/nowhere")
    (repository / "test.db").write_bytes(b"data")
    assert copied(folders, "gen", "test.db", "deeper/not-there") == {"gen", "test.db"}
    facts = (tree / "gen" / "inner" / "tool").stat()
    assert (facts.st_mtime, facts.st_mode & 0o777) == (1_000_000, 0o755)
    assert os.readlink(tree / "gen" / "link") == "/nowhere"
    (tree / "test.db").write_bytes(b"changed")
    assert (repository / "test.db").read_bytes() == b"data"


def test_what_is_large_or_special_is_left_to_the_box(folders: tuple[Path, Path]) -> None:
    repository, tree = folders
    (repository / "many").mkdir()
    for number in range(FOLDER.files):
        (repository / "many" / str(number)).touch()
    (repository / "large").mkdir()
    for name, size in (("large/file", FOLDER.bytes), ("huge", TOTAL.bytes)):
        with (repository / name).open("wb") as file:
            file.truncate(size + 1)
    (repository / "with-a-pipe").mkdir()
    os.mkfifo(repository / "with-a-pipe" / "pipe")
    os.mkfifo(repository / "pipe")
    assert copied(folders, "many", "large", "huge", "with-a-pipe", "pipe") == set()
    assert os.listdir(tree) == []


def test_all_copies_together_are_bounded_and_files_come_first(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    repository, _ = folders
    for name in ("a/x", "b/x"):
        (repository / name).parent.mkdir()
        (repository / name).touch()
    (repository / "c").touch()
    monkeypatch.setattr("reknit.adapters.git.carried_copies.TOTAL", CopyLimit(3, TOTAL.bytes))
    assert copied(folders, "a", "b", "c") == {"a", "c"}


@pytest.mark.parametrize("entry", ["link", "folder-link/x", "../outside", "/etc/passwd", ""])
def test_no_link_and_no_way_out_is_followed_in_the_original(folders: tuple[Path, Path], entry: str) -> None:
    repository, _ = folders
    (repository.parent / "outside").mkdir()
    (repository.parent / "outside" / "x").touch()
    (repository / "link").symlink_to("../outside/x")
    (repository / "folder-link").symlink_to("../outside")
    assert copied(folders, entry) == set()


def test_the_commits_own_entries_are_kept_and_its_links_not_followed(folders: tuple[Path, Path]) -> None:
    repository, tree = folders
    for name in ("gen/x", "kept"):
        (repository / name).parent.mkdir(exist_ok=True)
        (repository / name).write_text("ignored here")
    (tree / "gen").symlink_to(repository.parent)
    (tree / "kept").write_text("of the commit")
    assert copied(folders, "gen/x", "kept", "gen") == set()
    assert (tree / "kept").read_text() == "of the commit"
    assert not (repository.parent / "x").exists()


def test_what_fails_on_the_way_is_not_half_copied(folders: tuple[Path, Path]) -> None:
    repository, tree = folders
    (repository / "gen").mkdir()
    for name in ("a", "large", "z"):
        (repository / "gen" / name).write_bytes(b"x" * (10_000 if name == "large" else 10))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, before[1]))
    try:
        assert copied(folders, "gen") == set()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert os.listdir(tree) == []
