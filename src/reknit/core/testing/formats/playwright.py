"""Reads what Playwright's JSON reporter writes."""

import json
import posixpath
from collections.abc import Iterator, Mapping, Sequence

from reknit.core.testing.report import TestResult
from reknit.core.testing.reported import NESTED, ReportedTests, below, objects_of, text_of

_RESULTS: dict[str, TestResult] = {"expected": "passed", "flaky": "passed", "unexpected": "failed"}
_DEEPEST = 100
"""Levels of nested suites that are read."""


def parse(document: bytes, roots: Sequence[str]) -> ReportedTests:
    """Raises ValueError for a document that is not a report of Playwright."""
    report = json.loads(document)
    if not isinstance(report, dict) or not isinstance(report.get("suites"), list):
        raise ValueError("the test report is not one of Playwright")
    config = report.get("config")
    folder = text_of(config, "rootDir") if isinstance(config, dict) else ""
    found = ReportedTests()
    for file in objects_of(report, "suites"):
        for titles, spec in _specs(file, ()):
            path = below(posixpath.join(folder, text_of(spec, "file") or text_of(file, "file")), roots)
            _keep(spec, f"{path}::{NESTED.join(titles)}", path, found)
    for error in objects_of(report, "errors"):
        place = error.get("location")
        path = below(text_of(place, "file"), roots) if isinstance(place, dict) else ""
        if path:  # one file that cannot be loaded stops the whole run
            found.add(path, "failed", text_of(error, "stack") or text_of(error, "message"), file=path)
    return found


def _specs(
    suite: Mapping[str, object], above: tuple[str, ...], left: int = _DEEPEST
) -> Iterator[tuple[tuple[str, ...], Mapping[str, object]]]:
    for spec in objects_of(suite, "specs"):
        yield (*above, text_of(spec, "title")), spec
    for inner in objects_of(suite, "suites") if left else ():
        yield from _specs(inner, (*above, text_of(inner, "title")), left - 1)


def _keep(spec: Mapping[str, object], test: str, path: str, found: ReportedTests) -> None:
    """A test runs once per project (browser); one that is skipped in some of them has run all the same."""
    runs = objects_of(spec, "tests")
    results = {_RESULTS.get(text_of(run, "status"), "skipped") for run in runs} or {"skipped"}
    result = next(word for word in ("failed", "passed", "skipped") if word in results)
    words = [
        text_of(error, "stack") or text_of(error, "message")
        for run in runs
        for attempt in objects_of(run, "results")
        for error in objects_of(attempt, "errors")
    ]
    found.add(test, result, "\n".join(dict.fromkeys(words)), file=path)
