from pathlib import Path

import pytest

from reknit.app.config.load import load
from reknit.app.config.waivers import waivers_of
from reknit.core.errors import UsageProblem
from reknit.core.gate.waiver import Waiver, Waivers
from tests.adapters.git.users_git import git, repository

ENTRY = '[[gate.allow]]\nrule = "too-much"\npath = "a"\nreason = "b"\n'


def waivers(shop: Path, own: Path) -> Waivers:
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text(ENTRY)
    return waivers_of(str(shop), load(shop, {}, {"REKNIT_CONFIG": str(own)}))


def test_the_file_of_a_person_counts(shop: Path, tmp_path: Path) -> None:
    assert waivers(shop, tmp_path / "home" / "mine.toml").allowed == (Waiver("too-much", "a", "b", "mine.toml"),)


def test_a_file_in_the_repository_is_not_a_persons_own(shop: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="belongs to a repository"):
        waivers(shop, shop / ".cache" / "mine.toml")
    link = tmp_path / "link.toml"
    link.symlink_to(shop / ".cache" / "mine.toml")
    with pytest.raises(UsageProblem, match="belongs to a repository"):
        waivers(shop, link)


@pytest.mark.parametrize("name", ["reknit.toml", "pyproject.toml", "mine.toml", "tools/mine.toml"])
@pytest.mark.parametrize("is_worktree", [True, False])
def test_a_file_in_another_repository_or_working_tree_is_not_a_persons_own(
    shop: Path, tmp_path: Path, name: str, is_worktree: bool
) -> None:
    other = repository(tmp_path / "other", {"a": "a"})
    if is_worktree:
        git(other, "worktree", "add", "--quiet", str(tmp_path / "linked"))
    with pytest.raises(UsageProblem, match="belongs to a repository"):
        waivers(shop, tmp_path / ("linked" if is_worktree else "other") / name)


def test_an_empty_folder_called_git_makes_no_repository(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "home" / ".git").mkdir(parents=True)
    assert waivers(shop, tmp_path / "home" / "mine.toml").allowed


def test_without_waivers_any_file_will_do(shop: Path) -> None:
    own = shop / "mine.toml"
    own.write_text("loop.attempts = 1\n")
    config = load(shop, {}, {"REKNIT_CONFIG": str(own)})
    assert waivers_of(str(shop), config) == Waivers(ends_at_once=True)
