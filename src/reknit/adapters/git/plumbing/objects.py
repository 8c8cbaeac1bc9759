"""Reads trees and differences from git objects, never from files, and recognises special names in them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from reknit.adapters.git.plumbing.command import Git
from reknit.core.errors import UsageError
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
    """Mode and object id of one path of a tree."""

    mode: int
    sha: str


ABSENT = TreeEntry(0, "0" * 40)
Tree = Mapping[bytes, TreeEntry]


@dataclass(frozen=True)
class Difference:
    """One path that differs between two trees."""

    path: bytes
    before: TreeEntry
    after: TreeEntry


def read_tree(git: Git, rev: str) -> dict[bytes, TreeEntry]:
    """Return every path of the tree, gitlinks included."""
    tree = {}
    for record in git.out("ls-tree", "-r", "-z", "--full-tree", git.resolve_id(rev, "tree")).split(b"\0")[:-1]:
        facts, path = record.split(b"\t", 1)
        mode, _, sha = facts.split(b" ")
        tree[path] = TreeEntry(_normalise_mode(int(mode, 8)), sha.decode())
    return tree


def _normalise_mode(mode: int) -> int:
    """Normalise modes of old trees such as 100664, which git itself reads as 100644."""
    if mode & 0o170000 != 0o100000:
        return mode
    return EXECUTABLE if mode & 0o100 else REGULAR


def differences(git: Git, base: str, head: str) -> list[Difference]:
    """Compare two trees."""
    return parse_raw(
        git.out(
            "diff-tree", "-r", "-z", "--raw", "--no-renames", "--ignore-submodules=none",
            git.resolve_id(base, "tree"), git.resolve_id(head, "tree"),
        )
    )  # fmt: skip


def parse_raw(output: bytes) -> list[Difference]:
    """Parse the output of `git diff-… -z --raw --no-renames` with full object ids."""
    records = output.split(b"\0")
    changed_paths = []
    for facts, path in zip(records[:-1:2], records[1::2], strict=True):
        mode_before, mode_after, sha_before, sha_after, _ = facts.lstrip(b":").decode().split(" ")
        before, after = TreeEntry(int(mode_before, 8), sha_before), TreeEntry(int(mode_after, 8), sha_after)
        changed_paths.append(Difference(path, before, after))
    return changed_paths


def read_change(git: Git, base: str, head: str) -> Change:
    """Return the change between two trees with its contents."""
    return with_contents(git.out, differences(git, base, head))


def with_contents(ask: AskGit, changed: Sequence[Difference]) -> Change:
    """Read the contents of changed files. Those too large to keep in memory are listed as unsafe instead."""
    sizes = _read_sizes(ask, {entry.sha for one in changed for entry in (one.before, one.after) if _is_blob(entry)})
    bounded: list[Difference] = []
    unsafe: list[tuple[str, str]] = []
    total = 0
    for one in changed:
        needs = [sizes.get(entry.sha, 0) for entry in (one.before, one.after)]
        why = NOT_UTF8 if not is_utf8(one.path) else TOO_LARGE if max(needs) > MAX_FILE_BYTES else ""
        if why:
            unsafe.append((to_printable(one.path), why))
            continue
        total += sum(needs)
        if len(bounded) == MAX_CHANGED_PATHS or total > MAX_CHANGED_BYTES:
            unsafe.append((".", TOO_MANY if len(bounded) == MAX_CHANGED_PATHS else TOO_MUCH))
            break
        bounded.append(one)
    contents = _read_contents(
        ask, {entry.sha for one in bounded for entry in (one.before, one.after) if _is_blob(entry)}
    )
    return Change(tuple(_make_file_change(one, contents) for one in bounded), tuple(unsafe))


def _make_file_change(one: Difference, contents: Mapping[str, bytes]) -> FileChange:
    before, after = _find_content(one.before, contents), _find_content(one.after, contents)
    return FileChange(one.path.decode(), before, after, one.before.mode, one.after.mode)


def _find_content(entry: TreeEntry, contents: Mapping[str, bytes]) -> bytes | None:
    if entry.mode == 0:
        return None
    return f"Subproject commit {entry.sha}\n".encode() if entry.mode == GITLINK else contents[entry.sha]


def _is_blob(entry: TreeEntry) -> bool:
    return entry.mode not in (0, GITLINK)


def _read_sizes(ask: AskGit, ids: Iterable[str]) -> dict[str, int]:
    request = "".join(f"{sha}\n" for sha in sorted(ids)).encode()
    output = ask("cat-file", "--batch-check=%(objectname) %(objectsize)", stdin=request).decode().splitlines()
    sizes = dict(line.split(" ") for line in output)
    if lost := next((sha for sha, size in sizes.items() if size == "missing"), ""):
        hint = "a partial clone leaves objects out: `git fetch --refetch --no-filter` gets them"
        raise UsageError("repository-unreadable", f"the repository lacks the object {lost}", help=hint)
    return {sha: int(size) for sha, size in sizes.items()}


def _read_contents(ask: AskGit, ids: Iterable[str]) -> dict[str, bytes]:
    request = "".join(f"{sha}\n" for sha in sorted(ids)).encode()
    output = ask("cat-file", "--batch", stdin=request)
    contents, start = {}, 0
    while start < len(output):
        end = output.index(b"\n", start)
        sha, _, size = output[start:end].decode().split(" ")
        start = end + 1 + int(size)
        contents[sha] = output[end + 1 : start]
        start += 1
    return contents


def is_utf8(path: bytes) -> bool:
    """Return True if the path is valid UTF-8."""
    try:
        path.decode()
    except UnicodeDecodeError:
        return False
    return True


def to_printable(path: bytes) -> str:
    """Return a path for people: printable even if the name is not UTF-8."""
    return path.decode("utf-8", "backslashreplace")


_IGNORED_BY_HFS = dict.fromkeys(
    [*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF],
)


def is_git_name(name: str) -> bool:
    """Return True if it is `.git` in any case, or in a spelling that macOS or Windows would read as `.git`."""
    plain = name.translate(_IGNORED_BY_HFS).split(":")[0].split("\\")[0].casefold().rstrip(" .")
    return plain in (".git", "git~1")


def is_git_settings_name(name: str) -> bool:
    """Return True if git refuses to store a link with such a name (`.gitmodules` and its short forms)."""
    plain = name.translate(_IGNORED_BY_HFS).casefold()
    return plain.startswith((".git", "gitmod~", "gi7"))


def parent_folders(path: bytes) -> list[bytes]:
    """Return the folders above a path, outermost first."""
    parts = path.rstrip(b"/").split(b"/")
    return [b"/".join(parts[:length]) for length in range(1, len(parts))]


NOISE_FOLDERS = frozenset(
    ("__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".cache", ".tox", ".nox", ".gradle",
     ".eggs", ".nyc_output", "htmlcov", "test-results", "playwright-report", "blob-report",
     "node_modules/.cache", "node_modules/.vite", "node_modules/.vitest")
)  # fmt: skip
"""Folders that tools leave behind when an agent runs them. No snapshot contains them."""
NOISE_FILES = frozenset((".coverage", ".DS_Store"))
NOISE_SUFFIXES = (".pyc", ".pyo")

CACHE_MARK = "CACHEDIR.TAG"
"""File in a folder that a tool declares to be a cache, such as cargo's `target`."""


def is_noise(path: bytes, *, is_folder: bool) -> bool:
    """Return True if a path that is not tracked at base is a leftover of a tool."""
    parts = to_printable(path).split("/")
    if is_folder:
        return parts[-1] in NOISE_FOLDERS or "/".join(parts[-2:]) in NOISE_FOLDERS
    return parts[-1] in NOISE_FILES or parts[-1].endswith(NOISE_SUFFIXES)
