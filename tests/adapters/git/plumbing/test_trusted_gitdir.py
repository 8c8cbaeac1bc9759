"""reknit's own gitdir: made completely or not at all."""

import fcntl
import os
from pathlib import Path

import pytest

from reknit.adapters.git.plumbing.trusted_gitdir import ATTRIBUTES, locked, make_gitdir, replace_file
from reknit.adapters.git.trusted_repository import TrustedGit


def test_a_creation_that_was_killed_half_way_is_done_again(tmp_path: Path) -> None:
    half = tmp_path / ".trusted.git.unfinished"
    half.mkdir()
    (half / "HEAD").write_text("ref: refs/heads/main\n")
    (half / "config").write_text("[core]\n\thooksPath = /somewhere\n")
    made = TrustedGit.open(str(tmp_path / "trusted.git"))
    assert "somewhere" not in Path(made.gitdir, "config").read_text()
    assert not half.exists()


def test_opening_restores_the_attributes_file(trusted: TrustedGit) -> None:
    attributes = Path(trusted.gitdir, "info", "attributes")
    attributes.write_text("* filter=old\n")
    TrustedGit.open(trusted.gitdir)
    assert attributes.read_text() == ATTRIBUTES


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    (tmp_path / "config").write_text("old\n")
    with (tmp_path / "config").open() as reader:
        replace_file(tmp_path / "config", "new\n")
        assert reader.read() == "old\n", "whoever reads the old one is not disturbed"
    assert [path.name for path in tmp_path.iterdir()] == ["config"]
    assert (tmp_path / "config").read_text() == "new\n"


def test_a_folder_is_locked_for_one_at_a_time_and_free_after_a_failure(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), locked(tmp_path):
        other = os.open(tmp_path, os.O_RDONLY)
        with pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        raise RuntimeError
    fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(other)


def test_the_gitdir_is_for_its_owner_alone(tmp_path: Path) -> None:
    make_gitdir(tmp_path / "data" / "trusted.git")
    assert (tmp_path / "data" / "trusted.git").stat().st_mode & 0o777 == 0o700
    assert not (tmp_path / "data" / "trusted.git" / "hooks").exists()
