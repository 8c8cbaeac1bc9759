"""Describes a finding: the problem, its place, and a fingerprint that survives moved lines."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Source = Literal["tests", "ci", "review", "tool"]
Weight = Literal["critical", "important", "minor"]
HEAVIEST_FIRST: tuple[Weight, ...] = ("critical", "important", "minor")

_VOLATILE = re.compile(r"0x[0-9a-fA-F]+|\d+(\.\d+)?|/\S+/|\s+")


@dataclass(frozen=True)
class Finding:
    """A problem in the code, from a test, CI, a reviewer or a tool."""

    id: str
    """Short name inside one run: T-1, R-2."""
    source: Source
    rule: str
    subject: str
    """The subject as its source names it; for tests the test id."""
    file: str = ""
    line: int = 0
    message: str = ""
    suggestion: str = ""
    effort_1_5: int = 3
    weight: Weight = "critical"
    """Importance according to a reviewer; a red test or check is always critical."""
    author: str = ""
    """The person or bot that left it on a pull request."""
    remark: str = ""
    """The forge's id of the thread or review on that pull request."""
    also: tuple[str, ...] = ()
    """Further tests that fail for the same reason."""

    @property
    def tests(self) -> tuple[str, ...]:
        return (self.subject, *self.also)

    @property
    def fingerprint(self) -> str:
        """Stable if lines move or numbers, addresses and folders change; different for another subject or rule."""
        words = _VOLATILE.sub(" ", self.message).strip()
        return hashlib.sha256("\0".join((self.source, self.rule, self.subject, self.file, words)).encode()).hexdigest()[
            :20
        ]


def select_worth_fixing(findings: Iterable[Finding], *, only_critical: bool) -> tuple[Finding, ...]:
    """Return the findings to fix, in their order. Minor findings are never fixed."""
    weights = HEAVIEST_FIRST[: 1 if only_critical else 2]
    return tuple(finding for finding in findings if finding.weight in weights)


def sort_by_weight(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings, the heaviest first."""
    return sorted(findings, key=lambda finding: HEAVIEST_FIRST.index(finding.weight))
