"""A commit of exactly one change, and of nothing that the gate should have refused."""

import fcntl
import os
from pathlib import Path

import pytest

from reknit.adapters.git.plumbing.write_commit import ATTRIBUTES, lock_folder, make_gitdir, replace_file
from reknit.adapters.git.trusted_repository import TrustedGit
from reknit.core.errors import InternalError
from reknit.core.repository.change import GITLINK, REGULAR, SYMLINK, Change, FileChange
from tests.adapters.git.users_git import AT, git, head


def test_a_commit_holds_exactly_the_change_and_is_repeatable(trusted: TrustedGit, user: Path, tree: Path) -> None:
    (tree / "app.py").write_text("two\n")
    (tree / "new.py").write_text("n\n")
    (tree / "keep.txt").unlink()
    change = trusted.snapshot(str(tree), head(user), "refs/reknit/run/1", at=AT)
    commit = trusted.commit(head(user), change, "fix: it\n\nwhy\n", at=AT)
    assert commit == trusted.commit(head(user), change, "fix: it\n\nwhy\n", at=AT)
    assert commit != trusted.commit(head(user), change, "fix: it\n\nwhy\n", at=AT + 1)
    assert trusted.change(head(user), commit) == change
    assert git(Path(trusted.gitdir), "--git-dir=.", "log", "-1", "--format=%an <%ae>|%ct|%P|%B", commit) == (
        f"reknit <reknit@localhost>|{int(AT)}|{head(user)}|fix: it\n\nwhy"
    )


@pytest.mark.parametrize(
    "file",
    [
        FileChange("link", None, b"/etc/passwd", 0, SYMLINK),
        FileChange("sub", None, b"1" * 40, 0, GITLINK),
        FileChange("sub", b"1" * 40, None, GITLINK, 0),
        FileChange(".git/config", None, b"", 0, REGULAR),
        FileChange("a/.GIT/config", None, b"", 0, REGULAR),
        FileChange("a/.g\u200cit/config", None, b"", 0, REGULAR),
        FileChange("git~1/config", None, b"", 0, REGULAR),
        FileChange("../up.py", None, b"", 0, REGULAR),
        FileChange("/etc/up.py", None, b"", 0, REGULAR),
        FileChange("a//b.py", None, b"", 0, REGULAR),
        FileChange("", None, b"", 0, REGULAR),
    ],
    ids=lambda file: f"{file.path!r} {file.mode_after:o}",
)
def test_a_commit_refuses_what_the_gate_should_have_refused(trusted: TrustedGit, user: Path, file: FileChange) -> None:
    with pytest.raises(InternalError) as refused:
        trusted.commit(head(user), Change((file,)), "m", at=AT)
    assert refused.value.name == "unsafe-path"


NEW = FileChange("n", None, b"n", 0, REGULAR)
OTHER_BASE = FileChange("app.py", b"other", b"n", REGULAR, REGULAR)
NO_CHANGE = FileChange("app.py", b"one\n", b"one\n", REGULAR, REGULAR)


@pytest.mark.parametrize(
    ("change", "name"),
    [
        pytest.param(Change(()), "not-committable", id="nothing"),
        pytest.param(Change((NEW,), (("p", "a special file"),)), "not-committable", id="unsafe"),
        pytest.param(Change((OTHER_BASE,)), "commit-differs", id="a change of other content"),
        pytest.param(Change((NO_CHANGE,)), "commit-differs", id="no change"),
    ],
)
def test_a_change_that_does_not_fit_is_not_committed(
    trusted: TrustedGit, user: Path, change: Change, name: str
) -> None:
    with pytest.raises(InternalError) as refused:
        trusted.commit(head(user), change, "m", at=AT)
    assert refused.value.name == name


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
    with pytest.raises(RuntimeError), lock_folder(tmp_path):
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
