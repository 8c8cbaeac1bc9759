"""Whose plan it is: a person's own counts, one that a branch of someone else brought does not."""

from pathlib import Path

import pytest

from reknit.adapters.git.exploration.plan_origin import why_not_own
from reknit.adapters.git.user_repository import UserRepository
from reknit.core.planning.plan_file.results import with_results
from tests.adapters.git.users_git import git, repository
from tests.tools.plan_files import PLAN, PLAN_TEXT

FILE = ".reknit/plans/p-advisor.md"


def is_own(clone: Path) -> bool:
    return not why_not_own(UserRepository(str(clone)), FILE, (clone / FILE).read_bytes().decode())


def write(clone: Path, text: str = PLAN_TEXT) -> None:
    (clone / FILE).parent.mkdir(parents=True, exist_ok=True)
    (clone / FILE).write_bytes(text.encode())


def commit(clone: Path, message: str = "plan") -> None:
    git(clone, "add", "--all")
    git(clone, "commit", "--quiet", f"--message={message}")


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    """Its branch `stranger` has a plan, main has none."""
    made = repository(tmp_path / "origin", {"a.py": "a\n"})
    git(made, "checkout", "--quiet", "-b", "stranger")
    write(made)
    commit(made)
    git(made, "checkout", "--quiet", "main")
    return made


@pytest.fixture
def clone(origin: Path, tmp_path: Path) -> Path:
    git(tmp_path, "clone", "--quiet", str(origin), "clone")
    return tmp_path / "clone"


def test_one_that_is_not_tracked(clone: Path) -> None:
    write(clone)
    assert is_own(clone)
    git(clone, "add", FILE)
    assert is_own(clone)


def test_one_that_a_branch_brought_is_not(clone: Path) -> None:
    git(clone, "checkout", "--quiet", "stranger")
    assert not is_own(clone)
    why = why_not_own(UserRepository(str(clone)), FILE, PLAN_TEXT)
    assert why.endswith("was not made here, and it is not on origin's default branch main")
    write(clone, PLAN_TEXT.replace("4 docs", "5 docs"))
    assert is_own(clone)


@pytest.mark.parametrize(
    "attributes",
    ["*.md text eol=crlf\n", "*.md working-tree-encoding=UTF-16\n", "*.md filter=x\n"],
)
def test_what_attributes_make_of_it_is_no_edit(origin: Path, clone: Path, attributes: str) -> None:
    git(origin, "checkout", "--quiet", "stranger")
    (origin / ".gitattributes").write_text(attributes)
    git(origin, "add", ".gitattributes")
    git(origin, "commit", "--quiet", "--message=attributes")
    git(clone, "pull", "--quiet", "origin", "stranger")
    text = (clone / FILE).read_bytes().decode("utf-8", "replace")
    assert why_not_own(UserRepository(str(clone)), FILE, text)


def test_results_that_a_run_wrote_are_no_edit(clone: Path) -> None:
    git(clone, "checkout", "--quiet", "stranger")
    write(clone, with_results(PLAN_TEXT, {PLAN.criteria[0].text: "passed: seen"}))
    assert not is_own(clone)


def test_one_on_the_default_branch_of_origin(origin: Path, clone: Path) -> None:
    git(origin, "merge", "--quiet", "stranger")
    git(clone, "pull", "--quiet")
    assert is_own(clone)


def test_one_that_was_committed_here(clone: Path) -> None:
    write(clone)
    commit(clone)
    (clone / "b.py").write_text("b\n")
    commit(clone, "later work")
    assert is_own(clone)


@pytest.mark.parametrize("how", ["cherry-pick", "merge", "rebase"])
def test_one_that_was_only_brought_here(clone: Path, how: str) -> None:
    (clone / "b.py").write_text("b\n")
    commit(clone, "own work")
    git(clone, how, "origin/stranger")
    assert not is_own(clone)


def test_without_an_origin(tmp_path: Path) -> None:
    alone = repository(tmp_path / "alone", {"a.py": "a\n", FILE: PLAN_TEXT})
    assert is_own(alone)
    git(alone, "reflog", "expire", "--expire=now", "--all")
    why = why_not_own(UserRepository(str(alone)), FILE, PLAN_TEXT)
    assert why.endswith("origin does not say what its default branch is")
