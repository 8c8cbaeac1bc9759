"""Reads a JUnit report for the backlog: a failing test is an issue, and the test is its rule."""

import hashlib
import re
from collections.abc import Iterator

from reknit.core.issues.formats.bounds import MESSAGE_CHARS, RULE_CHARS, bounded, digits, path_text, rule_name
from reknit.core.issues.formats.report import Report, ReportProblem
from reknit.core.issues.model import ReportResult
from reknit.core.testing.junit import identify, with_headline
from reknit.core.testing.junit_cases import Case, Cases
from reknit.core.text.xml_stream import Data, XmlProblem

_RUNNERS = {b"pytest": "pytest", b"vitest tests": "vitest", b"jest tests": "jest"}
_NAME = re.compile(rb'<testsuites?\s[^<>]{0,1000}?\bname="([^"]{0,100})"')
_HEAD = 4096
_DIGEST_CHARS = 16


def report(data: Data) -> Report:
    tool = _tool(bytes(data[:_HEAD]))
    return Report((tool,), _found(data, tool))


def _tool(head: bytes) -> str:
    """Runners name themselves, if at all, in the first suites."""
    return next((_RUNNERS[name] for name in _NAME.findall(head) if name in _RUNNERS), "junit")


def _found(data: Data, tool: str) -> Iterator[ReportResult]:
    cases = Cases(data, failures_only=True)
    try:
        for case in cases:
            yield _failure(case, tool)
    except XmlProblem as problem:
        raise ReportProblem(f"it {problem}") from problem
    if not cases.any_seen:
        raise ReportProblem("it contains no test case, so no test was run", help="Run the tests again.")


def _failure(case: Case, tool: str) -> ReportResult:
    test, file = identify(case)
    line = digits(case.attributes.get("line"))
    return ReportResult(
        tool=tool,
        rule=_rule(test),
        path=path_text(file),
        line=line + 1 if line and case.suite == "pytest" else line,  # pytest counts from 0
        message=bounded(with_headline(case.words), MESSAGE_CHARS) or "failed",
        weight="critical",
    )


def _rule(test: str) -> str:
    """A long id ends with a digest, because two ids cut to the same text would be one issue."""
    if len(test) <= RULE_CHARS:
        return rule_name(test)
    digest = hashlib.sha256(test.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_CHARS]
    return f"{rule_name(test)[: RULE_CHARS - _DIGEST_CHARS - 1]}~{digest}"
