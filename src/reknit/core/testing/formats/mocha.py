"""Reads what mocha's JSON reporter writes, and what mocha prints when a test file cannot be loaded."""

import json
import re
from collections.abc import Mapping, Sequence

from reknit.core.repository.paths import is_foreign, is_in_test_folder, is_test_file
from reknit.core.testing.report import TestResult
from reknit.core.testing.reported import ReportedTests, below, objects_of, text_of

_HOOK = re.compile(r"\"(?:before|after) (?:each|all)\" hook")
_PATH = re.compile(r"/[^\s:()'\"]{1,4096}")
_RESULTS: dict[str, TestResult] = {"passed": "passed", "skipped": "skipped"}
_BEGINS = b'{\n  "stats": {'


def printed(stdout: bytes) -> tuple[bytes, ...]:
    """The report in the output of a mocha before 9.2, which writes no file; what the tests print is around it."""
    at = stdout.rfind(_BEGINS)
    return (stdout[at:],) if at >= 0 else ()


def parse(document: bytes, roots: Sequence[str]) -> ReportedTests:
    """Raises ValueError for a document that is not a report of mocha."""
    report, _ = json.JSONDecoder().raw_decode(document.decode("utf-8", "replace"))
    if not isinstance(report, dict) or not isinstance(report.get("stats"), dict):
        raise ValueError("the test report is not one of mocha")
    found = ReportedTests()
    for test in objects_of(report, "passes"):
        _keep(test, "passed", roots, found)
    for test in objects_of(report, "pending"):
        _keep(test, "skipped", roots, found)
    for test in objects_of(report, "failures"):
        _keep(test, "failed", roots, found)
    return found


def parse_tests(tests: Sequence[Mapping[str, object]], roots: Sequence[str]) -> ReportedTests:
    """The same tests one by one, each with its `result`."""
    found = ReportedTests()
    for test in tests:
        _keep(test, _RESULTS.get(text_of(test, "result"), "failed"), roots, found)
    return found


def _keep(test: Mapping[str, object], result: TestResult, roots: Sequence[str], found: ReportedTests) -> None:
    path = below(text_of(test, "file"), roots)
    said = test.get("err")
    error = said if isinstance(said, dict) else {}
    words = text_of(error, "stack") or text_of(error, "message")
    title, whole = text_of(test, "title"), text_of(test, "fullTitle")
    if _HOOK.match(title):
        # A hook has no result once it is repaired, and the titles of the tests it belongs to are not known in full.
        whole, words = "", f"{whole}\n{words}"
    found.add("::".join(filter(None, (path, whole))), result, words, file=path)


def load_failure(output: bytes, roots: Sequence[str]) -> ReportedTests:
    """mocha stops at the first file that it cannot load: the outermost of our files in the stack is the test file."""
    text = output.decode("utf-8", "replace")
    found = ReportedTests()
    paths = [path for path in (below(match.group(), roots) for match in _PATH.finditer(text)) if path[0] != "/"]
    tests = [path for path in paths if not is_foreign(path) and (is_test_file(path) or is_in_test_folder(path))]
    if "Error" in text and tests:
        found.add(tests[-1], "failed", _from_the_error(text), file=tests[-1])
    return found


def _from_the_error(text: str) -> str:
    lines = text.strip().splitlines()
    first = next((number for number, line in enumerate(lines) if "Error" in line), 0)
    return "\n".join([lines[first].strip(), *lines])
