"""Plans that a stranger's branch brings in unusual ways are not the person's own."""

from pathlib import Path

import pytest

from reknit.adapters.git.exploration.plan_origin import why_not_own
from reknit.adapters.git.user_repository import UserRepository
from tests.adapters.git.users_git import git, repository
from tests.tools.plan_files import PLAN_TEXT

FILE = ".reknit/plans/p-advisor.md"
pytestmark = pytest.mark.security


def is_own(clone: Path) -> bool:
    return not why_not_own(UserRepository(str(clone)), FILE, (clone / FILE).read_bytes().decode())


def write(clone: Path, text: str = PLAN_TEXT, file: str = FILE) -> None:
    (clone / file).parent.mkdir(parents=True, exist_ok=True)
    (clone / file).write_bytes(text.encode())


def commit(clone: Path, *options: str) -> None:
    git(clone, "add", "--all")
    git(clone, "commit", "--quiet", "--message=work", *options)


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    """Its branch `stranger` is checked out, and has no plan yet."""
    made = repository(tmp_path / "origin", {"a.py": "a\n"})
    git(made, "checkout", "--quiet", "-b", "stranger")
    return made


def cloned(origin: Path) -> Path:
    """With the stranger's branch checked out, whose repository it is not."""
    git(origin, "checkout", "--quiet", "--force", "main")
    clone = origin.parent / "clone"
    git(origin.parent, "clone", "--quiet", str(origin), str(clone))
    git(clone, "checkout", "--quiet", "stranger")
    return clone


@pytest.mark.parametrize(
    ("attribute", "text"),
    [("ident", "$Id: x $"), ("ident", "$Id$ and $Id: y $"), ("working-tree-encoding=ASCII//TRANSLIT", "\u201cx\u201d")],
)
def test_what_git_itself_makes_of_it_is_no_edit(origin: Path, attribute: str, text: str) -> None:
    committed = PLAN_TEXT.replace("4 docs", f"4 docs {text}")
    write(origin, committed)
    commit(origin)
    write(origin, f"*.md {attribute}\n", ".gitattributes")
    git(origin, "add", ".gitattributes")
    git(origin, "commit", "--quiet", "--message=attributes")
    clone = cloned(origin)
    (clone / FILE).touch()  # so git compares the content again
    assert (clone / FILE).read_text() != committed
    assert git(clone, "status", "--short") == f"M {FILE}"
    assert not is_own(clone)
    write(clone, PLAN_TEXT.replace("4 docs", "5 docs"))
    assert is_own(clone)


@pytest.mark.parametrize("folder", [".reknit", ".reknit/plans"])
def test_one_in_a_submodule(origin: Path, folder: str) -> None:
    inner = repository(origin.parent / "inner", {FILE.removeprefix(f"{folder}/"): PLAN_TEXT})
    git(origin, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), folder)
    commit(origin)
    clone = cloned(origin)
    git(clone, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init")
    assert not is_own(clone)


def test_a_commit_of_a_stranger_that_was_only_amended(origin: Path) -> None:
    write(origin)
    commit(origin)
    clone = cloned(origin)
    write(clone, "b\n", "b.py")
    commit(clone, "--amend")
    assert not is_own(clone)
    commit(clone, "--amend", "--message=again")
    assert not is_own(clone)
    write(clone, PLAN_TEXT.replace("4 docs", "5 docs"))
    commit(clone, "--amend")
    assert is_own(clone)
    commit(clone, "--amend", "--message=other words")
    assert is_own(clone)


def test_a_cherry_pick_with_a_conflict_elsewhere(origin: Path) -> None:
    write(origin)
    write(origin, "stranger\n", "a.py")
    commit(origin)
    clone = cloned(origin)
    git(clone, "checkout", "--quiet", "main")
    write(clone, "own\n", "a.py")
    commit(clone)
    git(clone, "cherry-pick", "stranger", check=False)
    write(clone, "both\n", "a.py")
    commit(clone)
    assert not is_own(clone)


def test_one_whose_name_differs_only_by_case(origin: Path) -> None:
    """On some systems it is the same file."""
    write(origin, file=FILE.replace(".reknit", ".Reknit"))
    commit(origin)
    clone = cloned(origin)
    write(clone)
    assert not is_own(clone)


@pytest.mark.parametrize("how", ["merge", "cherry-pick"])
def test_in_the_middle_of_taking_it_over(origin: Path, how: str) -> None:
    write(origin)
    write(origin, "stranger\n", "a.py")
    commit(origin)
    clone = cloned(origin)
    git(clone, "checkout", "--quiet", "main")
    write(clone, "own\n", "a.py")
    commit(clone)
    git(clone, how, "stranger", check=False)
    assert "AA a.py" in git(clone, "status", "--short") or "UU a.py" in git(clone, "status", "--short")
    assert not is_own(clone)
    write(clone, PLAN_TEXT.replace("4 docs", "5 docs"))
    assert is_own(clone)
