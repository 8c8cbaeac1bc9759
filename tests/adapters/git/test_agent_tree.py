"""Reading a hostile folder: everything is seen, nothing is followed, all is bounded."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from reknit.adapters.git import agent_tree
from reknit.adapters.git.plumbing import objects
from reknit.adapters.git.trusted_repository import TrustedGit
from reknit.core.repository.change import SYMLINK, Change
from tests.adapters.git.users_git import git, head, repository
from tests.tools.work import quickly

REF = "refs/reknit/run/1"


class Attempt:
    """A trusted gitdir, a base commit and the folder an agent works in."""

    def __init__(self, tmp_path: Path, user: Path) -> None:
        self.user, self.base = user, head(user)
        self.trusted = TrustedGit.open(str(tmp_path / "trusted.git"))
        self.trusted.fetch(str(user), self.base)
        self.tree = tmp_path / "tree"
        self.trusted.write_tree_to(self.base, str(self.tree))

    def look(self, *skip: str) -> Change:
        return self.trusted.snapshot(str(self.tree), self.base, REF, skip=skip, at=0.0)


@pytest.fixture
def attempt(tmp_path: Path) -> Attempt:
    return Attempt(tmp_path, repository(tmp_path / "user", {"app.py": "one\n", "lib/x.py": "x\n"}))


def fifo(tree: Path) -> None:
    os.mkfifo(tree / "pipe")


def unix_socket(tree: Path) -> None:
    here = os.open(tree, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as door:  # by a short name: the test's folder may be too long for a socket
        door.bind(f"/proc/self/fd/{here}/door")
    os.close(here)


def hard_link(tree: Path) -> None:
    os.link(tree / "app.py", tree / "again.py")


def nested_repository(tree: Path) -> None:
    (tree / "vendor" / ".git").mkdir(parents=True)


def own_repository(tree: Path) -> None:
    git(tree, "init", "--quiet")


def pointer_to_a_gitdir(tree: Path) -> None:
    (tree / ".git").write_text("gitdir: /somewhere\n")


def upper_case_repository(tree: Path) -> None:
    (tree / "lib" / ".GIT").mkdir()


def disguised_repository(tree: Path) -> None:
    (tree / "lib" / ".gi\u200dt").mkdir()


def bare_repository(tree: Path) -> None:
    git(tree, "init", "--quiet", "--bare", "fixtures/hidden")


def bare_repository_round_tracked_files(tree: Path) -> None:
    (tree / "lib" / "HEAD").write_text("ref: refs/heads/main\n")
    (tree / "lib" / "objects").mkdir()
    (tree / "lib" / "refs").mkdir()


def bare_repository_at_the_top(tree: Path) -> None:
    (tree / "HEAD").write_text("ref: refs/heads/main\n")
    (tree / "objects").mkdir()
    (tree / "refs").mkdir()


def huge_file(tree: Path) -> None:
    with (tree / "huge.bin").open("wb") as file:
        file.truncate(1 << 40)


def huge_tracked_file(tree: Path) -> None:
    with (tree / "app.py").open("wb") as file:
        file.truncate(1 << 40)


def name_that_is_not_text(tree: Path) -> None:
    Path(os.fsdecode(os.fsencode(tree) + b"/bad\xff.py")).write_text("x")


def tracked_file_replaced_by_a_fifo(tree: Path) -> None:
    (tree / "app.py").unlink()
    os.mkfifo(tree / "app.py")


def linked_submodule_list(tree: Path) -> None:
    (tree / ".gitmodules").symlink_to("/etc/hostname")


def endless_folders(tree: Path) -> None:
    here = os.open(tree, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("d" * 10, dir_fd=here)
        inner = os.open("d" * 10, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)


UNSAFE: list[tuple[Callable[[Path], None], dict[str, str]]] = [
    (fifo, {"pipe": "a special file"}),
    (unix_socket, {"door": "a special file"}),
    (hard_link, {"app.py": "a hard link", "again.py": "a hard link"}),
    (nested_repository, {"vendor/.git": "a nested git repository"}),
    (own_repository, {".git": "a nested git repository"}),
    (pointer_to_a_gitdir, {".git": "a nested git repository"}),
    (upper_case_repository, {"lib/.GIT": "a nested git repository"}),
    (disguised_repository, {"lib/.gi\u200dt": "a nested git repository"}),
    (bare_repository, {"fixtures/hidden": "shaped like a bare git repository"}),
    (bare_repository_round_tracked_files, {"lib": "shaped like a bare git repository"}),
    (bare_repository_at_the_top, {".": "shaped like a bare git repository"}),
    (huge_file, {"huge.bin": "larger than 5 MB"}),
    (huge_tracked_file, {"app.py": "larger than 5 MB"}),
    (name_that_is_not_text, {"bad\\xff.py": "its name is not UTF-8"}),
    (tracked_file_replaced_by_a_fifo, {"app.py": "a special file"}),
    (linked_submodule_list, {".gitmodules": "a link named like one of git's own settings files"}),
    (endless_folders, {"/".join(["d" * 10] * 101): "more than 100 folders deep"}),
]


@pytest.mark.parametrize(("plant", "unsafe"), UNSAFE, ids=lambda value: getattr(value, "__name__", ""))
def test_what_is_not_plain_is_named_and_not_read(
    attempt: Attempt, plant: Callable[[Path], None], unsafe: dict[str, str]
) -> None:
    plant(attempt.tree)
    change = attempt.look()
    assert dict(change.unsafe) == unsafe
    assert all(file.after is not None for file in change.files), "what was not read does not count as removed"
    assert not set(unsafe) & set(change.paths)
    attempt.trusted.write_tree_to(attempt.base, str(attempt.tree))
    assert attempt.look() == Change(()), "a fresh tree can be written over all of it"


@pytest.mark.parametrize(
    "name", ["--force", ":(top)x", "x[1].q", "two\nlines", 'tab\t"quoted"\\', "ünï", "-", " ", "*"]
)
def test_odd_names_are_only_names(attempt: Attempt, name: str) -> None:
    (attempt.tree / name).write_text("odd\n")
    (attempt.tree / "x1.q").write_text("plain\n")
    change = attempt.look()
    assert {file.path: file.after for file in change.files} == {name: b"odd\n", "x1.q": b"plain\n"}
    only = Change(tuple(file for file in change.files if file.path == name))
    commit = attempt.trusted.commit(attempt.base, only, "odd\n", at=0.0)
    assert attempt.trusted.change(attempt.base, commit) == only
    attempt.trusted.write_tree_to(commit, str(attempt.tree))
    assert (attempt.tree / name).read_text() == "odd\n" and not (attempt.tree / "x1.q").exists()


def test_a_linked_folder_is_a_link_and_nothing_behind_it_is_read(attempt: Attempt, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.py").write_text("x\n")
    (attempt.tree / "lib" / "x.py").unlink()
    (attempt.tree / "lib").rmdir()
    (attempt.tree / "lib").symlink_to(outside)
    change = attempt.look()
    assert {(f.path, f.after, f.mode_after) for f in change.files} == {
        ("lib/x.py", None, 0),
        ("lib", str(outside).encode(), SYMLINK),
    }


def test_noise_is_ignored_unless_it_is_tracked(tmp_path: Path) -> None:
    tracked = {"app.py": "1\n", "pkg/__pycache__/kept.txt": "k\n", "old.pyc": "p\n", "core/target/x.py": "x\n"}
    attempt = Attempt(tmp_path, repository(tmp_path / "user", tracked))
    for name in (
        "__pycache__/a.pyc",
        "lib/.mypy_cache/x",
        ".pytest_cache/x",
        "b.pyc",
        "node_modules/.cache/x",
    ):
        (attempt.tree / name).parent.mkdir(parents=True, exist_ok=True)
        (attempt.tree / name).write_text("noise")
    assert attempt.look() == Change(())
    (attempt.tree / "pkg/__pycache__/kept.txt").write_text("changed\n")
    (attempt.tree / "core/target/new.py").write_text("new\n")
    (attempt.tree / "old.pyc").unlink()
    (attempt.tree / "sub").mkdir()
    (attempt.tree / "sub" / "target").write_text("a file, not a folder\n")
    assert set(attempt.look().paths) == {"pkg/__pycache__/kept.txt", "core/target/new.py", "old.pyc", "sub/target"}


def test_what_the_rules_ignore_is_left_out_and_named(tmp_path: Path) -> None:
    """An agent that builds and tests leaves it behind, and it would be refused as unreadable or too large."""
    rules = {".gitignore": "*.o\nlogs/\n/test.db\n/out/\n", "app.c": "1\n"}
    attempt = Attempt(tmp_path, repository(tmp_path / "user", rules))
    for name in ("main.o", "logs/a/b", "out/x/y", "src/new.c"):
        (attempt.tree / name).parent.mkdir(parents=True, exist_ok=True)
        (attempt.tree / name).write_text("new\n")
    huge_file(attempt.tree)
    (attempt.tree / "huge.bin").rename(attempt.tree / "test.db")
    os.mkfifo(attempt.tree / "out" / "pipe")
    change = attempt.look()
    assert (change.paths, change.unsafe) == (("src/new.c",), ())
    assert change.left_out == ("logs/", "out/", "main.o", "test.db")
    (attempt.tree / ".gitignore").write_text("*.c\n")
    assert set(attempt.look().paths) == {".gitignore", "src/new.c"}, "only the commit's own rules count"


def test_a_folders_name_alone_drops_nothing_that_could_be_source(attempt: Attempt) -> None:
    for name in ("src/target/rules.py", "rust/target/debug/x.o", "rust/target/CACHEDIR.TAG", "build/x.py"):
        (attempt.tree / name).parent.mkdir(parents=True, exist_ok=True)
        (attempt.tree / name).write_text("new\n")
    change = attempt.look()
    assert (set(change.paths), change.left_out) == ({"src/target/rules.py", "build/x.py"}, ("rust/target/",))


def test_mount_points_of_carried_paths_are_skipped_unless_tracked(attempt: Attempt) -> None:
    (attempt.tree / ".venv" / "bin").mkdir(parents=True)
    (attempt.tree / ".venv" / "bin" / "python").write_text("")
    (attempt.tree / "_version.py").write_text("")
    (attempt.tree / ".git").mkdir()
    (attempt.tree / "lib" / "x.py").write_text("changed\n")
    (attempt.tree / ".venvy").write_text("not carried\n")
    assert set(attempt.look(".venv/", "_version.py", "lib").paths) == {"lib/x.py", ".venvy"}


def test_a_submodule_is_read_only(tmp_path: Path) -> None:
    inner = repository(tmp_path / "inner", {"s.py": "s\n"})
    user = repository(tmp_path / "user", {"app.py": "1\n"})
    git(user, "submodule", "--quiet", "add", str(inner), "sub")
    git(user, "commit", "--quiet", "--message=sub")
    attempt = Attempt(tmp_path, user)
    assert (attempt.tree / "sub").is_dir() and not os.listdir(attempt.tree / "sub")
    assert attempt.look() == Change(())
    (attempt.tree / "sub").rmdir()
    assert attempt.look() == Change(()), "an absent submodule folder removes nothing"
    (attempt.tree / "sub").mkdir()
    (attempt.tree / "sub" / "s.py").write_text("changed\n")
    assert attempt.look() == Change((), (("sub", "in place of a submodule"),))


def test_what_is_odd_at_base_stays_as_it_is(tmp_path: Path) -> None:
    user = repository(tmp_path / "user", {"f/HEAD": "h\n", "f/objects/x": "o\n", "f/refs/x": "r\n"})
    (user / "big.bin").write_bytes(b"b" * 6_000_000)
    (user / "other.bin").write_bytes(b"b" * 6_000_000)
    Path(os.fsdecode(os.fsencode(user) + b"/bad\xff.py")).write_text("x")
    git(user, "add", "--all")
    git(user, "commit", "--quiet", "--message=odd")
    attempt = Attempt(tmp_path, user)
    assert attempt.look() == Change(())
    (attempt.tree / "f" / "objects" / "x").write_text("changed\n")
    (attempt.tree / "big.bin").write_bytes(b"c" * 6_000_000)
    (attempt.tree / "other.bin").unlink()
    Path(os.fsdecode(os.fsencode(attempt.tree) + b"/bad\xff.py")).unlink()
    change = attempt.look()
    assert change.paths == ("f/objects/x",)
    assert dict(change.unsafe) == {
        "big.bin": "larger than 5 MB", "other.bin": "larger than 5 MB", "bad\\xff.py": "its name is not UTF-8"
    }  # fmt: skip


def test_too_many_paths_are_one_unsafe_entry(attempt: Attempt) -> None:
    for number in range(objects.MAX_CHANGED_PATHS + 10):
        (attempt.tree / f"n{number}").touch()
    change = attempt.look()
    assert change.unsafe == ((".", "more than 5,000 changed paths"),)
    assert len(change.files) == objects.MAX_CHANGED_PATHS
    assert all(file.after is not None for file in change.files), "a walk cut short removes nothing"


def test_too_many_bytes_are_one_unsafe_entry(attempt: Attempt) -> None:
    for number in range(12):
        (attempt.tree / f"n{number}").write_bytes(bytes([number]) * 4_900_000)
    change = attempt.look()
    assert change.unsafe == ((".", "more than 50 MB of changes"),)
    assert len(change.files) == 10


def test_too_many_entries_are_one_unsafe_entry(attempt: Attempt, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_tree, "MAX_ENTRIES", 3)
    (attempt.tree / "a").mkdir()
    (attempt.tree / "b").mkdir()
    assert attempt.look().unsafe == ((".", "more than 3 entries"),)


def test_five_thousand_files_are_compared_in_time(tmp_path: Path) -> None:
    files = {f"src/p{number % 50}/m{number}.py": f"value = {number}\n" * 40 for number in range(5000)}
    attempt = Attempt(tmp_path, repository(tmp_path / "user", files))
    (attempt.tree / "src/p0/m0.py").write_text("changed\n")
    with quickly():
        assert attempt.look().paths == ("src/p0/m0.py",)
