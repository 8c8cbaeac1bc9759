"""The decision matrix of the pull-request loop: the first matching row wins, and each of the 36 cases matches one.

docs/reference/decisions.md is generated from these rows.
"""

from dataclasses import dataclass
from typing import Literal

from reknit.core.checks.status import FinishedStatus
from reknit.core.fix_pr.checks import ChecksSnapshot, CheckState, Part
from reknit.core.testing.report import CheckStatus

Word = Literal["clean", "wait", "fix", "retry"]

ANY_FINISHED: tuple[FinishedStatus, ...] = ("pass", "fail", "error")
ANY_CI: tuple[CheckStatus, ...] = ("pass", "fail", "pending", "error")


@dataclass(frozen=True)
class MatrixRow:
    """A row of the table: the states it matches, and the decision."""

    review: tuple[FinishedStatus, ...]
    tests: tuple[FinishedStatus, ...]
    ci: tuple[CheckStatus, ...]
    word: Word
    reason: str

    def matches(self, review: CheckStatus, tests: CheckStatus, ci: CheckStatus) -> bool:
        return review in self.review and tests in self.tests and ci in self.ci


ROWS: tuple[MatrixRow, ...] = (
    MatrixRow(("error",), ("error",), ("error",), "retry", "no check gave a result: look again, then UNVERIFIED"),
    MatrixRow(ANY_FINISHED, ("fail", "error"), ANY_CI, "fix", "red tests go first; tests that cannot run count as red"),
    MatrixRow(ANY_FINISHED, ("pass",), ("fail",), "fix", "CI goes before the review"),
    MatrixRow(("fail",), ("pass",), ANY_CI, "fix", "tests and CI did not fail, so the review is next"),
    MatrixRow(("pass", "error"), ("pass",), ("pending",), "wait", "every result so far passes; CI is not done"),
    MatrixRow(("pass",), ("pass",), ("pass",), "clean", "every check that ran passes: PR CLEAN"),
    MatrixRow(
        ("pass", "error"),
        ("pass",),
        ("pass", "error"),
        "retry",
        "nothing to fix, but a check gave no result: look again, then UNVERIFIED",
    ),
)


@dataclass(frozen=True)
class Decision:
    """The row that matched, and the parts to fix."""

    word: Word
    reason: str
    parts: tuple[Part, ...] = ()
    """Parts that the fix addresses, by priority: tests, then CI, then the review."""


def decide(review: CheckState, tests: CheckState, ci: CheckState) -> Decision:
    """Return the decision of the first matching row.

    A check that is off counts as a pass here, because it found nothing, but is never shown as one.
    """
    row = next(
        row for row in ROWS if row.matches(*(("pass" if state == "off" else state) for state in (review, tests, ci)))
    )
    failing: list[Part] = ["tests"] if tests in ("fail", "error") else []
    failing += ["ci"] if ci == "fail" else []
    failing += ["review"] if review == "fail" else []
    return Decision(row.word, row.reason, tuple(failing) if row.word == "fix" else ())


def list_missing_results(checks: ChecksSnapshot) -> tuple[str, ...]:
    """Return the checks without a result, each with its reason."""
    answers = (("review", checks.review), ("tests", checks.tests), ("CI", checks.ci))
    return tuple(f"{name}: {answer.why or 'no answer'}" for name, answer in answers if answer.status == "error")
