"""Reads the reports of a test run, in any format, with messages as they are stored."""

from collections.abc import Sequence

from reknit.core.testing.command import ReportFormat
from reknit.core.testing.formats import cargo, go, jest, mocha, playwright
from reknit.core.testing.junit import parse
from reknit.core.testing.junit_messages import with_stored_messages
from reknit.core.testing.reported import ReportedTests


def read_tests(
    form: ReportFormat, documents: tuple[bytes, ...], stderr: bytes, roots: tuple[str, ...]
) -> ReportedTests:
    """`roots`: folders that paths are made relative to; for Go, the module. Raises ValueError for a broken report."""
    return with_stored_messages(_read(form, documents, stderr, roots))


def _read(form: ReportFormat, documents: Sequence[bytes], stderr: bytes, roots: Sequence[str]) -> ReportedTests:
    if form == "junit":
        return parse(documents)
    if form == "mocha" and not documents:
        return mocha.load_failure(stderr, roots)
    if not documents:
        return ReportedTests()
    try:
        return _read_one(form, documents[0], stderr, roots)
    except RecursionError:
        raise ValueError("the test report is nested too deeply") from None


def _read_one(form: ReportFormat, document: bytes, stderr: bytes, roots: Sequence[str]) -> ReportedTests:
    if form == "go":
        return go.parse(document, stderr, "".join(roots))
    if form == "cargo":
        return cargo.parse(document, stderr, roots)
    if form == "jest":
        return jest.parse(document, roots)
    return mocha.parse(document, roots) if form == "mocha" else playwright.parse(document, roots)
