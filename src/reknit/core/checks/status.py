"""What the three checks of a pull request (tests, CI, review) saw."""

from dataclasses import dataclass
from typing import Literal

from reknit.core.finding import Finding
from reknit.core.forge.values import CiCheck

FinishedStatus = Literal["pass", "fail", "error"]


CiSeenWord = Literal["pass", "fail", "pending", "error"]


@dataclass(frozen=True)
class TestsResult:
    __test__ = False
    status: FinishedStatus
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
class CiResult:
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
class ReviewResult:
    status: FinishedStatus
    findings: tuple[Finding, ...] = ()
    """Of the review agent, and what people and other bots left on the pull request."""
    why: str = ""
    """For `error`: what could not be seen. For `pass`: why nobody looked; empty: somebody did."""
    seconds: float = 0.0
    awaited: tuple[str, ...] = ()
    """People who asked for changes; a fix answered them, and they have not looked again."""
