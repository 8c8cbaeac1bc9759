"""Reads the reports of jest, mocha and Playwright, and the output of mocha when it cannot load a test file."""

import json
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

from reknit.core.languages.language import ReportReader
from reknit.core.repository.manifest_text import get_table
from reknit.core.repository.paths import is_foreign, is_in_test_folder, is_test_file
from reknit.core.testing.command import ReportFormat
from reknit.core.testing.report import TestResult
from reknit.core.testing.reported import NESTED, ReportedTests, make_relative, read_objects, read_text

_JEST_RESULTS: dict[str, TestResult] = {"passed": "passed", "failed": "failed"}
"""Results by jest's status. Tests of any other status did not run: pending, skipped, todo, disabled."""


def parse_jest(document: bytes, roots: Sequence[str]) -> ReportedTests:
    """Read the report of `jest --json`. Raise ValueError for any other document."""
    report = json.loads(document)
    if not isinstance(report, dict) or not isinstance(report.get("testResults"), list):
        raise ValueError("the test report is not one of jest")
    return parse_jest_files(read_objects(report, "testResults"), roots)


def parse_jest_files(files: Sequence[Mapping[str, object]], roots: Sequence[str]) -> ReportedTests:
    """Read the results of each test file."""
    reports = ReportedTests()
    for file in files:
        path = make_relative(read_text(file, "name"), roots)
        results = [_add_jest_test(test, path, reports) for test in read_objects(file, "assertionResults")]
        if read_text(file, "status") == "failed" and "failed" not in results:  # it could not be loaded
            reports.add(path, "failed", _load_error(read_text(file, "message")), file=path)
    return reports


def _add_jest_test(test: Mapping[str, object], path: str, reports: ReportedTests) -> TestResult:
    above = test.get("ancestorTitles")
    titles = [*(above if isinstance(above, list) else ()), read_text(test, "title")]
    messages = test.get("failureMessages")
    words = "\n".join(map(str, messages)) if isinstance(messages, list) else ""
    result = _JEST_RESULTS.get(read_text(test, "status"), "skipped")
    reports.add(f"{path}::{NESTED.join(map(str, titles))}", result, words, file=path)
    return result


def _load_error(message: str) -> str:
    return message.strip().removeprefix("● Test suite failed to run").strip()


_MOCHA_HOOK = re.compile(r"\"(?:before|after) (?:each|all)\" hook")
_ABSOLUTE_PATH = re.compile(r"/[^\s:()'\"]{1,4096}")
_MOCHA_RESULTS: dict[str, TestResult] = {"passed": "passed", "skipped": "skipped"}
_MOCHA_START = b'{\n  "stats": {'


def find_printed_mocha(stdout: bytes) -> tuple[bytes, ...]:
    """Return the report in the output of mocha before 9.2, which writes no file; output of tests surrounds it."""
    at = stdout.rfind(_MOCHA_START)
    return (stdout[at:],) if at >= 0 else ()


def parse_mocha(document: bytes, roots: Sequence[str]) -> ReportedTests:
    """Read the report of mocha's JSON reporter. Raise ValueError for any other document."""
    report, _ = json.JSONDecoder().raw_decode(document.decode("utf-8", "replace"))
    if not isinstance(report, dict) or not isinstance(report.get("stats"), dict):
        raise ValueError("the test report is not one of mocha")
    reports = ReportedTests()
    for test in read_objects(report, "passes"):
        _add_mocha_test(test, "passed", roots, reports)
    for test in read_objects(report, "pending"):
        _add_mocha_test(test, "skipped", roots, reports)
    for test in read_objects(report, "failures"):
        _add_mocha_test(test, "failed", roots, reports)
    return reports


def parse_mocha_tests(tests: Sequence[Mapping[str, object]], roots: Sequence[str]) -> ReportedTests:
    """Read streamed tests, each with its `result`."""
    reports = ReportedTests()
    for test in tests:
        _add_mocha_test(test, _MOCHA_RESULTS.get(read_text(test, "result"), "failed"), roots, reports)
    return reports


def _add_mocha_test(
    test: Mapping[str, object], result: TestResult, roots: Sequence[str], reports: ReportedTests
) -> None:
    path = make_relative(read_text(test, "file"), roots)
    error = get_table(test, "err")
    words = read_text(error, "stack") or read_text(error, "message")
    title, whole = read_text(test, "title"), read_text(test, "fullTitle")
    if _MOCHA_HOOK.match(title):
        # Report the file: a repaired hook has no result, and the full titles of its tests are not known.
        whole, words = "", f"{whole}\n{words}"
    reports.add("::".join(filter(None, (path, whole))), result, words, file=path)


def parse_mocha_load_failure(output: bytes, roots: Sequence[str]) -> ReportedTests:
    """Read the output of mocha when it cannot load a test file, and therefore stops.

    The test file is the outermost file of the project in the stack.
    """
    text = output.decode("utf-8", "replace")
    reports = ReportedTests()
    paths = [
        path
        for path in (make_relative(match.group(), roots) for match in _ABSOLUTE_PATH.finditer(text))
        if path[0] != "/"
    ]
    tests = [path for path in paths if not is_foreign(path) and (is_test_file(path) or is_in_test_folder(path))]
    if "Error" in text and tests:
        reports.add(tests[-1], "failed", _put_error_first(text), file=tests[-1])
    return reports


def _put_error_first(text: str) -> str:
    lines = text.strip().splitlines()
    first = next((number for number, line in enumerate(lines) if "Error" in line), 0)
    return "\n".join([lines[first].strip(), *lines])


_PLAYWRIGHT_RESULTS: dict[str, TestResult] = {"expected": "passed", "flaky": "passed", "unexpected": "failed"}
_MAX_SUITE_DEPTH = 100
"""Maximum levels of nested suites that are read."""


def parse_playwright(document: bytes, roots: Sequence[str]) -> ReportedTests:
    """Read the report of Playwright's JSON reporter. Raise ValueError for any other document."""
    report = json.loads(document)
    if not isinstance(report, dict) or not isinstance(report.get("suites"), list):
        raise ValueError("the test report is not one of Playwright")
    config = report.get("config")
    folder = read_text(config, "rootDir") if isinstance(config, dict) else ""
    reports = ReportedTests()
    for file in read_objects(report, "suites"):
        for titles, spec in _iterate_specs(file, ()):
            path = make_relative(posixpath.join(folder, read_text(spec, "file") or read_text(file, "file")), roots)
            _add_playwright_test(spec, f"{path}::{NESTED.join(titles)}", path, reports)
    for error in read_objects(report, "errors"):
        place = error.get("location")
        path = make_relative(read_text(place, "file"), roots) if isinstance(place, dict) else ""
        if path:  # one file that cannot be loaded stops the whole run
            reports.add(path, "failed", read_text(error, "stack") or read_text(error, "message"), file=path)
    return reports


def _iterate_specs(
    suite: Mapping[str, object], above: tuple[str, ...], depth_limit: int = _MAX_SUITE_DEPTH
) -> Iterator[tuple[tuple[str, ...], Mapping[str, object]]]:
    for spec in read_objects(suite, "specs"):
        yield (*above, read_text(spec, "title")), spec
    for inner in read_objects(suite, "suites") if depth_limit else ():
        yield from _iterate_specs(inner, (*above, read_text(inner, "title")), depth_limit - 1)


def _add_playwright_test(spec: Mapping[str, object], test: str, path: str, reports: ReportedTests) -> None:
    """Add a test, which runs once per project (browser). One that is skipped in some projects still has run."""
    runs = read_objects(spec, "tests")
    results = {_PLAYWRIGHT_RESULTS.get(read_text(run, "status"), "skipped") for run in runs} or {"skipped"}
    result = next(word for word in ("failed", "passed", "skipped") if word in results)
    words = [
        read_text(error, "stack") or read_text(error, "message")
        for run in runs
        for attempt in read_objects(run, "results")
        for error in read_objects(attempt, "errors")
    ]
    reports.add(test, result, "\n".join(dict.fromkeys(words)), file=path)


def _read_jest_records(records: Sequence[Mapping[str, object]], roots: Sequence[str]) -> ReportedTests:
    files = [value for value in (record.get("file") for record in records) if isinstance(value, dict)]
    return parse_jest_files(files, roots)


READERS: dict[ReportFormat, ReportReader] = {
    "jest": ReportReader(lambda document, _stderr, roots: parse_jest(document, roots), read_records=_read_jest_records),
    "mocha": ReportReader(
        lambda document, _stderr, roots: parse_mocha(document, roots), parse_mocha_load_failure, parse_mocha_tests
    ),
    "playwright": ReportReader(lambda document, _stderr, roots: parse_playwright(document, roots)),
}
