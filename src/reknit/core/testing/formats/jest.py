"""Reads what `jest --json` writes."""

import json
from collections.abc import Mapping, Sequence

from reknit.core.testing.report import TestResult
from reknit.core.testing.reported import NESTED, ReportedTests, below, objects_of, text_of

_RESULTS: dict[str, TestResult] = {"passed": "passed", "failed": "failed"}
"""Anything else did not run: pending, skipped, todo, disabled."""


def parse(document: bytes, roots: Sequence[str]) -> ReportedTests:
    """Raises ValueError for a document that is not a report of jest."""
    report = json.loads(document)
    if not isinstance(report, dict) or not isinstance(report.get("testResults"), list):
        raise ValueError("the test report is not one of jest")
    return parse_files(objects_of(report, "testResults"), roots)


def parse_files(files: Sequence[Mapping[str, object]], roots: Sequence[str]) -> ReportedTests:
    """What jest says of each test file."""
    found = ReportedTests()
    for file in files:
        path = below(text_of(file, "name"), roots)
        results = [_keep(test, path, found) for test in objects_of(file, "assertionResults")]
        if text_of(file, "status") == "failed" and "failed" not in results:  # it could not be loaded
            found.add(path, "failed", _reason(text_of(file, "message")), file=path)
    return found


def _keep(test: Mapping[str, object], path: str, found: ReportedTests) -> TestResult:
    above = test.get("ancestorTitles")
    titles = [*(above if isinstance(above, list) else ()), text_of(test, "title")]
    messages = test.get("failureMessages")
    words = "\n".join(map(str, messages)) if isinstance(messages, list) else ""
    result = _RESULTS.get(text_of(test, "status"), "skipped")
    found.add(f"{path}::{NESTED.join(map(str, titles))}", result, words, file=path)
    return result


def _reason(message: str) -> str:
    """People read the first line."""
    return message.strip().removeprefix("● Test suite failed to run").strip()
