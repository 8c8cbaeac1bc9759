"""Rule that no error is swallowed: a handler that catches everything and does nothing hides what is wrong."""

import ast
import re
from collections.abc import Iterator

from reknit.core.gate.scope import Scope
from reknit.core.gate.syntax.python_tests import dotted, parse
from reknit.core.gate.test_evidence import is_test_code
from reknit.core.gate.verdict import Refusal
from reknit.core.repository.change import Change
from reknit.core.repository.paths import is_python

_EVERYTHING = frozenset({"Exception", "BaseException", "builtins.Exception", "builtins.BaseException"})
_EMPTY_CATCH = re.compile(r"\bcatch\s{0,9}(?:\([^(){}]{0,200}\)\s{0,9})?\{\s{0,99}\}")
_CATCHES = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".java", ".kt", ".cs")


def swallowed_errors(change: Change, scope: Scope) -> Iterator[Refusal]:
    for file in change.files:
        if file.after is None or is_test_code(file, scope):
            continue
        if _count(file.path, file.text_after) > _count(file.path, file.text_before):
            what = f"{file.path} now catches every error and does nothing; let it be seen, or handle it"
            yield Refusal("error-swallowed", file.path, what)


def _count(path: str, text: str) -> int:
    if path.lower().endswith(_CATCHES):
        return len(_EMPTY_CATCH.findall(text)) if "catch" in text else 0
    module = parse(text) if is_python(path) and ("except" in text or "suppress" in text) else None
    return sum(map(_swallows, ast.walk(module))) if module else 0


def _swallows(node: ast.AST) -> bool:
    if isinstance(node, ast.ExceptHandler):
        return _is_everything(node.type) and all(map(_does_nothing, node.body))
    if isinstance(node, ast.Call) and dotted(node.func) in ("suppress", "contextlib.suppress"):
        return any(map(_is_everything, node.args))
    return False


def _is_everything(kind: ast.expr | None) -> bool:
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return any(each is None or dotted(each) in _EVERYTHING for each in kinds)


def _does_nothing(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    return isinstance(statement, ast.Pass | ast.Continue)
