"""Where a user's repository keeps its objects, found by reading files."""

from pathlib import Path

import pytest

from reknit.adapters.git.plumbing.user_gitdir import common_gitdir
from reknit.core.errors import UsageProblem
from tests.adapters.git.users_git import git


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
    with pytest.raises(UsageProblem, match="is not the top of a git working tree"):
        common_gitdir(str(tmp_path))
