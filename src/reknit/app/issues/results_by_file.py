"""Report results, grouped by the repository file they are about."""

import os
from collections.abc import Iterable

import msgspec

from reknit.app.issues.working_tree import WorkingTree
from reknit.core.issues.formats.paths import relative
from reknit.core.issues.import_summary import SkippedResults, Why
from reknit.core.issues.model import ReportResult
from reknit.core.text.redact import redact


class ResultsByFile:
    def __init__(self, tree: WorkingTree, folder: str, root: str = "") -> None:
        """`folder`: where the command runs, absolute. `root`: what the reports' paths are relative to, if given."""
        self._tree, self._folder, self._root = tree, folder, root
        self._own: dict[str, str | None] = {}
        """Path in a report -> that file in the repository."""
        self._left: dict[Why, SkippedResults] = {}
        self.by_path: dict[str, list[ReportResult]] = {}
        self._not_here = set[str]()
        self._placed_tools, self._lost_tools = set[str](), set[str]()

    def put(self, results: Iterable[ReportResult]) -> int:
        """Returns how many there were."""
        number = 0
        for found in results:
            number += 1
            if found.path not in self._own:
                self._own[found.path] = self._placed(found.path)
            path = self._own[found.path]
            (self._lost_tools if path is None else self._placed_tools).add(found.tool)
            if path is None:
                self.leave_out("outside" if found.path else "no file", 1, redact(found.path or found.message))
            else:
                self.by_path.setdefault(path, []).append(_without_secrets(found))
        return number

    def leave_out(self, why: Why, count: int, example: str = "") -> None:
        before = self._left.get(why, SkippedResults(why, 0, example))
        if count:
            self._left[why] = SkippedResults(why, before.count + count, before.example)

    def partial(self, partly: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
        """Tools that did not look at everything, and those none of whose results is about a file here."""
        said = {tool for tools in partly for tool in tools}
        return tuple(sorted(said | (self._lost_tools - self._placed_tools)))

    def not_here(self) -> dict[str, int]:
        """Path -> number of results, for files that do not exist."""
        return {path: len(results) for path, results in self.by_path.items() if path in self._not_here}

    @property
    def left_out(self) -> tuple[SkippedResults, ...]:
        return tuple(self._left.values())

    def _placed(self, path: str) -> str | None:
        """Of several files that a path may mean, the first that exists; if none does, the first."""
        inside = [own for way in self._ways(path) if way and (own := self._tree.own(way))]
        there = next((own for own in inside if self._tree.has(own)), None)
        if there is None:
            self._not_here.update(inside[:1])
        return there or next(iter(inside), None)

    def _ways(self, path: str) -> list[str]:
        """Relative to the given root, the repository's root, and the current folder, where tools may have run."""
        top = self._tree.root
        named = [self._from_named(path)] if self._root else []
        linked = path if path.startswith("/") else ""  # for a root with symlinks in its own path
        return [*named, relative(path, top), relative(path, top, self._folder), linked]

    def _from_named(self, path: str) -> str:
        """The given root may be a folder in here, or the root of a checkout on another machine."""
        inside = relative(path, self._root)
        prefix = self._tree.own(self._root)
        return os.path.join(prefix, inside) if prefix and inside else inside  # noqa: PTH118 - these are plain strings


def _without_secrets(found: ReportResult) -> ReportResult:
    """A secret scanner may print the secrets it found, and people and agents read the ledger."""
    words = {"rule": found.rule, "message": found.message, "suggestion": found.suggestion, "url": found.url}
    changed = {name: safe for name, text in words.items() if (safe := redact(text)) != text}
    return msgspec.structs.replace(found, **changed) if changed else found
