"""Whether a file belongs to the tests, by what base shows: where its tests ran, what it holds and who uses it."""

import ast
import posixpath
import re

from reknit.core.gate.scope import Scope
from reknit.core.gate.syntax.python_tests import parse
from reknit.core.repository.change import FileChange
from reknit.core.repository.paths import is_code, is_config, is_in_folder_of_tests, is_in_test_folder, is_test_file

_JS = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts")
_LIBRARIES = {
    ".py": re.compile(
        r"^[ \t]*(?:import|from)[ \t]+(?:_?pytest|unittest2?|hypothesis|nose2?|hamcrest|assertpy|testtools|ward)\b",
        re.M,
    ),
    **dict.fromkeys(
        _JS,
        re.compile(
            r"(?:\bfrom|\brequire\(|\bimport\(|\bimport)[ \t]*[\"'](?:node:test|vitest|@jest/globals|jest|mocha|chai"
            r"|expect|@testing-library/[\w./-]+|ava|tape?|@playwright/test|cypress)[\"']"
        ),
    ),
    ".go": re.compile(r"^[^/\n]*\"(?:testing|github\.com/stretchr/testify/\w+)\"", re.M),
    ".java": re.compile(
        r"^import[ \t]+(?:static[ \t]+)?(?:org\.junit|junit|org\.testng|org\.assertj|org\.hamcrest|org\.mockito)\b",
        re.M,
    ),
}
_TESTS = {
    ".py": re.compile(r"^[ \t]*(?:async[ \t]+)?def[ \t]+test|^class[ \t]+Test", re.M),
    **dict.fromkeys(
        _JS,
        re.compile(
            r"^[ \t]*(?:it|test|describe|suite|specify)(?:\.\w+){0,3}\(|[\"'](?:node:)?assert(?:/strict)?[\"']", re.M
        ),
    ),
    ".go": re.compile(r"^package\b", re.M),
    ".java": re.compile(r"@\w*Test\b|\bTestCase\b|\bAssertionError\b"),
}
_FAILS = {
    **dict.fromkeys(_JS, re.compile(r"[\"'](?:node:)?assert(?:/strict)?[\"']|\bnew AssertionError\b")),
    ".java": re.compile(r"\bnew AssertionError\b"),
}
_ANSWERS = re.compile(r"\breturn[ \t]+[^;\s}]")
_RUNS_PROGRAMS = re.compile(r"\b(?:subprocess|child_process|os\.system|execvp?|ProcessBuilder|os/exec)\b")


def is_test_code(file: FileChange, scope: Scope) -> bool:
    """By its folder, or by a name that what it holds does not contradict; if nothing is known, by its name alone."""
    path = file.path
    if path in scope.findings_files or is_in_folder_of_tests(path):
        return True
    by_name = is_test_file(path) or (is_in_test_folder(path) and is_code(path))
    if not by_name or scope.facts is None:
        return by_name
    return shows_tests(path, file.text_after if file.before is None else file.text_before)


def shows_tests(path: str, text: str) -> bool:
    """In languages that are not read here, a name has to do."""
    ending = _ending(path)
    return ending not in _TESTS or bool(_TESTS[ending].search(text)) or imports_a_test_library(path, text)


def imports_a_test_library(path: str, text: str) -> bool:
    pattern = _LIBRARIES.get(_ending(path))
    return bool(pattern and pattern.search(text))


def holds_only_checks(path: str, text: str) -> bool:
    """Its functions fail or return nothing: no product is made of these."""
    if _ending(path) == ".py":
        module = parse(text) if "assert" in text.lower() else None
        return module is not None and _has_only_checks(module)
    pattern = _FAILS.get(_ending(path))
    return bool(pattern and pattern.search(text)) and not _ANSWERS.search(text)


def runs_programs(text: str) -> bool:
    return bool(_RUNS_PROGRAMS.search(text))


def uses_of(path: str, words: tuple[str, ...], scope: Scope) -> tuple[bool, bool]:
    """Whether tests mention it on base, and whether anything else does that can use it."""
    found = set(scope.facts.mentioning(words, but=path)) if scope.facts else set()
    by_tests = {user for user in found if _is_of_tests(user, scope)}
    return bool(by_tests), any(is_code(user) or is_config(user) for user in found - by_tests)


def _is_of_tests(path: str, scope: Scope) -> bool:
    return (
        path in scope.findings_files
        or path in scope.started_files
        or is_test_file(path)
        or is_in_test_folder(path)
        or posixpath.basename(path) == "conftest.py"
    )


def _has_only_checks(module: ast.Module) -> bool:
    functions = [node for node in ast.walk(module) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return bool(functions) and all(map(_is_check, functions))


def _is_check(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    nodes = list(ast.walk(function))
    answers = any(isinstance(node, ast.Return | ast.Yield | ast.YieldFrom) and node.value is not None for node in nodes)
    return not answers and any(isinstance(node, ast.Assert | ast.Raise) for node in nodes)


def _ending(path: str) -> str:
    return posixpath.splitext(path.lower())[1]
