"""Bringing a commit from every kind of repository a user may have."""

import shutil
from pathlib import Path

import pytest

from reknit.adapters.git.local_import import common_gitdir
from reknit.adapters.git.trusted_repository import TrustedGit
from reknit.core.errors import InternalError, UsageError
from tests.adapters.git.users_git import files_of, git, head


def test_fetch_brings_history_and_no_fetch_head(trusted: TrustedGit, user: Path) -> None:
    (user / "app.py").write_text("two\n")
    git(user, "commit", "--quiet", "--all", "--message=two")
    first, second = git(user, "rev-parse", "HEAD~1"), head(user)
    trusted.fetch(str(user), second)
    trusted.fetch(str(user), second)
    assert files_of(trusted.change(first, second)) == {"app.py": b"two\n"}
    assert not Path(trusted.gitdir, "FETCH_HEAD").exists()
    refs = git(Path(trusted.gitdir), "--git-dir=.", "for-each-ref", "--format=%(refname)").split()
    assert sorted(refs) == sorted(f"refs/reknit/base/{sha}" for sha in (first, second))


def test_a_fetched_commit_no_longer_needs_the_users_repository(trusted: TrustedGit, user: Path, tmp_path: Path) -> None:
    commit = head(user)
    shutil.rmtree(user)
    trusted.fetch(str(user), commit)
    trusted.write_tree_to(commit, str(tmp_path / "again"))
    assert (tmp_path / "again" / "lib/deep/x.py").read_text() == "x\n"
    git(Path(trusted.gitdir), "--git-dir=.", "fsck", "--strict")


def test_fetch_from_a_linked_worktree(trusted: TrustedGit, user: Path, tmp_path: Path) -> None:
    linked = tmp_path / 'linked: "odd" name'
    git(user, "worktree", "add", "--quiet", "-b", "side", str(linked))
    (linked / "app.py").write_text("side\n")
    git(linked, "commit", "--quiet", "--all", "--message=side")
    trusted.fetch(str(linked), head(linked))
    assert files_of(trusted.change(head(user), head(linked))) == {"app.py": b"side\n"}


@pytest.mark.parametrize("option", ["--depth=2", "--filter=blob:none"])
def test_fetch_from_a_repository_with_an_incomplete_history(user: Path, tmp_path: Path, option: str) -> None:
    for text in ("two\n", "three\n", "four\n"):
        (user / "app.py").write_text(text)
        git(user, "commit", "--quiet", "--all", f"--message={text}")
    git(user, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "--quiet", option, f"file://{user}", "partly")
    partly = tmp_path / "partly"
    made = TrustedGit.open(str(tmp_path / "other.git"))
    made.fetch(str(partly), head(partly))
    (partly / "app.py").write_text("five\n")
    git(partly, "commit", "--quiet", "--all", "--message=five")
    made.fetch(str(partly), head(partly))
    made.write_tree_to(head(partly), str(tmp_path / "tree"))
    assert (tmp_path / "tree" / "app.py").read_text() == "five\n"
    git(Path(made.gitdir), "--git-dir=.", "fsck", "--strict")
    assert git(Path(made.gitdir), "--git-dir=.", "log", "--format=%s", head(partly)).startswith("five")


def test_fetch_of_an_unknown_commit_is_a_clear_problem(trusted: TrustedGit, user: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        trusted.fetch(str(user), "1" * 40)
    with pytest.raises(InternalError):
        trusted.fetch(str(user), "--all")
    with pytest.raises(UsageError, match="not the top"):
        trusted.fetch(str(user / "lib"), "2" * 40)


def test_an_agent_that_is_shown_the_gitdir_can_use_git(trusted: TrustedGit, user: Path, tree: Path) -> None:
    shutil.copytree(trusted.gitdir, tree / ".git")
    git(tree, "config", "core.bare", "false")
    (tree / "app.py").write_text("two\n")
    assert git(tree, "log", "--format=%s") == "start"
    assert git(tree, "status", "--porcelain") == "M app.py"
    assert "+two" in git(tree, "diff")


def test_a_plain_repository_has_its_own(user: Path) -> None:
    assert common_gitdir(str(user)) == user / ".git"


def test_worktrees_share_that_of_the_first(user: Path, tmp_path: Path) -> None:
    git(user, "worktree", "add", "--quiet", "-b", "side", str(tmp_path / "linked"))
    assert common_gitdir(str(tmp_path / "linked")) == user / ".git"


def test_a_pointer_may_be_relative(user: Path, tmp_path: Path) -> None:
    (tmp_path / "beside").mkdir()
    (tmp_path / "beside/.git").write_text("gitdir: ../user/.git\n")
    assert common_gitdir(str(tmp_path / "beside")) == user / ".git"


@pytest.mark.parametrize(
    "marker",
    [
        pytest.param(None, id="none"),
        pytest.param("", id="empty"),
        pytest.param("somewhere else\n", id="no pointer"),
        pytest.param("gitdir: /nonexistent\n", id="a pointer to nothing"),
        pytest.param("gitdir: .\n", id="a pointer to a folder without objects"),
    ],
)
def test_what_is_no_repository_is_a_clear_problem(tmp_path: Path, marker: str | None) -> None:
    if marker is not None:
        (tmp_path / ".git").write_text(marker)
    with pytest.raises(UsageError, match="is not the top of a git working tree"):
        common_gitdir(str(tmp_path))
