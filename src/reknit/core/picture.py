"""What one iteration saw of a pull request: three checks, each with its own answer. `error` is never a pass."""

from dataclasses import dataclass
from typing import Literal

from reknit.core.findings import Finding
from reknit.core.forge import CiCheck

Seen = Literal["pass", "fail", "error"]
CiSeenWord = Literal["pass", "fail", "pending", "error"]
CheckState = Literal["pass", "fail", "pending", "error", "off"]
"""As a check is shown. `off`: nothing failed because nothing looked, which is not a pass."""


@dataclass(frozen=True)
class TestsSeen:
    __test__ = False
    status: Seen
    findings: tuple[Finding, ...] = ()
    """One a test that was red every time it ran."""
    passed: int = 0
    flaky: tuple[str, ...] = ()
    """Red once and green once: named, never given to an agent."""
    test_files: tuple[str, ...] = ()
    passing: tuple[str, ...] = ()
    """Kept as a document, like `test_files`; a checkpoint has only the count."""
    output_tail: str = ""
    """The last 50 lines of what the command printed."""
    why: str = ""
    """For `error`: what could not be seen."""
    seconds: float = 0.0


@dataclass(frozen=True)
class CiSeen:
    status: CiSeenWord
    checks: tuple[CiCheck, ...] = ()
    findings: tuple[Finding, ...] = ()
    """One a failed check, with what matters of its log."""
    infra: tuple[CiCheck, ...] = ()
    """Failed for no fault of the code, as far as their words tell; each may be run again once."""
    why: str = ""
    age_s: float = 0.0
    """How long this run has known the commit."""


@dataclass(frozen=True)
class ReviewSeen:
    status: Seen
    findings: tuple[Finding, ...] = ()
    """Of the review agent, and what people and other bots left on the pull request."""
    why: str = ""
    """For `error`: what could not be seen. For `pass`: why nobody looked; empty: somebody did."""
    seconds: float = 0.0
    awaited: tuple[str, ...] = ()
    """People who asked for changes; a fix answered them, and they have not looked again."""


@dataclass(frozen=True)
class Picture:
    head: str
    """The commit that was looked at; all three answers are about it."""
    review: ReviewSeen
    tests: TestsSeen
    ci: CiSeen

    @property
    def findings(self) -> tuple[Finding, ...]:
        """By priority: tests, CI, review."""
        return (*self.tests.findings, *self.ci.findings, *self.review.findings)
