"""Reads trees and their differences from git objects, never from files."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from reknit.adapters.git.plumbing.command import Git
from reknit.core.errors import UsageProblem
from reknit.core.repository.change import EXECUTABLE, GITLINK, REGULAR, Change, FileChange

MAX_FILE_BYTES = 5_000_000
MAX_CHANGED_PATHS = 5_000
MAX_CHANGED_BYTES = 50_000_000
TOO_LARGE = f"larger than {MAX_FILE_BYTES // 1_000_000} MB"
TOO_MANY = f"more than {MAX_CHANGED_PATHS:,} changed paths"
TOO_MUCH = f"more than {MAX_CHANGED_BYTES // 1_000_000} MB of changes"
NOT_UTF8 = "its name is not UTF-8"


class AskGit(Protocol):
    """Runs git in one repository and returns its output."""

    def __call__(self, *args: str, stdin: bytes = b"") -> bytes: ...


@dataclass(frozen=True)
class TreeEntry:
    mode: int
    sha: str


ABSENT = TreeEntry(0, "0" * 40)
Tree = Mapping[bytes, TreeEntry]


@dataclass(frozen=True)
class Difference:
    path: bytes
    before: TreeEntry
    after: TreeEntry


def read_tree(git: Git, rev: str) -> dict[bytes, TreeEntry]:
    """Every path of the tree, gitlinks included."""
    tree = {}
    for record in git.out("ls-tree", "-r", "-z", "--full-tree", git.known(rev, "tree")).split(b"\0")[:-1]:
        facts, path = record.split(b"\t", 1)
        mode, _, sha = facts.split(b" ")
        tree[path] = TreeEntry(_modern(int(mode, 8)), sha.decode())
    return tree


def _modern(mode: int) -> int:
    """Old trees contain modes such as 100664, which git itself reads as 100644."""
    if mode & 0o170000 != 0o100000:
        return mode
    return EXECUTABLE if mode & 0o100 else REGULAR


def differences(git: Git, base: str, head: str) -> list[Difference]:
    return parse_raw(
        git.out(
            "diff-tree", "-r", "-z", "--raw", "--no-renames", "--ignore-submodules=none",
            git.known(base, "tree"), git.known(head, "tree"),
        )
    )  # fmt: skip


def parse_raw(output: bytes) -> list[Difference]:
    """What `git diff-… -z --raw --no-renames` prints, with full object ids."""
    records = output.split(b"\0")
    found = []
    for facts, path in zip(records[:-1:2], records[1::2], strict=True):
        mode_before, mode_after, sha_before, sha_after, _ = facts.lstrip(b":").decode().split(" ")
        before, after = TreeEntry(int(mode_before, 8), sha_before), TreeEntry(int(mode_after, 8), sha_after)
        found.append(Difference(path, before, after))
    return found


def read_change(git: Git, base: str, head: str) -> Change:
    return with_contents(git.out, differences(git, base, head))


def with_contents(ask: AskGit, found: Sequence[Difference]) -> Change:
    """What is too large to keep in memory is listed as unsafe instead."""
    sizes = _sizes(ask, {entry.sha for one in found for entry in (one.before, one.after) if _is_blob(entry)})
    held: list[Difference] = []
    unsafe: list[tuple[str, str]] = []
    total = 0
    for one in found:
        needs = [sizes.get(entry.sha, 0) for entry in (one.before, one.after)]
        why = NOT_UTF8 if not is_utf8(one.path) else TOO_LARGE if max(needs) > MAX_FILE_BYTES else ""
        if why:
            unsafe.append((shown(one.path), why))
            continue
        total += sum(needs)
        if len(held) == MAX_CHANGED_PATHS or total > MAX_CHANGED_BYTES:
            unsafe.append((".", TOO_MANY if len(held) == MAX_CHANGED_PATHS else TOO_MUCH))
            break
        held.append(one)
    contents = _contents(ask, {entry.sha for one in held for entry in (one.before, one.after) if _is_blob(entry)})
    return Change(tuple(_file_change(one, contents) for one in held), tuple(unsafe))


def _file_change(one: Difference, contents: Mapping[str, bytes]) -> FileChange:
    before, after = _content(one.before, contents), _content(one.after, contents)
    return FileChange(one.path.decode(), before, after, one.before.mode, one.after.mode)


def _content(entry: TreeEntry, contents: Mapping[str, bytes]) -> bytes | None:
    if entry.mode == 0:
        return None
    return f"Subproject commit {entry.sha}\n".encode() if entry.mode == GITLINK else contents[entry.sha]


def _is_blob(entry: TreeEntry) -> bool:
    return entry.mode not in (0, GITLINK)


def _sizes(ask: AskGit, ids: Iterable[str]) -> dict[str, int]:
    asked = "".join(f"{sha}\n" for sha in sorted(ids)).encode()
    output = ask("cat-file", "--batch-check=%(objectname) %(objectsize)", stdin=asked).decode().splitlines()
    sizes = dict(line.split(" ") for line in output)
    if lost := next((sha for sha, size in sizes.items() if size == "missing"), ""):
        hint = "a partial clone leaves objects out: `git fetch --refetch --no-filter` gets them"
        raise UsageProblem("repository-unreadable", f"the repository lacks the object {lost}", help=hint)
    return {sha: int(size) for sha, size in sizes.items()}


def _contents(ask: AskGit, ids: Iterable[str]) -> dict[str, bytes]:
    asked = "".join(f"{sha}\n" for sha in sorted(ids)).encode()
    output = ask("cat-file", "--batch", stdin=asked)
    contents, start = {}, 0
    while start < len(output):
        end = output.index(b"\n", start)
        sha, _, size = output[start:end].decode().split(" ")
        start = end + 1 + int(size)
        contents[sha] = output[end + 1 : start]
        start += 1
    return contents


def is_utf8(path: bytes) -> bool:
    try:
        path.decode()
    except UnicodeDecodeError:
        return False
    return True


def shown(path: bytes) -> str:
    """For people: printable even if the name is not UTF-8."""
    return path.decode("utf-8", "backslashreplace")
