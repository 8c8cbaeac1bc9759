"""What a full id names in a gitdir of ours is asked of git once; all else is asked each time."""

import shutil
from pathlib import Path

import pytest

from reknit.adapters.git.plumbing.command import Git, UnknownRevisionError
from reknit.adapters.git.trusted_repository import TrustedGit
from tests.adapters.git.users_git import git, head


def test_a_full_id_that_was_there_is_not_asked_for_again(trusted: TrustedGit, user: Path) -> None:
    known = Git(trusted.gitdir).resolve_id(head(user), "tree")
    Path(trusted.gitdir, "objects").rename(Path(trusted.gitdir, "away"))
    assert Git(trusted.gitdir).resolve_id(head(user), "tree") == known
    assert Git(trusted.gitdir).object_id(head(user)[:10], "tree") == ""


def test_what_is_not_there_is_asked_for_until_it_is(trusted: TrustedGit, user: Path) -> None:
    git(user, "commit", "-q", "--allow-empty", "-m", "later")
    later = head(user)
    assert trusted.resolve(later) == ""
    with pytest.raises(UnknownRevisionError, match=f"'{later}' names no commit"):
        Git(trusted.gitdir).resolve_id(later, "commit")
    trusted.fetch(str(user), later)
    assert trusted.resolve(later) == later


def test_a_ref_is_asked_for_each_time(trusted: TrustedGit, user: Path) -> None:
    trusted.keep("refs/reknit/it", head(user))
    assert trusted.resolve("refs/reknit/it") == head(user)
    git(user, "commit", "-q", "--allow-empty", "-m", "later")
    trusted.fetch(str(user), head(user))
    trusted.keep("refs/reknit/it", head(user))
    assert trusted.resolve("refs/reknit/it") == head(user)


def test_a_gitdir_that_is_made_anew_has_nothing(trusted: TrustedGit, user: Path) -> None:
    assert trusted.resolve(head(user)) == head(user)
    shutil.rmtree(trusted.gitdir)
    assert TrustedGit.open(trusted.gitdir).resolve(head(user)) == ""
