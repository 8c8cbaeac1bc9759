"""Which branches of the user's repository have a commit: what cannot be seen is not taken for none."""

from pathlib import Path

import pytest

from reknit.adapters.git.review_range import short_name
from reknit.adapters.git.user_repository import UserRepository
from reknit.core.errors import UsageError
from tests.adapters.git.users_git import git, head, repository


@pytest.fixture
def user(tmp_path: Path) -> Path:
    return repository(tmp_path / "user", {"app.py": "one\n"})


def test_which_branches_have_a_commit(user: Path) -> None:
    found, first = UserRepository.find(str(user)), head(user)
    git(user, "switch", "--quiet", "--create", "side")
    git(user, "commit", "--quiet", "--allow-empty", "--message=more")
    second = head(user)
    git(user, "update-ref", "refs/remotes/origin/side", second)
    git(user, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/side")
    git(user, "tag", "kept", second)
    both = ("refs/heads/side", "refs/remotes/origin/side")
    assert found.branches_with(first) == (*both[:1], "refs/heads/main", *both[1:]), "the checked-out one first"
    assert found.branches_with(second) == both
    git(user, "checkout", "--quiet", "--detach")
    assert found.branches_with(second) == ("HEAD", *both)
    assert [found.branches_with(commit) for commit in ("f" * 40, "side", "")] == [(), (), ()]


def test_people_call_a_branch_by_its_short_name() -> None:
    assert list(map(short_name, ("HEAD", "refs/heads/a/b", "refs/remotes/origin/b"))) == ["HEAD", "a/b", "origin/b"]


def test_branches_that_cannot_be_seen_are_not_none(user: Path) -> None:
    commit = head(user)
    (user / ".git" / "HEAD").unlink()
    with pytest.raises(UsageError, match="git failed in"):
        UserRepository(str(user)).branches_with(commit)
