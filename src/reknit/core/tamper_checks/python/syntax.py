"""Where a target stands in the syntax tree of its file."""

import ast
from dataclasses import dataclass

from reknit.core.tamper_checks.checks import TargetTest

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Found:
    function: Function | None
    """None if the test's class inherits it."""
    holder: ast.ClassDef | None
    parameters: str
    """`[200-10]`, as its id ends; empty if it has none."""


def parse(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def find_test(tree: ast.Module, test: TargetTest) -> Found | None:
    """`tests/test_price.py::TestPrice::test_discount[200-10]`; None for what is not written as a test in this file."""
    inside = test.id.removeprefix(f"{test.file}::")
    path, bracket, rest = inside.partition("[")
    *classes, name = path.split("::")
    body: list[ast.stmt] = tree.body
    holder = None
    for each in classes:
        holder = next((node for node in reversed(body) if isinstance(node, ast.ClassDef) and node.name == each), None)
        if holder is None:
            return None
        body = holder.body
    function = next((node for node in reversed(body) if isinstance(node, Function) and node.name == name), None)
    if inside == test.id or (function is None and (holder is None or not name.isidentifier())):
        return None
    return Found(function, holder, bracket + rest)
