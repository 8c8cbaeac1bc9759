"""Tells a change of code from one that only touches comments or blanks."""

import ast
import posixpath
from collections.abc import Mapping

from reknit.core.gate.syntax.python_tests import parse
from reknit.core.gate.syntax.trees import Language, tree_of
from reknit.core.repository.change import Change, FileChange
from reknit.core.repository.paths import is_python

_LANGUAGES: Mapping[str, Language] = {
    ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascript", ".ts": "typescript",
    ".mts": "typescript", ".cts": "typescript", ".tsx": "tsx", ".go": "go", ".java": "java", ".rs": "rust", ".c": "c",
    ".h": "cpp", ".cc": "cpp", ".cpp": "cpp", ".hpp": "cpp", ".cs": "csharp", ".rb": "ruby", ".php": "php",
    ".kt": "kotlin", ".swift": "swift", ".scala": "scala", ".css": "css",
}  # fmt: skip
"""By extension, where blanks have no meaning of their own."""


def code_paths(change: Change) -> tuple[str, ...]:
    """Return the files in which more than comments and blanks changed."""
    return tuple(file.path for file in change.files if _changes_code(file))


def _changes_code(file: FileChange) -> bool:
    if file.before is None or file.after is None or file.mode_before != file.mode_after:
        return True
    return _code(file.path, file.text_before) != _code(file.path, file.text_after)


def _code(path: str, text: str) -> str | list[str]:
    """Return the text without comments and blanks. Of an unknown language only blanks at ends are known to be none."""
    language = _LANGUAGES.get(posixpath.splitext(path.lower())[1])
    if language:
        return _without_comments(text, language).split()
    module = parse(text) if is_python(path) else None
    return ast.dump(module) if module else [line.rstrip() for line in text.splitlines() if line.strip()]


def _without_comments(text: str, language: Language) -> str:
    kept, start, nodes = [], 0, [tree_of(text, language)]
    while nodes:
        node = nodes.pop()
        if "comment" not in node.kind():
            nodes += reversed(node.children())
            continue
        place = node.range()
        kept.append(text[start : place.start.index])
        start = place.end.index
    return " ".join([*kept, text[start:]])
