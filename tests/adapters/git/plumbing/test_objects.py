"""Trees and their differences, read from git objects."""

import os
from pathlib import Path

import pytest

from reknit.adapters.git.plumbing import objects
from reknit.adapters.git.plumbing.command import Git
from reknit.adapters.git.trusted_repository import TrustedGit
from reknit.core.repository.change import GITLINK, REGULAR, FileChange
from tests.adapters.git.users_git import git, head


def test_a_change_too_large_to_hold_is_named_instead(
    trusted: TrustedGit, user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = head(user)
    for number in range(4):
        (user / f"n{number}").write_bytes(bytes([number]) * 10)
    git(user, "add", "--all")
    git(user, "commit", "--quiet", "--message=many")
    trusted.fetch(str(user), head(user))
    monkeypatch.setattr(objects, "MAX_CHANGED_PATHS", 3)
    assert trusted.change(base, head(user)).paths == ("n0", "n1", "n2")
    assert trusted.change(base, head(user)).unsafe == ((".", objects.TOO_MANY),)
    monkeypatch.setattr(objects, "MAX_CHANGED_BYTES", 25)
    assert trusted.change(base, head(user)).paths == ("n0", "n1")
    assert trusted.change(base, head(user)).unsafe == ((".", objects.TOO_MUCH),)


def test_a_changed_submodule_is_told_as_such(trusted: TrustedGit, user: Path) -> None:
    base = head(user)
    git(user, "update-index", "--add", "--cacheinfo", f"160000,{base},sub")
    git(user, "commit", "--quiet", "--message=sub")
    trusted.fetch(str(user), head(user))
    assert trusted.change(base, head(user)).files == (
        FileChange("sub", None, f"Subproject commit {base}\n".encode(), 0, GITLINK),
    )
    assert f"+Subproject commit {base}" in trusted.diff(base, head(user))


def test_a_name_that_is_not_utf8_is_shown_and_its_file_not_held(trusted: TrustedGit, user: Path) -> None:
    base = head(user)
    Path(os.fsdecode(os.fsencode(user) + b"/caf\xe9.py")).write_text("x = 1\n")
    git(user, "add", "--all")
    git(user, "commit", "--quiet", "--message=name")
    trusted.fetch(str(user), head(user))
    change = objects.read_change(Git(trusted.gitdir), base, head(user))
    assert (change.files, change.unsafe) == ((), (("caf\\xe9.py", objects.NOT_UTF8),))


def test_a_mode_of_an_old_git_is_read_as_git_reads_it(trusted: TrustedGit, user: Path) -> None:
    entry = git(user, "rev-parse", "HEAD:app.py")
    tree = b"100664 old.py\0" + bytes.fromhex(entry)
    made = Git(trusted.gitdir).out("hash-object", "-t", "tree", "-w", "--literally", "--stdin", stdin=tree)
    assert objects.read_tree(Git(trusted.gitdir), made.decode().strip()) == {
        b"old.py": objects.TreeEntry(REGULAR, entry)
    }
