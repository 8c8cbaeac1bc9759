"""The document and the line that people and programs outside read."""

import pytest

from reknit.core.agent_reports.document import format_sentence, to_document
from reknit.core.agent_reports.session import ReportSession
from reknit.core.agent_reports.values import FixReport, PlanProposal, ReportedFinding, Review

FOUND = ReportedFinding("tests", "blocking", "a.py", 3, "wrong", "right", 2)
OPEN = ReportSession("review", findings=(FOUND,))
CLOSED = ReportSession("review", findings=(FOUND,), closing=Review("needs_work", 40, "one bug"))
PLAN = PlanProposal("grey", "why", "", "", (), (), 78)
PLANNED = ReportSession("plan", closing=PLAN)
FIXED = ReportSession("fix", closing=FixReport("fixed", "done"))
FINDINGS = [
    {
        "category": "tests",
        "severity": "blocking",
        "file": "a.py",
        "line": 3,
        "issue": "wrong",
        "suggestion": "right",
        "effort": 2,
        "title": "wrong",
        "files": 1,
    }
]


@pytest.mark.parametrize(
    ("session", "made"),
    [
        pytest.param(
            OPEN,
            {"problem": "finish_review was never called", "report": None, "findings": FINDINGS},
            id="findings of a review that never ended are kept",
        ),
        pytest.param(
            CLOSED,
            {
                "problem": "",
                "report": {"verdict": "needs_work", "score": 40, "summary": "one bug"},
                "findings": FINDINGS,
            },
            id="a review",
        ),
        pytest.param(
            FIXED,
            {"problem": "", "report": {"status": "fixed", "summary": "done", "question": "", "title": ""}},
            id="a fix",
        ),
    ],
)
def test_the_document(session: ReportSession, made: dict[str, object]) -> None:
    assert to_document(session) == {"schema": 1, "role": session.role, **made}


@pytest.mark.parametrize(
    ("session", "line"),
    [
        (OPEN, "no review report: finish_review was never called"),
        (CLOSED, "review: needs_work, score 40, 1 finding(s), 1 blocking"),
        (FIXED, "fix: fixed"),
    ],
    ids=["open", "review", "fix"],
)
def test_the_line(session: ReportSession, line: str) -> None:
    assert format_sentence(session) == line


def test_a_plan_is_told_by_its_variant() -> None:
    assert format_sentence(PLANNED) == "plan: grey, confidence 78"
    assert to_document(PLANNED)["report"] == {"primary": "grey", "confidence": 78}
