"""The order of mounts, and the files that go with them."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from reknit.adapters import process
from reknit.adapters.box.bubblewrap.as_root import RootMounts
from reknit.adapters.box.bubblewrap.mounts import HIDDEN, Mounts, find_keys, show_kernel
from reknit.core.box import BoxView
from tests.adapters.box.in_box import in_box, said, write


def test_outer_mounts_come_first_and_seals_last() -> None:
    mounts = Mounts()
    mounts.seal("/")
    mounts.show_read_only("/a/b/c", "/a/b/c")
    mounts.show_writable("/x", "/a/b")
    mounts.mount_memory("/a", 4096)
    assert mounts.make_arguments() == [
        *("--size", "4096", "--tmpfs", "/a"),
        *("--bind", "/x", "/a/b"),
        *("--ro-bind-try", "/a/b/c", "/a/b/c"),
        *("--remount-ro", "/"),
    ]


def test_what_only_root_may_reach_is_named_by_where_its_namespace_has_it() -> None:
    mounts = Mounts(RootMounts(60_999))
    mounts.show_read_only("/usr", "/usr")
    mounts.show_read_only("/proc/sys", "/proc/sys")
    mounts.show_read_only("/usr/lib/closed", "/x")
    mounts.show_writable("/srv/tree", "/y")
    assert mounts.make_arguments() == [
        *("--ro-bind-try", "/usr", "/usr"),
        *("--ro-bind-try", "/tmp/0", "/x"),
        *("--bind", "/tmp/1", "/y"),
        *("--ro-bind-try", "/proc/sys", "/proc/sys"),
    ]


def test_a_hidden_folder_is_empty_and_a_hidden_file_no_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    mounts = Mounts()
    mounts.hide(str(tmp_path))
    mounts.hide(str(tmp_path / "file"))
    assert mounts.make_arguments() == [
        *("--size", "4096", "--tmpfs", str(tmp_path)),
        *("--ro-bind-try", "/dev/null", str(tmp_path / "file")),
        *("--remount-ro", str(tmp_path)),
    ]


def test_content_is_handed_over_in_an_open_file_from_its_start() -> None:
    mounts = Mounts()
    fd = int(mounts.open_data(b"x" * 100_000))
    assert os.read(fd, 200_000) == b"x" * 100_000
    assert mounts.fds == [fd]
    mounts.close()
    assert mounts.fds == []


def test_keys_are_known_by_their_names_and_by_who_may_read_them(tmp_path: Path) -> None:
    files = ("a.pem", "site.key", "Site.KEY", "store.p12", "store.pfx", "java/cacerts", "closed.pem", "private/a.pem")
    write(dict.fromkeys((*files, "java/inner.key", "team/x.pem"), ""), str(tmp_path))
    (tmp_path / "closed.pem").chmod(0o640)
    (tmp_path / "team").chmod(0o750)
    (tmp_path / "link.pem").symlink_to("/nowhere/site.key")
    found = {str(Path(path).relative_to(tmp_path)) for path in find_keys(str(tmp_path))}
    assert found == {
        "site.key",
        "Site.KEY",
        "store.p12",
        "store.pfx",
        "java/inner.key",
        "closed.pem",
        "private",
        "team",
    }


def test_a_host_without_certificates_has_no_keys(tmp_path: Path) -> None:
    assert list(find_keys(str(tmp_path / "not-there"))) == []


def arguments() -> list[str]:
    mounts = Mounts()
    show_kernel(mounts)
    return mounts.make_arguments()


def pairs(words: list[str], option: str) -> dict[str, str]:
    """Place -> source, of every mount of that kind."""
    return {words[at + 2]: words[at + 1] for at, word in enumerate(words) if word == option}


def test_whatever_this_kernel_has_of_the_hidden_is_covered() -> None:
    words = arguments()
    here = [f"/proc/{name}" for name in HIDDEN if os.path.lexists(f"/proc/{name}")]
    assert here, "control: this kernel has some"
    files = pairs(words, "--ro-bind-try")
    for path in here:
        covered = (
            files.get(path) == os.devnull if not Path(path).is_dir() else words[words.index(path) - 1] == "--tmpfs"
        )
        assert covered, path


def test_the_rest_that_could_be_written_is_shown_read_only() -> None:
    assert pairs(arguments(), "--ro-bind-try")["/proc/sys"] == "/proc/sys"


def test_processes_and_links_stay_as_the_box_has_them() -> None:
    places = [*pairs(arguments(), "--ro-bind-try")]
    assert [place for place in places if place.split("/")[2].isdigit() or place == "/proc/self"] == []


def test_shared_memory_is_bounded_and_dev_is_sealed() -> None:
    words = arguments()
    at = words.index("/dev/shm")
    assert words[at - 3 : at] == ["--size", str(256 << 20), "--tmpfs"]
    assert words[-2:] == ["--remount-ro", "/dev"]
    assert words.index("--proc") < words.index("/proc/sys")


ENV = {"PATH": "/usr/local/bin:/usr/bin:/bin", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
ENV |= {f"GIT_{who}_{what}": "t@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


def git(*arguments: str) -> None:
    done = process.run(["git", *arguments], env=ENV)
    assert done.exit_code == 0, done.stderr


@pytest.fixture
def trusted(view: BoxView, tmp_path: Path) -> BoxView:
    """A bare gitdir with one commit, and a tree that differs from it."""
    Path(view.repository, "a.txt").write_text("one\n")
    git("-C", view.repository, "init", "-q", "-b", "main")
    git("-C", view.repository, "add", "a.txt")
    git("-C", view.repository, "commit", "-qm", "first")
    git("clone", "-q", "--bare", view.repository, str(tmp_path / "trusted.git"))
    git("-C", str(tmp_path / "trusted.git"), "config", "remote.origin.url", "https://s3cret@example.org/")
    Path(view.tree, "a.txt").write_text("two\n")
    return replace(view, gitdir=str(tmp_path / "trusted.git"))


def test_log_status_and_diff_see_the_attempt(trusted: BoxView) -> None:
    told = said(trusted, "sh", "-c", "git log --format=%s && git status --short && git diff && git show HEAD:a.txt")
    assert told.startswith("first\n M a.txt\n")
    assert "-one\n+two\n" in told
    assert told.endswith("one\n")


def test_an_index_of_the_gitdir_is_used(trusted: BoxView, tmp_path: Path) -> None:
    Path(trusted.tree, "b.txt").write_text("new\n")
    git("--git-dir", trusted.gitdir, "--work-tree", trusted.tree, "add", "a.txt", "b.txt")
    assert said(trusted, "git", "status", "--short") == "M  a.txt\nA  b.txt\n"


@pytest.mark.parametrize(
    "attack",
    ["git add -A", "git config a.b c", "git branch x", "echo > .git/config", "mkdir .git/hooks", "rm -rf .git/objects"],
)
def test_nothing_of_it_can_be_written(trusted: BoxView, attack: str) -> None:
    before = sorted((str(path), path.stat().st_mtime_ns) for path in Path(trusted.gitdir).rglob("*"))
    ended = in_box(trusted, "sh", "-c", attack)
    assert ended.exit_code != 0
    assert sorted((str(path), path.stat().st_mtime_ns) for path in Path(trusted.gitdir).rglob("*")) == before


def test_addresses_and_hooks_are_not_shown(trusted: BoxView) -> None:
    Path(trusted.gitdir, "hooks", "pre-commit").write_text("#!/bin/sh\n")
    assert in_box(trusted, "sh", "-c", "grep -r s3cret .git || ls .git/hooks").exit_code != 0


def test_borrowed_objects_are_shown_too(trusted: BoxView, tmp_path: Path) -> None:
    borrowing = str(tmp_path / "borrowing.git")
    git("clone", "-q", "--bare", "--shared", trusted.gitdir, borrowing)
    assert said(replace(trusted, gitdir=borrowing), "git", "log", "--format=%s") == "first\n"


def test_without_a_commit_the_box_still_works(view: BoxView, tmp_path: Path) -> None:
    git("init", "-q", "--bare", str(tmp_path / "empty.git"))
    assert said(replace(view, gitdir=str(tmp_path / "empty.git")), "git", "status", "--short") == ""
