"""What git tells of a history, without running anything that the repository's configuration names."""

from pathlib import Path

import pytest

from reknit.adapters.git.review_range import branch_changes, default_branch, last_commits, tracked_files
from reknit.core.errors import UsageError
from reknit.core.planning.exploration.git_output import parse_log, parse_numstat
from tests.tools.explored_repository import cloned, committed, git


def test_the_last_fifty_commits_are_read_newest_first(tmp_path: Path) -> None:
    root = committed(tmp_path / "a", {})
    for number in range(52):
        git(root, "commit", "--quiet", "--allow-empty", f"--message=n {number}\n\nbody", at=1_790_000_000 + number)
    found = parse_log(last_commits(str(root)))
    assert (len(found), found[0].subject, found[-1].subject) == (50, "n 51", "n 2")
    assert (found[0].author, found[0].date) == ("Ann", "2026-09-21")


def test_a_signature_is_not_checked(tmp_path: Path) -> None:
    root = committed(tmp_path / "a", {})
    program = tmp_path / "gpg"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    program.chmod(0o755)
    raw = git(root, "cat-file", "commit", "HEAD").replace("\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n x\n\n", 1)
    (tmp_path / "raw").write_text(f"{raw}\n")
    git(root, "update-ref", "HEAD", git(root, "hash-object", "-t", "commit", "-w", str(tmp_path / "raw")))
    git(root, "config", "gpg.program", str(program))
    git(root, "config", "log.showSignature", "true")
    assert len(parse_log(last_commits(str(root)))) == 1
    assert not (tmp_path / "ran").exists()
    git(root, "log", "-1")
    assert (tmp_path / "ran").exists(), "the control"


def test_origin_says_what_the_default_branch_is(tmp_path: Path) -> None:
    alone = committed(tmp_path / "a", {})
    assert default_branch(str(alone)) == ("", "there is no remote called origin")
    clone = cloned(alone, tmp_path / "b")
    assert default_branch(str(clone)) == ("main", "")
    git(clone, "remote", "set-head", "origin", "--delete")
    assert default_branch(str(clone))[1].startswith("origin/HEAD is not set")


def test_a_branch_is_compared_with_where_it_began(tmp_path: Path) -> None:
    origin = committed(tmp_path / "a", {"x.py": "1\n2\n"})
    clone = cloned(origin, tmp_path / "b")
    assert parse_numstat(branch_changes(str(clone), "main")) == (0, 0)
    git(clone, "switch", "--quiet", "--create", "topic")
    (clone / "x.py").write_text("1\n3\n")
    (clone / "y.png").write_bytes(b"\0\1")
    git(clone, "add", "--all")
    git(clone, "commit", "--quiet", "--message=topic")
    assert parse_numstat(branch_changes(str(clone), "main")) == (2, 2)
    assert branch_changes(str(clone), "gone") == branch_changes(str(clone), "") == b""


def test_tracked_files_are_those_of_the_index_each_once(tmp_path: Path) -> None:
    root = committed(tmp_path / "a", {"b.py": "", "ä.py": "", "a b.py": ""})
    (root / "new.py").write_text("")
    assert tracked_files(str(root)).decode() == "a b.py\0b.py\0ä.py\0"


def test_a_failure_of_git_names_its_command(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="git ls-files failed: "):
        tracked_files(str(tmp_path))
