"""Finds a target in the syntax tree of its file."""

import ast
from dataclasses import dataclass

from reknit.core.tamper_checks.checks import TargetTest

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class TargetPlace:
    """The function of a target and the class around it."""

    function: Function | None
    """None if the test's class inherits it."""
    holder: ast.ClassDef | None
    parameters: str
    """End of its id, as in `[200-10]`; empty if it has none."""


def parse(text: str) -> ast.Module | None:
    """Return the tree; None if the text is not Python."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def find_test(tree: ast.Module, test: TargetTest) -> TargetPlace | None:
    """Return the place of `tests/test_price.py::TestPrice::test_discount[200-10]`; None if it is not in this file."""
    inside = test.id.removeprefix(f"{test.file}::")
    path, bracket, rest = inside.partition("[")
    *classes, name = path.split("::")
    body: list[ast.stmt] = tree.body
    holder = None
    for class_name in classes:
        holder = next(
            (node for node in reversed(body) if isinstance(node, ast.ClassDef) and node.name == class_name), None
        )
        if holder is None:
            return None
        body = holder.body
    function = next((node for node in reversed(body) if isinstance(node, Function) and node.name == name), None)
    if inside == test.id or (function is None and (holder is None or not name.isidentifier())):
        return None
    return TargetPlace(function, holder, bracket + rest)
