"""Landing in the user's repository and undoing it: one branch changes, nothing else."""

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reknit.adapters.git import landing
from reknit.adapters.git.landing import commit_all
from reknit.adapters.git.trusted_repository import TrustedGit
from reknit.core.errors import InternalError, ReknitError, UsageError
from tests.adapters.git.users_git import git, head, repository
from tests.tools.repository_print import fingerprint

BRANCH = "reknit/run-1"
AT = 1_700_000_000.0


@pytest.fixture
def user(tmp_path: Path) -> Path:
    made = repository(tmp_path / "user", {"app.py": "one\n", "lib/x.py": "x\n"})
    git(made, "branch", "other")
    git(made, "tag", "v1")
    git(made, "pack-refs", "--all")
    (made / "app.py").write_text("work in progress\n")
    (made / "staged.py").write_text("s\n")
    git(made, "add", "staged.py")
    return made


@pytest.fixture
def trusted(tmp_path: Path, user: Path) -> TrustedGit:
    made = TrustedGit.open(str(tmp_path / "trusted.git"))
    made.fetch(str(user), head(user))
    return made


def fix(trusted: TrustedGit, base: str, text: str, tmp_path: Path) -> str:
    tree = tmp_path / "tree"
    trusted.write_tree_to(base, str(tree))
    (tree / "app.py").write_text(text)
    change = trusted.snapshot(str(tree), base, "refs/reknit/s", at=AT)
    return trusted.commit(base, change, "fix\n", at=AT)


def tip(user: Path, branch: str = BRANCH) -> str:
    return git(user, "rev-parse", "--verify", "--quiet", f"refs/heads/{branch}", check=False)


def test_only_the_branch_changes(trusted: TrustedGit, user: Path, tmp_path: Path) -> None:
    before = fingerprint(user)
    trusted.fetch(str(user), head(user))
    commit = fix(trusted, head(user), "two\n", tmp_path)
    trusted.land(str(user), commit, BRANCH)
    trusted.land(str(user), commit, BRANCH)
    assert tip(user) == commit
    assert git(user, "show", f"{BRANCH}:app.py") == "two"
    git(user, "fsck", "--strict")
    assert fingerprint(user) == before
    assert not (user / ".git" / "FETCH_HEAD").exists()
    assert trusted.remove_branch(str(user), BRANCH, commit) is True
    assert trusted.remove_branch(str(user), BRANCH, commit) is False
    assert fingerprint(user) == before
    assert not (user / ".git/refs/heads/reknit").exists() and not (user / ".git/logs/refs/heads/reknit").exists()


@pytest.mark.parametrize(
    "touch",
    [
        lambda user: (user / "new.txt").write_text(""),
        lambda user: os.utime(user / "lib/x.py", (1, 1)),
        lambda user: git(user, "branch", "noise"),
        lambda user: git(user, "config", "a.b", "c"),
        lambda user: git(user, "add", "app.py"),
        lambda user: (user / ".git/FETCH_HEAD").touch(),
        lambda user: git(user, "update-ref", "-d", "refs/tags/v1"),
        lambda user: git(user, "symbolic-ref", "HEAD", "refs/heads/other"),
    ],
    ids=["a file", "a time", "a branch", "config", "index", "FETCH_HEAD", "a packed tag", "HEAD"],
)
def test_the_fingerprint_notices(user: Path, touch: Callable[[Path], object]) -> None:
    before = fingerprint(user)
    touch(user)
    assert fingerprint(user) != before


def test_a_branch_is_fast_forwarded(trusted: TrustedGit, user: Path, tmp_path: Path) -> None:
    first = fix(trusted, head(user), "two\n", tmp_path)
    second = fix(trusted, first, "three\n", tmp_path)
    trusted.land(str(user), first, BRANCH)
    trusted.land(str(user), second, BRANCH)
    assert tip(user) == second


def test_a_branch_is_never_forced(trusted: TrustedGit, user: Path, tmp_path: Path) -> None:
    mine, theirs = fix(trusted, head(user), "two\n", tmp_path), fix(trusted, head(user), "three\n", tmp_path)
    trusted.land(str(user), theirs, BRANCH)
    with pytest.raises(UsageError) as refused:
        trusted.land(str(user), mine, BRANCH)
    assert refused.value.name == "branch-moved" and tip(user) == theirs
    with pytest.raises(UsageError) as refused:
        trusted.remove_branch(str(user), BRANCH, mine)
    assert refused.value.name == "branch-moved" and tip(user) == theirs
    assert trusted.remove_branch(str(user), BRANCH, None) is True


def test_a_checked_out_branch_is_left_alone(trusted: TrustedGit, user: Path, tmp_path: Path) -> None:
    first = fix(trusted, head(user), "two\n", tmp_path)
    second = fix(trusted, first, "three\n", tmp_path)
    trusted.land(str(user), first, BRANCH)
    git(user, "worktree", "add", "--quiet", str(tmp_path / "linked"), BRANCH)
    trusted.land(str(user), first, BRANCH)
    for act in (
        lambda: trusted.land(str(user), second, BRANCH),
        lambda: trusted.remove_branch(str(user), BRANCH, first),
    ):
        with pytest.raises(UsageError) as refused:
            act()
        assert refused.value.name == "branch-checked-out" and "linked" in refused.value.message
    assert tip(user) == first


def test_landing_from_a_linked_worktree(trusted: TrustedGit, user: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    git(user, "worktree", "add", "--quiet", "-b", "side", str(linked))
    before = fingerprint(linked)
    commit = fix(trusted, head(linked), "two\n", tmp_path)
    trusted.land(str(linked), commit, BRANCH)
    assert tip(user) == commit
    assert fingerprint(linked) == before
    trusted.remove_branch(str(linked), BRANCH, commit)
    assert fingerprint(linked) == before


def test_a_base_that_the_user_threw_away_is_brought_back(trusted: TrustedGit, user: Path, tmp_path: Path) -> None:
    commit = fix(trusted, head(user), "two\n", tmp_path)
    git(user, "commit", "--quiet", "--amend", "--message=other words")
    for ref in ("refs/heads/other", "refs/tags/v1"):
        git(user, "update-ref", "-d", ref)
    git(user, "reflog", "expire", "--expire=now", "--all")
    git(user, "gc", "--quiet", "--prune=now")
    trusted.land(str(user), commit, BRANCH)
    git(user, "fsck", "--strict")
    assert git(user, "log", "--format=%s", BRANCH).split() == ["fix", "start"]


def test_a_symbolic_branch_is_not_written_through(trusted: TrustedGit, user: Path, tmp_path: Path) -> None:
    git(user, "symbolic-ref", f"refs/heads/{BRANCH}", "refs/heads/other")
    other = tip(user, "other")
    trusted.land(str(user), fix(trusted, head(user), "two\n", tmp_path), BRANCH)
    assert tip(user, "other") == other


@pytest.mark.parametrize(
    "branch", ["main", "reknit", "reknit/../main", "reknit/a b", "reknit/", "--force", "reknit/x.lock"]
)
def test_other_branches_are_never_written(trusted: TrustedGit, user: Path, tmp_path: Path, branch: str) -> None:
    commit = fix(trusted, head(user), "two\n", tmp_path)
    before = fingerprint(user)
    with pytest.raises(InternalError, match="not a branch that reknit may write"):
        trusted.land(str(user), commit, branch)
    with pytest.raises(InternalError, match="not a branch that reknit may write"):
        trusted.remove_branch(str(user), branch, None)
    assert fingerprint(user) == before


@pytest.mark.parametrize("in_the_way", ["reknit", "reknit/run-1/x"])
def test_a_branch_in_the_way_is_a_clear_problem(
    trusted: TrustedGit, user: Path, tmp_path: Path, in_the_way: str
) -> None:
    git(user, "branch", in_the_way)
    with pytest.raises(ReknitError) as refused:
        trusted.land(str(user), fix(trusted, head(user), "two\n", tmp_path), BRANCH)
    assert refused.value.name == "cannot-land" and "refs/heads/reknit" in refused.value.message


@pytest.mark.parametrize("same", [True, False], ids=["at the same commit", "at another"])
def test_a_branch_that_appears_meanwhile(
    trusted: TrustedGit, user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, same: bool
) -> None:
    commit = fix(trusted, head(user), "two\n", tmp_path)
    copy = landing._copy_objects

    def copy_slowly(*where: Any) -> None:
        copy(*where)
        git(user, "branch", BRANCH, commit if same else "main")

    monkeypatch.setattr(landing, "_copy_objects", copy_slowly)
    if same:
        trusted.land(str(user), commit, BRANCH)
        return
    with pytest.raises(UsageError) as refused:
        trusted.land(str(user), commit, BRANCH)
    assert refused.value.name == "branch-moved" and tip(user) == head(user)


def test_objects_that_cannot_be_written_are_a_clear_problem(trusted: TrustedGit, user: Path, tmp_path: Path) -> None:
    commit = fix(trusted, head(user), "two\n", tmp_path)
    (user / ".git" / "objects" / commit[:2]).write_text("in the way")
    with pytest.raises(UsageError, match="could not be copied"):
        trusted.land(str(user), commit, BRANCH)
    assert tip(user) == ""


def test_a_locked_branch_is_a_clear_problem(trusted: TrustedGit, user: Path, tmp_path: Path) -> None:
    first = fix(trusted, head(user), "two\n", tmp_path)
    second = fix(trusted, first, "three\n", tmp_path)
    trusted.land(str(user), first, BRANCH)
    lock = user / ".git" / "refs" / "heads" / f"{BRANCH}.lock"
    lock.touch()
    with pytest.raises(UsageError, match="could not be written"):
        trusted.land(str(user), second, BRANCH)
    with pytest.raises(UsageError, match="could not be removed"):
        trusted.remove_branch(str(user), BRANCH, first)
    lock.unlink()
    assert tip(user) == first


def test_a_folder_without_a_repository_is_a_clear_problem(trusted: TrustedGit, user: Path, tmp_path: Path) -> None:
    (tmp_path / "empty" / ".git").mkdir(parents=True)
    with pytest.raises(UsageError, match="not the top"):
        trusted.land(str(tmp_path / "empty"), head(user), BRANCH)


def test_a_packed_branch_is_removed_too(trusted: TrustedGit, user: Path, tmp_path: Path) -> None:
    commit = fix(trusted, head(user), "two\n", tmp_path)
    trusted.land(str(user), commit, BRANCH)
    git(user, "pack-refs", "--all")
    trusted.land(str(user), commit, "reknit/run-2")
    assert trusted.remove_branch(str(user), BRANCH, commit) is True
    assert tip(user) == "" and tip(user, "reknit/run-2") == commit
    git(user, "pack-refs", "--all")
    assert trusted.remove_branch(str(user), "reknit/run-2", None) is True
    assert not (user / ".git/refs/heads/reknit").exists() and not (user / ".git/logs/refs/heads/reknit").exists()


def test_folders_that_a_killed_git_left_go_too(trusted: TrustedGit, user: Path, tmp_path: Path) -> None:
    git(user, "config", "core.logAllRefUpdates", "false")
    commit = fix(trusted, head(user), "two\n", tmp_path)
    trusted.land(str(user), commit, BRANCH)
    for folder in ("refs/heads/reknit", "logs/refs/heads/reknit"):
        (user / ".git" / folder).mkdir(parents=True, exist_ok=True)
    assert trusted.remove_branch(str(user), BRANCH, commit) is True
    assert not (user / ".git/refs/heads/reknit").exists() and not (user / ".git/logs/refs/heads/reknit").exists()


def test_everything_is_in_one_commit(tmp_path: Path) -> None:
    (tmp_path / "a b.py").write_text("x = 1\n")
    (tmp_path / "run.sh").write_text("#!/bin/sh\n")
    (tmp_path / "run.sh").chmod(0o755)
    commit = commit_all(str(tmp_path), "The first\n\nand why")
    assert (commit, git(tmp_path, "branch", "--show-current")) == (head(tmp_path), "main")
    assert git(tmp_path, "rev-list", "--count", "HEAD") == "1"
    assert git(tmp_path, "status", "--porcelain") == ""
    assert git(tmp_path, "log", "--format=%s|%b") == "The first|and why"
    assert git(tmp_path, "ls-files", "--stage", "run.sh").startswith("100755")


def test_no_template_or_setting_of_the_user_takes_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hook = tmp_path / "hooks/pre-commit"
    hook.parent.mkdir()
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(hook.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "config").write_text(f"[core]\n\thooksPath = {hook.parent}\n[init]\n\tdefaultBranch = other\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop/a.py").write_text("x = 1\n")
    assert commit_all(str(tmp_path / "shop"), "start") == head(tmp_path / "shop")
    assert not (tmp_path / "shop/.git/hooks").exists()
