"""git in a box: it reads the attempt's history and difference, and writes nothing."""

from dataclasses import replace
from pathlib import Path

import pytest

from reknit.adapters import process
from reknit.core.box import BoxView
from tests.adapters.box.in_box import in_box, said

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
