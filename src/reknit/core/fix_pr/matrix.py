"""The decision matrix of the pull-request loop: the first matching row wins, and there is one for all 36 cases.

docs/reference/decisions.md is made from these rows.
"""

from dataclasses import dataclass
from typing import Literal

from reknit.core.checks.status import CiSeenWord, Seen
from reknit.core.fix_pr.checks_snapshot import CheckState, Picture

Word = Literal["clean", "wait", "fix", "retry"]
Part = Literal["tests", "ci", "review"]

ANY_SEEN: tuple[Seen, ...] = ("pass", "fail", "error")
ANY_CI: tuple[CiSeenWord, ...] = ("pass", "fail", "pending", "error")


@dataclass(frozen=True)
class Row:
    review: tuple[Seen, ...]
    tests: tuple[Seen, ...]
    ci: tuple[CiSeenWord, ...]
    word: Word
    reason: str

    def matches(self, review: CiSeenWord, tests: CiSeenWord, ci: CiSeenWord) -> bool:
        return review in self.review and tests in self.tests and ci in self.ci


ROWS: tuple[Row, ...] = (
    Row(("error",), ("error",), ("error",), "retry", "nothing could be seen: look again, then UNVERIFIED"),
    Row(ANY_SEEN, ("fail", "error"), ANY_CI, "fix", "red tests go first; tests that cannot run count as red"),
    Row(ANY_SEEN, ("pass",), ("fail",), "fix", "CI goes before the review"),
    Row(("fail",), ("pass",), ANY_CI, "fix", "what the review found"),
    Row(("pass", "error"), ("pass",), ("pending",), "wait", "all that was seen passes; CI is not done"),
    Row(("pass",), ("pass",), ("pass",), "clean", "every check that ran passes: PR CLEAN"),
    Row(
        ("pass", "error"),
        ("pass",),
        ("pass", "error"),
        "retry",
        "nothing to fix, yet not everything was seen: look again, then UNVERIFIED",
    ),
)


@dataclass(frozen=True)
class Decision:
    word: Word
    reason: str
    parts: tuple[Part, ...] = ()
    """What a fix is about, by priority: tests, then CI, then the review."""


def decide(review: CheckState, tests: CheckState, ci: CheckState) -> Decision:
    """A check that is off has nothing against it: it counts as a pass here, and is shown as none."""
    row = next(row for row in ROWS if row.matches(*(_answer(state) for state in (review, tests, ci))))
    failing: list[Part] = ["tests"] if tests in ("fail", "error") else []
    failing += ["ci"] if ci == "fail" else []
    failing += ["review"] if review == "fail" else []
    return Decision(row.word, row.reason, tuple(failing) if row.word == "fix" else ())


def _answer(state: CheckState) -> CiSeenWord:
    return "pass" if state == "off" else state


def unseen(picture: Picture) -> tuple[str, ...]:
    """What could not be seen, each with its reason."""
    answers = (("review", picture.review), ("tests", picture.tests), ("CI", picture.ci))
    return tuple(f"{name}: {answer.why or 'no answer'}" for name, answer in answers if answer.status == "error")
