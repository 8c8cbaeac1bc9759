"""Rules against silenced linters, type checkers and coverage, and against handlers that hide errors."""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from reknit.core.gate.scope import Scope
from reknit.core.gate.test_evidence import is_test_code
from reknit.core.gate.verdict import Refusal
from reknit.core.languages.python.tests import join_dotted_name, parse
from reknit.core.repository.change import Change
from reknit.core.repository.paths import is_prose, is_python
from reknit.core.syntax import diff_lines

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
# In a script, `a || true` hides a failure; in a program, it is an expression.
_SCRIPT_MARKER = re.compile(r"\|\|\s*(?:true|:)(?=\s|$)|continue-on-error\s*:|--no-verify\b|set\s+\+e\b", re.IGNORECASE)
# The rules that a comment of eslint sets may begin on a line of their own.
_JS_MARKER = re.compile(r"^\s*eslint(?:\s*$|\s+[\"']?[@\w][\w@/-]*[\"']?\s*:)", re.IGNORECASE)
# A cast that switches type checking off for one value.
_CAST = re.compile(r"\bas\s+any\b|<any>")
_TS = (".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte")
_JS = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte", ".astro")
_SCRIPTS = (".sh", ".bash", ".zsh", ".yml", ".yaml", ".mk", "makefile", "dockerfile", "justfile")
_ONLY_IN = {_SCRIPT_MARKER: _SCRIPTS, _JS_MARKER: _JS, _CAST: _TS}
_EVERYTHING = frozenset({"Exception", "BaseException", "builtins.Exception", "builtins.BaseException"})
_EMPTY_CATCH = re.compile(r"\bcatch\s{0,9}(?:\([^(){}]{0,200}\)\s{0,9})?\{\s{0,99}\}")
_CATCHES = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".java", ".kt", ".cs")


def find_suppressions(change: Change, _scope: Scope) -> Iterator[Refusal]:
    """Refuse new comments and options that silence a tool."""
    removed = Counter[str]()  # a marker that moves with its code, within a file or to another, is not added
    for file in (changed_file for changed_file in change.files if changed_file.before is not None):
        removed += _count_markers(file.path, diff_lines(file).removed)
    for file in change.files:
        if file.after is None or is_prose(file.path):
            continue
        added = _count_markers(file.path, diff_lines(file).added)
        new, removed = added - removed, removed - added
        for marker in sorted(new):
            yield Refusal(
                "suppression-added",
                file.path,
                f"the fix adds `{marker[:60]}` in {file.path}; repair the code instead of silencing it",
            )


def _count_markers(path: str, lines: Iterable[str]) -> Counter[str]:
    """Count each marker together with the rest of its line, so that a marker that silences more counts as new."""
    patterns = [_MARKER, *(marker for marker, names in _ONLY_IN.items() if path.lower().endswith(names))]
    counts: Counter[str] = Counter()
    for line in lines:
        for pattern in patterns:
            match = pattern.search(line)
            if match:
                counts[" ".join(line[match.start() :].split())] += 1
    return counts


def find_swallowed_errors(change: Change, scope: Scope) -> Iterator[Refusal]:
    """Refuse new handlers that catch every error and do nothing."""
    for file in change.files:
        if file.after is None or is_test_code(file, scope):
            continue
        if _count_swallowing(file.path, file.text_after) > _count_swallowing(file.path, file.text_before):
            message = f"{file.path} now catches every error and does nothing; let it be seen, or handle it"
            yield Refusal("error-swallowed", file.path, message)


def _count_swallowing(path: str, text: str) -> int:
    if path.lower().endswith(_CATCHES):
        return len(_EMPTY_CATCH.findall(text)) if "catch" in text else 0
    module = parse(text) if is_python(path) and ("except" in text or "suppress" in text) else None
    return sum(map(_swallows, ast.walk(module))) if module else 0


def _swallows(node: ast.AST) -> bool:
    if isinstance(node, ast.ExceptHandler):
        return _is_everything(node.type) and all(map(_does_nothing, node.body))
    if isinstance(node, ast.Call) and join_dotted_name(node.func) in ("suppress", "contextlib.suppress"):
        return any(map(_is_everything, node.args))
    return False


def _is_everything(kind: ast.expr | None) -> bool:
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return any(kind is None or join_dotted_name(kind) in _EVERYTHING for kind in kinds)


def _does_nothing(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    return isinstance(statement, ast.Pass | ast.Continue)
