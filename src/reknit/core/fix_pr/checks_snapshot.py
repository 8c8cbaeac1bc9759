"""What one iteration saw of a pull request: three checks, each with its own result. `error` is never a pass."""

from dataclasses import dataclass
from typing import Literal

from reknit.core.checks.status import CiResult, ReviewResult, TestsResult
from reknit.core.finding import Finding

CheckState = Literal["pass", "fail", "pending", "error", "off"]
"""How a check is displayed. `off`: nothing failed because nothing ran, which is not a pass."""


@dataclass(frozen=True)
class ChecksSnapshot:
    head: str
    """The commit that all three results are about."""
    review: ReviewResult
    tests: TestsResult
    ci: CiResult

    @property
    def findings(self) -> tuple[Finding, ...]:
        """By priority: tests, CI, review."""
        return (*self.tests.findings, *self.ci.findings, *self.review.findings)
