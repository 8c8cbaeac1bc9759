"""Reads a JUnit report for the backlog: a failing test is an issue, and the test is its rule."""

import hashlib
import re
from collections.abc import Iterator

from reknit.core.issues.formats.report import (
    MESSAGE_CHARS,
    RULE_CHARS,
    Report,
    ReportError,
    bound_text,
    check_path,
    choose_rule_name,
    parse_position,
)
from reknit.core.issues.model import ReportResult
from reknit.core.testing.junit import Case, Cases, identify_test, put_headline_first
from reknit.core.text.untrusted_input import Data, XmlError

_RUNNERS = {b"pytest": "pytest", b"vitest tests": "vitest", b"jest tests": "jest"}
_SUITE_NAME = re.compile(rb'<testsuites?\s[^<>]{0,1000}?\bname="([^"]{0,100})"')
_HEAD_BYTES = 4096
_DIGEST_CHARS = 16


def read_report(data: Data) -> Report:
    """Read the failing tests of a JUnit document."""
    tool = _detect_tool(bytes(data[:_HEAD_BYTES]))
    return Report((tool,), _read_results(data, tool))


def _detect_tool(head: bytes) -> str:
    """Return the runner that the first suites name, or `junit`."""
    return next((_RUNNERS[name] for name in _SUITE_NAME.findall(head) if name in _RUNNERS), "junit")


def _read_results(data: Data, tool: str) -> Iterator[ReportResult]:
    cases = Cases(data, failures_only=True)
    try:
        for case in cases:
            yield _to_result(case, tool)
    except XmlError as problem:
        raise ReportError(f"it {problem}") from problem
    if not cases.has_cases:
        raise ReportError("it contains no test case, so no test was run", help="Run the tests again.")


def _to_result(case: Case, tool: str) -> ReportResult:
    test, file = identify_test(case)
    line = parse_position(case.attributes.get("line"))
    return ReportResult(
        tool=tool,
        rule=_shorten_rule(test),
        path=check_path(file),
        line=line + 1 if line and case.suite == "pytest" else line,  # pytest counts from 0
        message=bound_text(put_headline_first(case.message), MESSAGE_CHARS) or "failed",
        weight="critical",
    )


def _shorten_rule(test: str) -> str:
    """Return the test's id. A long id ends with a digest, because two cut ids would be one issue."""
    if len(test) <= RULE_CHARS:
        return choose_rule_name(test)
    digest = hashlib.sha256(test.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_CHARS]
    return f"{choose_rule_name(test)[: RULE_CHARS - _DIGEST_CHARS - 1]}~{digest}"
