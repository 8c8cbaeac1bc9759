"""The ignore rules of a commit decide about new files, as git would."""

from pathlib import Path

import pytest

from reknit.adapters.git.ignore_rules import ignore_rules
from reknit.adapters.git.plumbing.command import Git
from reknit.adapters.git.plumbing.objects import read_tree
from reknit.adapters.git.trusted_repository import TrustedGit
from tests.adapters.git.users_git import git, head, repository

RULES = {".gitignore": "*.o\n/test.db\nlogs/\nlib/\n", "sub/.gitignore": "*.txt\n!kept.txt\n", "app.c": "1\n"}


def left_out(top: Path, user: Path, *paths: bytes) -> set[bytes]:
    trusted = TrustedGit.open(str(top / "trusted.git"))
    trusted.fetch(str(user), head(user))
    own = Git(trusted.gitdir)
    with ignore_rules(own, read_tree(own, head(user))) as rules:
        return set(rules.leaves_out(paths))


def test_new_files_that_git_would_not_add(tmp_path: Path) -> None:
    user = repository(tmp_path / "user", RULES)
    ignored = {b"main.o", b"deep/x.o", b"test.db", b"logs/new", b"sub/a.txt", b"lib/x.c", b"odd \xff\n.o", b":(top)x.o"}
    others = {b"main.c", b"deep/test.db", b"logs", b"sub/kept.txt", b"a.txt", b"-", b"*"}
    assert left_out(tmp_path, user, *ignored, *others) == ignored


def test_a_folder_with_tracked_files_is_not_left_out_although_it_is_ignored(tmp_path: Path) -> None:
    user = repository(tmp_path / "user", RULES)
    (user / "lib").mkdir()
    (user / "lib" / "tracked.c").write_text("1\n")
    git(user, "add", "--force", "lib/tracked.c")
    git(user, "commit", "--quiet", "--message=forced")
    assert left_out(tmp_path, user, b"lib/new.c", b"lib/new/x.c", b"main.o") == {b"main.o"}


def test_a_list_of_what_is_not_ignored(tmp_path: Path) -> None:
    """Folders are re-included, so that the files in them can be."""
    user = repository(tmp_path / "user", {".gitignore": "*\n!*/\n!*.py\n!.gitignore\n", "app.py": "1\n"})
    paths = (b"src/", b"src/x.py", b"src/x.o", b"target/", b"main.o")
    assert left_out(tmp_path, user, *paths) == {b"src/x.o", b"main.o"}


def test_folders_are_told_from_files(tmp_path: Path) -> None:
    user = repository(tmp_path / "user", {".gitignore": "out/\nx\n.*\n!.gitignore\n", "app.py": "1\n"})
    paths = (b"out/", b"a/out/", b"src/", b".hidden/", 90 * b"deep/" + 300 * b"n" + b"/")
    assert left_out(tmp_path, user, *paths) == {b"out/", b"a/out/", b".hidden/"}
    assert left_out(tmp_path, user, b"out", b"src/x") == {b"src/x"}


@pytest.mark.parametrize("files", [{"app.c": "1\n"}, {"app.c": "1\n", "sub/.gitignore": ""}])
def test_without_rules_nothing_is_left_out(tmp_path: Path, files: dict[str, str]) -> None:
    assert left_out(tmp_path, repository(tmp_path / "user", files), b"main.o") == set()
