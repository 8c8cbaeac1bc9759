"""Names that git, on some file systems, treats as its own."""

import pytest

from reknit.adapters.git.plumbing.names import is_git_name, is_git_settings_name


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
