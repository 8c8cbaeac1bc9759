"""Reports sort their tests by result."""

from reknit.core.checks import TestReport


def test_a_skipped_test_neither_passed_nor_failed() -> None:
    report = TestReport("fail", "junit", {"a": "passed", "b": "failed", "c": "skipped"})
    assert (report.passed, report.failed) == (frozenset("a"), frozenset("b"))
