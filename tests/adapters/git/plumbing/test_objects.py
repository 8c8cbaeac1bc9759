"""Trees and their differences, read from git objects."""

import os
from pathlib import Path

import pytest

from reknit.adapters.git.plumbing import objects
from reknit.adapters.git.plumbing.command import Git
from reknit.adapters.git.plumbing.objects import is_git_name, is_git_settings_name
from reknit.adapters.git.trusted_repository import TrustedGit
from reknit.core.repository.change import EXECUTABLE, GITLINK, REGULAR, SYMLINK, FileChange
from tests.adapters.git.users_git import FILES, git, head


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


def test_a_mode_of_an_old_git_is_read_as_git_reads_it() -> None:
    """Newer versions of git print the modern one themselves."""
    assert [objects._normalise_mode(mode) for mode in (0o100664, 0o100600, 0o100775)] == [REGULAR, REGULAR, EXECUTABLE]
    assert [objects._normalise_mode(mode) for mode in (SYMLINK, GITLINK)] == [SYMLINK, GITLINK]


def test_a_tree_is_read_with_its_links_to_other_repositories(trusted: TrustedGit, user: Path) -> None:
    base = head(user)
    git(user, "update-index", "--add", "--cacheinfo", f"160000,{base},lib/sub")
    git(user, "commit", "--quiet", "--message=sub")
    trusted.fetch(str(user), head(user))
    tree = objects.read_tree(Git(trusted.gitdir), head(user))
    assert tree[b"lib/sub"] == objects.TreeEntry(GITLINK, base)
    assert tree[b"app.py"] == objects.TreeEntry(REGULAR, git(user, "rev-parse", "HEAD:app.py"))
    assert set(tree) == {os.fsencode(name) for name in (*FILES, "lib/sub")}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(".git", id="its own"),
        pytest.param(".GiT", id="in any case"),
        pytest.param(".g\u200cit", id="with a sign that macOS ignores"),
        pytest.param("\ufeff.git", id="with a byte order mark"),
        pytest.param("git~1", id="the short name of Windows"),
        pytest.param(".git. . ", id="with an end that Windows cuts off"),
        pytest.param(".git::$INDEX_ALLOCATION", id="with a stream of NTFS"),
        pytest.param(".git\\hooks", id="with a backslash that Windows reads as a slash"),
    ],
)
def test_every_spelling_of_the_gitdir_is_known(name: str) -> None:
    assert is_git_name(name)


@pytest.mark.parametrize("name", [".gitignore", "git", ".git2", "git~2", "x.git", ". git", ""])
def test_other_names_are_only_names(name: str) -> None:
    assert not is_git_name(name)


@pytest.mark.parametrize("name", [".gitmodules", ".GITattributes", ".gi\u200dtignore", "gitmod~1", "GI7EB~1"])
def test_settings_that_must_not_be_links(name: str) -> None:
    assert is_git_settings_name(name)


@pytest.mark.parametrize("name", ["gitmodules", "a.gitmodules", "gi8EB~1", "git~1"])
def test_what_may_be_a_link(name: str) -> None:
    assert not is_git_settings_name(name)
