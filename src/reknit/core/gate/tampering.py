"""Rule against source that knows about its tests: trip-wires for code that tampers with the runner."""

import ast
import posixpath
import sys
from collections.abc import Iterator, Sequence

from reknit.core.change import Change
from reknit.core.gate.paths import is_in_test_folder, is_python, is_test_file
from reknit.core.gate.python_tests import dotted, parse
from reknit.core.gate.scope import Scope
from reknit.core.verdict import Refusal

_RUNNERS = frozenset({"pytest", "_pytest", "unittest", "pluggy"})
_SHADOWED = sys.stdlib_module_names | _RUNNERS | {"coverage", "iniconfig", "packaging", "py", "xdist", "hypothesis"}
_EXITS = frozenset({"sys.exit", "exit", "quit", "SystemExit"})
_FRAMES = frozenset({"_getframe", "f_back", "currentframe"})
_COMPARISONS = frozenset({"__eq__", "__ne__"})


def runner_tampering(change: Change, scope: Scope) -> Iterator[Refusal]:
    for file in change.files:
        if not is_python(file.path) or file.after is None:
            continue
        if file.before is None and _shadows_a_module(file.path, scope.project_root):
            yield Refusal(
                "runner-tampering", file.path, f"{file.path} would hide a module of Python or of the test runner"
            )
        if is_test_file(file.path) or is_in_test_folder(file.path):
            continue
        for flag in sorted(_flags(file.text_after) - _flags(file.text_before)):
            yield Refusal(
                "runner-tampering", file.path, f"{file.path} now {flag}; source must not know about its tests"
            )


def _shadows_a_module(path: str, project_root: str) -> bool:
    """Only a folder on the import path can hide a module: a package may well have its own `types.py`."""
    package = path.removesuffix("/__init__.py").removesuffix(".py")
    roots = {"", "src", project_root, posixpath.join(project_root, "src")}
    return posixpath.dirname(package) in roots and posixpath.basename(package) in _SHADOWED


def _flags(text: str) -> frozenset[str]:
    module = parse(text)
    if module is None:
        return frozenset()
    return frozenset([*_exits_on_import(module.body), *(flag for node in ast.walk(module) for flag in _flags_of(node))])


def _flags_of(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (
            f"imports {alias.name.split('.')[0]}" for alias in node.names if alias.name.split(".")[0] in _RUNNERS
        )
    elif isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").split(".")[0] in _RUNNERS:
        yield f"imports {(node.module or '').split('.')[0]}"
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "PYTEST_CURRENT_TEST" in node.value:
        yield "reads PYTEST_CURRENT_TEST"
    elif isinstance(node, ast.Attribute) and node.attr in _FRAMES:
        yield f"reads its caller's frame ({node.attr})"
    elif isinstance(node, ast.Attribute) and dotted(node) == "os._exit":
        yield "ends the process with os._exit"
    elif isinstance(node, ast.Compare) and _asks_for_a_runner(node):
        yield "asks whether a test runner is loaded"
    elif isinstance(node, ast.FunctionDef) and node.name in _COMPARISONS and _returns_a_constant(node.body):
        yield f"has an {node.name} that always gives the same answer"


def _asks_for_a_runner(node: ast.Compare) -> bool:
    return (
        isinstance(node.left, ast.Constant)
        and node.left.value in _RUNNERS
        and any(isinstance(side, ast.Attribute) and side.attr == "modules" for side in node.comparators)
    )


def _returns_a_constant(body: Sequence[ast.stmt]) -> bool:
    statements = [one for one in body if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]
    return (
        len(statements) == 1 and isinstance(statements[0], ast.Return) and isinstance(statements[0].value, ast.Constant)
    )


def _exits_on_import(body: Sequence[ast.stmt]) -> Iterator[str]:
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) or _is_main_guard(statement):
            continue
        for node in ast.walk(statement):
            called = node.func if isinstance(node, ast.Call) else node.exc if isinstance(node, ast.Raise) else None
            if called is not None and dotted(called) in _EXITS:
                yield f"ends the process on import ({dotted(called)})"


def _is_main_guard(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.If) and "__name__" in {
        node.id for node in ast.walk(statement.test) if isinstance(node, ast.Name)
    }
