"""The trusted gitdir: writing out, reading back, private refs."""

import os
import shutil
import time
from pathlib import Path

import pytest

from reknit.adapters.git.plumbing.command import Git
from reknit.adapters.git.plumbing.objects import read_tree
from reknit.adapters.git.trusted_repository import TrustedGit, ignore_rules
from reknit.core.errors import InternalError, ToolMissingError
from reknit.core.repository.change import EXECUTABLE, REGULAR, SYMLINK, Change
from reknit.ports.repository import TrustedRepository
from tests.adapters.git.users_git import AT, FILES, git, head, repository


def test_it_is_the_port(trusted: TrustedGit) -> None:
    port: TrustedRepository = trusted
    assert Path(port.gitdir).is_dir()


def test_opening_twice_keeps_what_is_there(trusted: TrustedGit, user: Path) -> None:
    assert TrustedGit.open(trusted.gitdir).resolve(head(user)) == head(user)


def test_a_tree_is_written_fresh_with_modes_and_links(trusted: TrustedGit, user: Path, tmp_path: Path) -> None:
    (user / "run.sh").write_text("#!/bin/sh\n")
    (user / "run.sh").chmod(0o755)
    (user / "link").symlink_to("app.py")
    (user / "crlf.txt").write_bytes(b"a\r\n")
    (user / ".gitattributes").write_text("app.py text eol=crlf\n")
    git(user, "add", "--all")
    git(user, "commit", "--quiet", "--message=modes")
    trusted.fetch(str(user), head(user))
    tree = tmp_path / "tree"
    (tree / "old" / "deep").mkdir(parents=True)
    (tree / "app.py").write_text("stale")
    started = time.time()
    trusted.write_tree_to(head(user), str(tree))
    assert set(os.listdir(tree)) == {
        ".gitattributes", ".gitignore", "app.py", "crlf.txt", "keep.txt", "lib", "link", "run.sh"
    }  # fmt: skip
    assert os.access(tree / "run.sh", os.X_OK) and not (tree / "app.py").stat().st_mode & 0o111
    assert os.readlink(tree / "link") == "app.py"
    assert (tree / "app.py").read_bytes() == b"one\n", "contents are the stored ones, never converted"
    assert (tree / "app.py").stat().st_mtime >= started - 1
    assert trusted.snapshot(str(tree), head(user), "refs/reknit/s", at=AT) == Change(())


def test_an_untouched_tree_is_an_empty_change(trusted: TrustedGit, user: Path, tree: Path) -> None:
    assert trusted.snapshot(str(tree), head(user), "refs/reknit/run/1", at=AT) == Change(())
    assert trusted.resolve("refs/reknit/run/1") == head(user)


def test_a_snapshot_sees_every_kind_of_change(trusted: TrustedGit, user: Path, tree: Path) -> None:
    before = (tree / "app.py").stat()
    (tree / "app.py").write_text("ONE\n")
    os.utime(tree / "app.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    (tree / "keep.txt").chmod(0o700)
    shutil.rmtree(tree / "lib")
    (tree / "lib").write_text("now a file\n")
    (tree / ".gitignore").write_text("*\n")
    (tree / "hidden.txt").write_text("ignored by the agent\n")
    (tree / "link").symlink_to("/etc/hostname")
    change = trusted.snapshot(str(tree), head(user), "refs/reknit/run/1", at=AT)
    assert change == trusted.change(head(user), "refs/reknit/run/1")
    assert change.unsafe == ()
    assert {(f.path, f.after, f.mode_before, f.mode_after) for f in change.files} == {
        ("app.py", b"ONE\n", REGULAR, REGULAR),
        ("keep.txt", b"k\n", REGULAR, EXECUTABLE),
        ("lib/deep/x.py", None, REGULAR, 0),
        ("lib", b"now a file\n", 0, REGULAR),
        (".gitignore", b"*\n", REGULAR, REGULAR),
        ("hidden.txt", b"ignored by the agent\n", 0, REGULAR),
        ("link", b"/etc/hostname", 0, SYMLINK),
    }


def test_a_snapshot_taken_again_is_the_same_commit(trusted: TrustedGit, user: Path, tree: Path) -> None:
    (tree / "app.py").write_text("2\n")
    trusted.snapshot(str(tree), head(user), "refs/reknit/run/1", at=AT)
    first = trusted.resolve("refs/reknit/run/1")
    trusted.snapshot(str(tree), head(user), "refs/reknit/run/1", at=AT)
    assert trusted.resolve("refs/reknit/run/1") == first


def test_the_diff_is_text_whatever_the_attributes_say(trusted: TrustedGit, user: Path, tree: Path) -> None:
    (tree / ".gitattributes").write_text("* -diff binary\n")
    (tree / "app.py").write_text("two\n")
    trusted.snapshot(str(tree), head(user), "refs/reknit/run/1", at=AT)
    diff = trusted.diff(head(user), "refs/reknit/run/1")
    assert "--- a/app.py\n+++ b/app.py\n@@ -1 +1 @@\n-one\n+two\n" in diff
    assert "Binary" not in diff


def test_several_diffs_are_read_at_once_and_a_missing_one_is_left_out(trusted: TrustedGit, user: Path) -> None:
    base = head(user)
    pairs = {}
    for number in (1, 2, 3):
        pairs[number] = (f"refs/reknit/r-1/{number}/before", f"refs/reknit/r-1/{number}/after")
        trusted.keep(pairs[number][0], base)
        if number != 2:
            trusted.keep(pairs[number][1], trusted.commit_for_tests(base, {"new.txt": f"{number}\n"}, at=1.0))
    diffs = trusted.diffs(pairs)
    assert {number: diff.splitlines()[-1] for number, diff in diffs.items()} == {1: "+1", 3: "+3"}


def test_only_private_refs_are_kept(trusted: TrustedGit, user: Path) -> None:
    trusted.keep("refs/reknit/run/a", head(user))
    assert trusted.resolve("refs/reknit/run/a") == head(user)
    for bad in ("refs/heads/main", "HEAD", "refs/reknit/", "refs/reknit"):
        with pytest.raises(InternalError):
            trusted.keep(bad, head(user))


@pytest.mark.parametrize("rev", ["nothing", "--all", "-h", "1" * 40, ""])
def test_what_is_not_there_resolves_to_nothing(trusted: TrustedGit, rev: str) -> None:
    assert trusted.resolve(rev) == ""


def test_a_tree_can_be_named_and_listed(trusted: TrustedGit, user: Path) -> None:
    assert trusted.tree_of(head(user)) == git(user, "rev-parse", "HEAD^{tree}")
    assert trusted.tree_of("nothing") == ""
    assert set(trusted.paths(head(user))) == set(FILES)


def test_a_ref_that_cannot_be_written_is_a_bug_of_ours(trusted: TrustedGit, user: Path) -> None:
    Path(trusted.gitdir, "refs", "reknit", "x").write_text("nonsense\n")
    with pytest.raises(InternalError, match="git update-ref failed"):
        trusted.keep("refs/reknit/x/y", head(user))


def test_without_git_there_is_a_clear_problem(trusted: TrustedGit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(ToolMissingError, match="git is not on PATH"):
        trusted.resolve("HEAD")


def test_a_revision_that_is_not_there_is_a_bug_of_ours(trusted: TrustedGit, user: Path) -> None:
    with pytest.raises(InternalError, match="names no tree"):
        trusted.change(head(user), "--output=x")


def test_a_file_is_read_as_text_and_a_missing_one_as_nothing(trusted: TrustedGit, user: Path) -> None:
    assert trusted.read(head(user), "app.py") == "one\n"
    assert trusted.read(head(user), "gone.py") == trusted.read(head(user), "") == ""


def test_links_are_told_with_where_they_point(trusted: TrustedGit, user: Path, tree: Path) -> None:
    (tree / "link.py").symlink_to("../elsewhere.py")
    trusted.snapshot(str(tree), head(user), "refs/reknit/run/1", at=AT)
    told = trusted.links("refs/reknit/run/1")
    assert told["link.py"] == "../elsewhere.py"
    assert "app.py" not in told


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
