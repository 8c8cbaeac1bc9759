"""What an agent can report through the typed channel: values validated field by field."""

from dataclasses import dataclass
from typing import Literal

Role = Literal["fix", "review", "plan", "holdout"]
"""A fixer may edit its tree; the others only read and must submit a report."""


Severity = Literal["blocking", "warning", "suggestion"]
Verdict = Literal["passed", "needs_work"]
FixStatus = Literal["fixed", "gave_up", "question"]
Effort = Literal["S", "M", "L"]


@dataclass(frozen=True)
class ReportedFinding:
    category: str
    severity: Severity
    file: str
    line: int
    """0: the whole file."""
    issue: str
    suggestion: str = ""
    effort_1_5: int = 3
    title: str = ""
    """As the reviewer wrote it; `title_of` in `finding_title.py` has one for every finding."""
    files: int = 1
    """How many files a fix has to change."""


@dataclass(frozen=True)
class Review:
    verdict: Verdict
    score_0_100: int
    summary: str
    findings: tuple[ReportedFinding, ...] = ()


@dataclass(frozen=True)
class FixReport:
    status: FixStatus
    summary: str
    question: str = ""
    """Only with status `question`: what a person must answer."""


@dataclass(frozen=True)
class PlannedTask:
    title: str
    effort: Effort
    impact: str


@dataclass(frozen=True)
class PlanProposal:
    primary: str
    """The name of a variant. Of all this, only the shape has been checked."""
    primary_rationale: str
    alternate: str
    """Empty: none."""
    alternate_when: str
    tasks: tuple[PlannedTask, ...]
    acceptance_criteria: tuple[str, ...]
    confidence_0_100: int


@dataclass(frozen=True)
class HeldOutCase:
    """A test of a behaviour, by an agent that has not seen the fix."""

    test: str
    """Its id, as the runner will report it."""
    path: str
    """Of its file, which is new."""
    text: str
    about: str
    """What it checks, and what says that this is right."""


@dataclass(frozen=True)
class CaseProposal:
    cases: tuple[HeldOutCase, ...]


@dataclass(frozen=True)
class RefusedAnswer:
    """An answer that was not a plan."""

    raw: str
    """As the agent gave it, cut, redacted and safe to show."""
    why: str


Report = Review | FixReport | PlanProposal | CaseProposal
