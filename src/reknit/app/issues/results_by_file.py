"""Groups report results by repository file, and reads those files without leaving the working tree."""

import functools
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from reknit.core.issues.formats.paths import resolve_path
from reknit.core.issues.formats.report import UNSAFE_CHARACTERS
from reknit.core.issues.import_summary import SkippedResults, SkipReason
from reknit.core.issues.model import ReportResult
from reknit.core.text.redact import redact

MAX_FILE_BYTES = 5_000_000


@dataclass(frozen=True)
class WorkingTree:
    """The user's working tree, read without following links out of it."""

    root: str
    """Absolute path."""

    def resolve(self, path: str) -> str | None:
        """Return the path with symlinks resolved, as git and a forge know the file.

        None: it leads out of the tree. `path`: relative to the root; the file need not exist.
        """
        if "\0" in path:
            return None
        root = _resolve_root(self.root)
        full = os.path.realpath(os.path.join(root, path))  # noqa: PTH118 - there may be many
        if not full.startswith(root + "/"):
            return None
        inside = full[len(root) + 1 :]
        return None if inside.partition("/")[0] == ".git" or UNSAFE_CHARACTERS.search(inside) else inside

    def exists(self, path: str) -> bool:
        return os.path.lexists(os.path.join(self.root, path))  # noqa: PTH118 - as above

    def read(self, path: str) -> bytes | None:
        """Return the content, or None if it is no regular file, too large, or not in the tree.

        `path` must come from `resolve`.
        """
        if self.resolve(path) != path:
            return None
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            number = os.open(os.path.join(self.root, path), flags)  # noqa: PTH118 - as above
        except OSError:
            return None
        try:
            facts = os.fstat(number)
            if not stat.S_ISREG(facts.st_mode) or facts.st_size > MAX_FILE_BYTES:
                return None
            with open(number, "rb", closefd=False) as file:
                return file.read(MAX_FILE_BYTES)
        finally:
            os.close(number)


@functools.cache
def _resolve_root(root: str) -> str:
    return os.path.realpath(root)


class ResultsByFile:
    """Results of reports by the file that they are about, and counts of the results that were skipped."""

    def __init__(self, tree: WorkingTree, folder: str, root: str = "") -> None:
        """`folder`: where the command runs, absolute. `root`: what the reports' paths are relative to, if given."""
        self._tree, self._folder, self._root = tree, folder, root
        self._own: dict[str, str | None] = {}
        """Repository file of each path in a report; None if it is outside."""
        self._left: dict[SkipReason, SkippedResults] = {}
        self.by_path: dict[str, list[ReportResult]] = {}
        self._not_here = set[str]()
        self._placed_tools, self._lost_tools = set[str](), set[str]()

    def add(self, results: Iterable[ReportResult]) -> int:
        """Add results, and return their number."""
        number = 0
        for result in results:
            number += 1
            if result.path not in self._own:
                self._own[result.path] = self._find_file(result.path)
            path = self._own[result.path]
            (self._lost_tools if path is None else self._placed_tools).add(result.tool)
            if path is None:
                self.skip("outside" if result.path else "no file", 1, redact(result.path or result.message))
            else:
                self.by_path.setdefault(path, []).append(_redact_result(result))
        return number

    def skip(self, why: SkipReason, count: int, example: str = "") -> None:
        before = self._left.get(why, SkippedResults(why, 0, example))
        if count:
            self._left[why] = SkippedResults(why, before.count + count, before.example)

    def partial_tools(self, partly: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
        """Return the tools that did not look at everything, or none of whose results is about a file here."""
        incomplete_tools = {tool for tools in partly for tool in tools}
        return tuple(sorted(incomplete_tools | (self._lost_tools - self._placed_tools)))

    def count_missing_files(self) -> dict[str, int]:
        """Return the number of results per path, for files that do not exist."""
        return {path: len(results) for path, results in self.by_path.items() if path in self._not_here}

    @property
    def skipped(self) -> tuple[SkippedResults, ...]:
        return tuple(self._left.values())

    def _find_file(self, path: str) -> str | None:
        """Return the first existing file that the path may mean; if none exists, the first candidate."""
        inside = [own for way in self._list_candidates(path) if way and (own := self._tree.resolve(way))]
        there = next((own for own in inside if self._tree.exists(own)), None)
        if there is None:
            self._not_here.update(inside[:1])
        return there or next(iter(inside), None)

    def _list_candidates(self, path: str) -> list[str]:
        """List the path relative to the given root, the repository's root, and the current folder."""
        top = self._tree.root
        from_root = [self._resolve_from_root(path)] if self._root else []
        linked = path if path.startswith("/") else ""  # for a root with symlinks in its own path
        return [*from_root, resolve_path(path, top), resolve_path(path, top, self._folder), linked]

    def _resolve_from_root(self, path: str) -> str:
        """Resolve against the given root: a folder in this tree, or a checkout's root on another machine."""
        inside = resolve_path(path, self._root)
        prefix = self._tree.resolve(self._root)
        return os.path.join(prefix, inside) if prefix and inside else inside  # noqa: PTH118 - these are plain strings


def _redact_result(result: ReportResult) -> ReportResult:
    """Redact secrets: a secret scanner may print the secrets it found, and people and agents read the ledger."""
    words = {"rule": result.rule, "message": result.message, "suggestion": result.suggestion, "url": result.url}
    changed = {name: safe for name, text in words.items() if (safe := redact(text)) != text}
    return msgspec.structs.replace(result, **changed) if changed else result
