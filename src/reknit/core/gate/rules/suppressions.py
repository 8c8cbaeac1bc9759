"""Rule against silencing a linter, type checker or coverage instead of repairing the code."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from reknit.core.gate.scope import Scope
from reknit.core.gate.syntax.line_diff import line_diff
from reknit.core.gate.verdict import Refusal
from reknit.core.repository.change import Change
from reknit.core.repository.paths import is_prose

_MARKER = re.compile(
    r"#(?:\s*(?:(?:(?:flake8|ruff):\s*)?noqa\b|ruff:\s*(?:disable|ignore|file-ignore)\b|type:\s*ignore|mypy:\s*ignore|pyright:"
    r"|pyre-(?:ignore|fixme)|pragma:\s*no\s|pylint:\s*(?:disable|skip)|nosec\b"
    r"|(?:ruff:\s*)?isort:\s*(?:skip|off))|!?\[(?:allow|expect)\("
    r"|pragma\s+(?:(?:GCC|clang)\s+diagnostic\s+ignored|warning\s+disable))"
    r"|//\s*(?:nolint\b|lint:ignore)"
    r"|@(?:ts-(?:ignore|nocheck|expect-error)|SuppressWarnings|file:Suppress|Suppress\(|phpstan-ignore)"
    r"|\b(?:NOSONAR\b|NOLINT\w*|biome-ignore|deno-lint-ignore)|\$FlowFixMe"
    r"|eslint-disable|/\*\s*eslint(?:\s+[\"'@\w]|\s*$)|tslint:disable|(?:istanbul|c8|v8)\s+ignore|rubocop:disable"
    r"|shellcheck\s+disable",
    re.IGNORECASE,
)
# In a program `a || true` is an expression; in a script it hides a failure.
_SCRIPT_MARKER = re.compile(r"\|\|\s*(?:true|:)(?=\s|$)|continue-on-error\s*:|--no-verify\b|set\s+\+e\b", re.IGNORECASE)
# The rules that a comment of eslint sets may begin on a line of their own.
_JS_MARKER = re.compile(r"^\s*eslint(?:\s*$|\s+[\"']?[@\w][\w@/-]*[\"']?\s*:)", re.IGNORECASE)
# A cast that switches type checking off for one value.
_CAST = re.compile(r"\bas\s+any\b|<any>")
_TS = (".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte")
_JS = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte", ".astro")
_SCRIPTS = (".sh", ".bash", ".zsh", ".yml", ".yaml", ".mk", "makefile", "dockerfile", "justfile")
_ONLY_IN = {_SCRIPT_MARKER: _SCRIPTS, _JS_MARKER: _JS, _CAST: _TS}


def suppressions(change: Change, _scope: Scope) -> Iterator[Refusal]:
    removed = Counter[str]()  # a marker that moves with its code, within a file or to another, is not added
    for file in (each for each in change.files if each.before is not None):
        removed += _markers(file.path, line_diff(file).removed)
    for file in change.files:
        if file.after is None or is_prose(file.path):
            continue
        added = _markers(file.path, line_diff(file).added)
        new, removed = added - removed, removed - added
        for marker in sorted(new):
            yield Refusal(
                "suppression-added",
                file.path,
                f"the fix adds `{marker[:60]}` in {file.path}; repair the code instead of silencing it",
            )


def _markers(path: str, lines: Iterable[str]) -> Counter[str]:
    """Each marker with what follows it on the line, so that a broadened one counts as new."""
    patterns = [_MARKER, *(marker for marker, names in _ONLY_IN.items() if path.lower().endswith(names))]
    found: Counter[str] = Counter()
    for line in lines:
        for pattern in patterns:
            match = pattern.search(line)
            if match:
                found[" ".join(line[match.start() :].split())] += 1
    return found
