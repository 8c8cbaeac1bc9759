"""What a branch is compared with: its merge base with the branch it will be merged into."""

from pathlib import Path

import pytest

from reknit.adapters.git.review_range import ReviewRange, fork_point, range_of_branch
from reknit.adapters.git.user_repository import UserRepository
from reknit.core.errors import UsageError
from tests.adapters.git.users_git import git, head


def commit(user: Path, name: str) -> str:
    (user / name).write_text(name)
    git(user, "add", "--all")
    git(user, "commit", "--quiet", f"--message={name}")
    return head(user)


def found(user: Path, named: str = "") -> ReviewRange:
    return range_of_branch(UserRepository.find(str(user)), named)


def remote_ref(user: Path, name: str, target: str) -> None:
    git(user, "update-ref", f"refs/remotes/{name}", target)


def tracks(user: Path, name: str) -> None:
    """The checked-out branch tracks that branch of `origin`."""
    git(user, "config", "remote.origin.url", "/nonexistent")
    git(user, "config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
    branch = git(user, "branch", "--show-current")
    git(user, "config", f"branch.{branch}.remote", "origin")
    git(user, "config", f"branch.{branch}.merge", f"refs/heads/{name}")


@pytest.mark.parametrize("target", ["main", "master"])
def test_a_branch_is_compared_with_where_it_left(user: Path, target: str) -> None:
    git(user, "branch", "--move", target)
    start = head(user)
    git(user, "checkout", "--quiet", "-b", "feature")
    commit(user, "a")
    git(user, "checkout", "--quiet", target)
    commit(user, "later")
    git(user, "checkout", "--quiet", "feature")
    assert found(user) == ReviewRange(start, target)


def test_the_remotes_branch_goes_before_the_local_one(user: Path) -> None:
    git(user, "checkout", "--quiet", "-b", "feature")
    first = commit(user, "a")
    commit(user, "b")
    remote_ref(user, "origin/main", first)
    assert found(user) == ReviewRange(first, "origin/main")


def test_the_remotes_default_branch_goes_first(user: Path) -> None:
    git(user, "checkout", "--quiet", "-b", "feature")
    first = commit(user, "a")
    remote_ref(user, "origin/main", head(user))
    remote_ref(user, "origin/develop", first)
    git(user, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/develop")
    commit(user, "b")
    assert found(user) == ReviewRange(first, "origin/HEAD")


def test_on_main_it_is_what_is_not_pushed(user: Path) -> None:
    start = head(user)
    remote_ref(user, "origin/trunk", start)
    tracks(user, "trunk")
    commit(user, "a")
    assert found(user) == ReviewRange(start, "origin/trunk")


def test_a_branch_of_no_known_target_is_compared_with_its_upstream(user: Path) -> None:
    git(user, "branch", "--move", "trunk")
    start = head(user)
    remote_ref(user, "origin/trunk", start)
    tracks(user, "trunk")
    commit(user, "a")
    assert found(user) == ReviewRange(start, "origin/trunk")


def test_a_detached_head_is_compared_too(user: Path) -> None:
    start = head(user)
    git(user, "checkout", "--quiet", "--detach")
    commit(user, "a")
    assert found(user) == ReviewRange(start, "main")


@pytest.mark.parametrize("upstream", [False, True])
def test_where_nothing_is_new_there_is_nothing_to_review(user: Path, *, upstream: bool) -> None:
    if upstream:
        remote_ref(user, "origin/main", head(user))
        tracks(user, "main")
    with pytest.raises(UsageError) as caught:
        found(user)
    assert caught.value.name == "nothing-to-review"
    assert "--staged" in caught.value.help


def test_a_base_can_be_named(user: Path) -> None:
    start = head(user)
    commit(user, "a")
    assert found(user, "HEAD~1") == ReviewRange(start, "HEAD~1")
    assert found(user, start) == ReviewRange(start, start)


@pytest.mark.parametrize("name", ["nowhere", "--all", "--output=x", "HEAD~9", "orphan"])
def test_a_base_that_is_none_is_refused(user: Path, name: str) -> None:
    git(user, "checkout", "--quiet", "--orphan", "orphan")
    git(user, "commit", "--quiet", "--message=another start")
    git(user, "checkout", "--quiet", "main")
    with pytest.raises(UsageError) as caught:
        found(user, name)
    assert (caught.value.name, repr(name) in caught.value.message) == ("no-such-base", True)
    assert not (user / "x").exists()


def fork(user: Path) -> str:
    return fork_point(UserRepository.find(str(user)), head(user))


def test_a_fork_is_the_newest_commit_of_the_default_branch(user: Path) -> None:
    git(user, "branch", "--move", "main")
    start = head(user)
    assert fork(user) == start
    git(user, "checkout", "--quiet", "-b", "feature")
    commit(user, "a")
    assert fork(user) == start
    git(user, "branch", "--force", "main", "feature")
    assert fork(user) == head(user)


def test_a_local_branch_counts_only_without_a_remote_one(user: Path) -> None:
    git(user, "branch", "--move", "main")
    start = head(user)
    remote_ref(user, "origin/trunk", start)
    git(user, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
    newer = commit(user, "of a stranger")
    git(user, "branch", "origin/HEAD")
    git(user, "branch", "origin/trunk")
    assert fork(user) == start
    remote_ref(user, "eve/main", newer)
    assert fork(user) == start
    remote_ref(user, "upstream/main", newer)
    assert fork(user) == newer


@pytest.mark.parametrize("name", ["main", "master"])
def test_beside_the_default_branch_a_remote_one_with_a_usual_name_counts_for_nothing(user: Path, name: str) -> None:
    git(user, "branch", "--move", "topic")
    start = head(user)
    remote_ref(user, "origin/trunk", start)
    git(user, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
    remote_ref(user, f"origin/{name}", newer := commit(user, "of anybody who can push"))
    assert fork(user) == start
    git(user, "symbolic-ref", "--delete", "refs/remotes/origin/HEAD")
    assert fork(user) == newer, "control"


def test_no_fork_is_known(user: Path) -> None:
    git(user, "branch", "--move", "topic")
    assert fork(user) == ""
    git(user, "branch", "--move", "main")
    assert fork_point(UserRepository.find(str(user)), "0" * 39 + "1") == ""
