"""Results of the three checks of a pull request: tests, CI and review."""

from dataclasses import dataclass
from typing import Literal

from reknit.core.causes.cause import LeftOut
from reknit.core.finding import Finding
from reknit.core.forge.values import CiCheck
from reknit.core.testing.proof import RunRecord
from reknit.core.testing.report import CheckStatus

FinishedStatus = Literal["pass", "fail", "error"]


@dataclass(frozen=True)
class TestsResult:
    """Result of the tests of one commit."""

    __test__ = False
    status: FinishedStatus
    findings: tuple[Finding, ...] = ()
    """One per test that was red every time it ran."""
    passed: int = 0
    flaky: tuple[str, ...] = ()
    """Tests that were red once and green once: reported, never given to an agent."""
    test_files: tuple[str, ...] = ()
    passing: tuple[str, ...] = ()
    """Tests that passed. They are stored as a document, like `test_files`; a checkpoint has only their number."""
    output_tail: str = ""
    """The last 50 lines of what the command printed."""
    why: str = ""
    """Why there is no result, if the status is `error`."""
    seconds: float = 0.0
    left_out: tuple[LeftOut, ...] = ()
    """Tests that are red or without a result because of the environment: never given to an agent."""
    ran: tuple[RunRecord, ...] = ()

    @property
    def is_blocked(self) -> bool:
        """Return True if the environment is the only reason for red tests and missing results."""
        return bool(self.left_out) and not self.findings


@dataclass(frozen=True)
class CiResult:
    """Result of the CI of one commit."""

    status: CheckStatus
    checks: tuple[CiCheck, ...] = ()
    findings: tuple[Finding, ...] = ()
    """One per failed check, with the relevant part of its log."""
    infra_checks: tuple[CiCheck, ...] = ()
    """Checks that failed on CI infrastructure, judging by their output, and may be re-run."""
    why: str = ""
    age_s: float = 0.0
    """Time since this run first saw the commit, in seconds."""


@dataclass(frozen=True)
class ReviewResult:
    """Result of the review of one commit."""

    status: FinishedStatus
    findings: tuple[Finding, ...] = ()
    """Findings of the review agent, and remarks of people and other bots on the pull request."""
    why: str = ""
    """Why there is no result (`error`), or why there was no review (`pass`); empty: there was one."""
    seconds: float = 0.0
    awaited: tuple[str, ...] = ()
    """People who requested changes; a fix answered them, and they have not reviewed again."""
