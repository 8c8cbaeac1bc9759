"""Describes the values that an agent reports through our tools; each field has been validated."""

import re
from dataclasses import dataclass
from typing import Literal

from reknit.core.text.format import to_one_line
from reknit.core.text.truncate import cut_at_word

Role = Literal["fix", "review", "plan", "holdout"]
"""A fixer may edit its tree; the others only read and must submit a report."""


Severity = Literal["blocking", "warning", "suggestion"]
Verdict = Literal["passed", "needs_work"]
FixStatus = Literal["fixed", "gave_up", "question"]
Effort = Literal["S", "M", "L"]


@dataclass(frozen=True)
class ReportedFinding:
    """A problem that a reviewer reported."""

    category: str
    severity: Severity
    file: str
    line: int
    """0: the whole file."""
    issue: str
    suggestion: str = ""
    effort_1_5: int = 3
    title: str = ""
    """The reviewer's own title, or empty; `to_title` returns one for every finding."""
    files: int = 1
    """Number of files that a fix has to change."""


@dataclass(frozen=True)
class Review:
    """A reviewer's verdict and its findings."""

    verdict: Verdict
    score_0_100: int
    summary: str
    findings: tuple[ReportedFinding, ...] = ()


@dataclass(frozen=True)
class FixReport:
    """A fixer's own account of the end of its work."""

    status: FixStatus
    summary: str
    question: str = ""
    """Only with status `question`: what a person must answer."""
    title: str = ""
    """The change in one line, as in the subject of a commit; empty: it gave none."""


@dataclass(frozen=True)
class PlannedTask:
    """A task of a proposed plan."""

    title: str
    effort: Effort
    impact: str
    files: tuple[str, ...] = ()
    """Files that it changes; each is in the repository, or an earlier task adds it."""
    new_files: tuple[str, ...] = ()
    """Files that it adds."""


@dataclass(frozen=True)
class PlanProposal:
    """A plan that an agent proposes; only its shape has been checked."""

    primary: str
    """Name of a variant."""
    primary_rationale: str
    alternate: str
    """Empty: none."""
    alternate_when: str
    tasks: tuple[PlannedTask, ...]
    acceptance_criteria: tuple[str, ...]
    confidence_0_100: int


@dataclass(frozen=True)
class HeldOutCase:
    """A test of a behaviour, written by an agent that has not seen the fix."""

    test: str
    """Its id, as the runner will report it."""
    path: str
    """Path of its file, which is new."""
    text: str
    about: str
    """Behaviour that it checks, and the test or document that requires it."""


@dataclass(frozen=True)
class CaseProposal:
    """Test cases that an agent proposes."""

    cases: tuple[HeldOutCase, ...]


@dataclass(frozen=True)
class RefusedAnswer:
    """An answer to a request for a plan that was not valid."""

    raw: str
    """The agent's answer, truncated, redacted and safe to show."""
    why: str


Report = Review | FixReport | PlanProposal | CaseProposal


MAX_TITLE_CHARS = 72
"""Longest title in characters: it fits in the subject of a commit."""
_SENTENCE_END = re.compile(r"[.!?](?= [^a-z]|$)")
"""A small letter does not begin a sentence: `e.g. this` is one sentence."""
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n")


def to_title(finding: ReportedFinding) -> str:
    """Return the reviewer's own title, or the first sentence of the issue, cut at a word."""
    return finding.title or take_first_sentence(finding.issue)


def take_first_sentence(words: str) -> str:
    """Return the first sentence without its full stop, cut at a word."""
    text = to_one_line(_PARAGRAPH_END.split(words.strip(), maxsplit=1)[0])
    end = _SENTENCE_END.search(text)
    return cut_at_word(text[: end.end()].removesuffix(".") if end else text, MAX_TITLE_CHARS)
