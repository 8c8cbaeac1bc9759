"""Rule against silencing a linter, type checker or coverage instead of repairing the code."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from reknit.core.change import Change
from reknit.core.gate.lines import line_diff
from reknit.core.gate.paths import is_prose
from reknit.core.gate.scope import Scope
from reknit.core.verdict import Refusal

_MARKER = re.compile(
    r"#\s*(?:(?:flake8|ruff):\s*)?noqa\b|#\s*type:\s*ignore|#\s*mypy:\s*ignore|#\s*pyright:|#\s*pyre-(?:ignore|fixme)|#\s*pragma:\s*no\s"
    r"|#\s*pylint:\s*(?:disable|skip)|#\s*nosec\b|\bNOSONAR\b|\bNOLINT\w*"
    r"|eslint-disable|tslint:disable|@ts-(?:ignore|nocheck|expect-error)|\bbiome-ignore|\bdeno-lint-ignore|\$FlowFixMe"
    r"|(?:istanbul|c8|v8)\s+ignore"
    r"|//\s*nolint\b|//\s*lint:ignore|@SuppressWarnings|@file:Suppress|@Suppress\(|#!?\[(?:allow|expect)\("
    r"|#pragma\s+(?:GCC|clang)\s+diagnostic\s+ignored|#pragma\s+warning\s+disable|rubocop:disable|@phpstan-ignore|shellcheck\s+disable",
    re.IGNORECASE,
)
# In a program `a || true` is an expression; in a script it hides a failure.
_SCRIPT_MARKER = re.compile(r"\|\|\s*(?:true|:)(?=\s|$)|continue-on-error\s*:|--no-verify\b|set\s+\+e\b", re.IGNORECASE)
_SCRIPTS = (".sh", ".bash", ".zsh", ".yml", ".yaml", ".mk", "makefile", "dockerfile", "justfile")


def suppressions(change: Change, _scope: Scope) -> Iterator[Refusal]:
    for file in change.files:
        if file.after is None or is_prose(file.path):
            continue
        diff = line_diff(file)
        # A line that already carried its marker and was edited elsewhere adds none.
        new = _markers(file.path, diff.added) - _markers(file.path, diff.removed)
        for marker in sorted(new):
            yield Refusal(
                "suppression-added",
                file.path,
                f"the fix adds `{marker[:60]}` in {file.path}; repair the code instead of silencing it",
            )


def _markers(path: str, lines: Iterable[str]) -> Counter[str]:
    """Each marker with what follows it on the line, so that a widened one counts as new."""
    patterns = [_MARKER, _SCRIPT_MARKER] if path.lower().endswith(_SCRIPTS) else [_MARKER]
    found: Counter[str] = Counter()
    for line in lines:
        for pattern in patterns:
            match = pattern.search(line)
            if match:
                found[" ".join(line[match.start() :].split())] += 1
    return found
