"""Decides if a file is a test or product, by evidence on base: where tests ran, what is shipped, who uses the file."""

import ast
import posixpath
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import zip_longest

from reknit.core.gate.scope import BaseFacts, Scope
from reknit.core.languages.python.tests import parse
from reknit.core.repository.change import Change, FileChange
from reknit.core.repository.paths import (
    find_test_folder,
    is_below,
    is_code,
    is_config,
    is_in_test_folder,
    is_in_unambiguous_test_folder,
    is_test_file,
)

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
_TEST_WORD = re.compile(r"(?:.*[-_. ])?(?:tests?|testing|specs?|checks?|acceptance|e2e|scenarios?)(?:[-_. ].*)?", re.I)
# Tests with these names are next to the source, so their folder is not one of tests, even if it is called `spec`.
_BESIDE_SOURCE = re.compile(r".*(?:_test\.go|\.(?:test|spec)\.[cm]?[jt]sx?)", re.I)
_ALSO_OF_PRODUCT = re.compile(r"(?:.*/)?(?:tests?|e2e|testdata)", re.I)
"""Names of test folders that packages of a product may have too."""
_RUNS_PROGRAMS = re.compile(r"\b(?:subprocess|child_process|os\.system|execvp?|ProcessBuilder|os/exec)\b")


def select_test_paths(change: Change, scope: Scope) -> tuple[str, ...]:
    """Return the changed files that are tests or support them; all others are product."""
    return tuple(file.path for file in change.files if is_test_code(file, scope))


def is_test_code(file: FileChange, scope: Scope) -> bool:
    """Return True if a file is a test: by its place, or by its name if its text agrees; without facts, by its name."""
    path = file.path
    if path in scope.findings_files or is_among_tests(path, scope):
        return True
    by_name = is_test_file(path) or (is_in_test_folder(path) and is_code(path))
    if not by_name or scope.facts is None:
        return by_name
    return has_tests(path, file.text_after if file.before is None else file.text_before)


def is_among_tests(path: str, scope: Scope) -> bool:
    """Return True if its folder is one of tests, by its name or because base's tests are in it."""
    by_name = is_in_unambiguous_test_folder(path) or (scope.facts is None and is_in_test_folder(path))
    if by_name and not is_packaged(path, scope):
        return True
    return any(is_below(path, folder) for folder in _find_test_folders(scope.findings_files))


@lru_cache(maxsize=4)  # several rules ask about every file
def _find_test_folders(test_files: tuple[str, ...]) -> frozenset[str]:
    """Return folders that contain tests and are named like test folders: other files in them support the tests."""
    folders = {posixpath.dirname(path) for path in test_files if not _BESIDE_SOURCE.fullmatch(path)}
    return frozenset(folder for folder in folders if _TEST_WORD.fullmatch(posixpath.basename(folder)))


def is_packaged(path: str, scope: Scope) -> bool:
    """Return True if code in a folder that is named like a test folder is product: shipped, and without tests."""
    folder, facts = find_test_folder(path), scope.facts or BaseFacts()
    has_tests = folder in facts.tested or any(is_below(test, folder) for test in scope.findings_files)
    is_shared_name = bool(_ALSO_OF_PRODUCT.fullmatch(folder)) and "__" not in posixpath.dirname(path)
    return is_code(path) and is_shared_name and not has_tests and bool(find_shipped_place(path, scope))


def find_shipped_place(path: str, scope: Scope) -> str:
    """Return the shipped file or folder that the path is or is in; empty: the path is not shipped.

    In a folder with tests, only what a manifest names is shipped: other files may support the tests.
    """
    facts, folder = scope.facts or BaseFacts(), posixpath.dirname(path)
    tests = (*scope.findings_files, *filter(is_test_file, facts.near))
    is_beside_tests = folder not in facts.shipped and folder in map(posixpath.dirname, tests)
    places = (place for place in facts.shipped if path == place or (is_below(path, place) and not is_beside_tests))
    return next(places, "")


def has_tests(path: str, text: str) -> bool:
    """Return True if the text has tests. In languages that are not read here, the name decides."""
    ending = _find_extension(path)
    return ending not in _TESTS or bool(_TESTS[ending].search(text)) or imports_a_test_library(path, text)


def imports_a_test_library(path: str, text: str) -> bool:
    """Return True if the code imports a test library."""
    pattern = _LIBRARIES.get(_find_extension(path))
    return bool(pattern and pattern.search(text))


def holds_only_checks(path: str, text: str) -> bool:
    """Return True if every function checks something and returns nothing: no product consists of such functions."""
    if _find_extension(path) == ".py":
        module = parse(text) if "assert" in text.lower() else None
        return module is not None and _has_only_checks(module)
    pattern = _FAILS.get(_find_extension(path))
    return bool(pattern and pattern.search(text)) and not _ANSWERS.search(text)


def runs_programs(text: str) -> bool:
    """Return True if the code starts other programs."""
    return bool(_RUNS_PROGRAMS.search(text))


def find_uses(path: str, words: tuple[str, ...], scope: Scope) -> tuple[bool, bool]:
    """Return whether tests of base contain one of the words, and whether other code or configuration does."""
    users = set(scope.facts.find_mentions(words, but=path)) if scope.facts else set()
    by_tests = {user for user in users if is_of_tests(user, scope)}
    return bool(by_tests), any(is_code(user) or is_config(user) for user in users - by_tests)


def is_of_tests(path: str, scope: Scope) -> bool:
    """Return True if a file of base counts as a test, by its path alone."""
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


def changes_plain_functions(path: str, before: str, after: str) -> bool:
    """Return True if only functions change that return a value and use no test library.

    A package may offer its users a module for their tests, which has such functions beside checks and fixtures.
    """
    modules = [parse(text) for text in (before, after)] if _find_extension(path) == ".py" else []
    pairs = list(zip_longest(*(module.body for module in modules if module)))
    edits = [pair for pair in pairs if len({ast.dump(side) for side in pair if side}) + pair.count(None) > 1]
    libraries = {name for module in modules if module for name in _list_test_library_names(module)}
    return bool(edits) and all(
        isinstance(side, ast.FunctionDef) and not side.decorator_list and _answers_alone(side, libraries)
        for pair in edits
        for side in pair
    )


def _answers_alone(function: ast.FunctionDef, libraries: set[str]) -> bool:
    nodes = list(ast.walk(function))
    is_free = libraries.isdisjoint(node.id for node in nodes if isinstance(node, ast.Name))
    has_answer = any(isinstance(node, ast.Return) and node.value is not None for node in nodes)
    return is_free and has_answer and not any(isinstance(node, ast.Assert) for node in nodes)


def _list_test_library_names(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.Import | ast.ImportFrom) and _LIBRARIES[".py"].search(ast.unparse(node)):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)


def _is_check(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    nodes = list(ast.walk(function))
    answers = any(isinstance(node, ast.Return | ast.Yield | ast.YieldFrom) and node.value is not None for node in nodes)
    return not answers and any(isinstance(node, ast.Assert | ast.Raise) for node in nodes)


def _find_extension(path: str) -> str:
    return posixpath.splitext(path.lower())[1]
