"""Conversations on a terminal, and as a document."""

from dataclasses import replace

import pytest

from reknit.core.agents.conversation import Turn
from reknit.core.agents.transcript import Transcript
from reknit.core.capability import StoredRun
from reknit.core.run_page.logs_text import build_logs_document, explain_no_logs, render_logs
from reknit.core.runs.view import AttemptView, RunView

RUN = RunView(
    id="r-1", kind="fix tests", repository="/shop", base="b" * 40, agent="claude", state="ended", phase="finish",
    worker="", reason="everything asked for is fixed and proven", until=None, ending="FIXED", detail={}, commit=None,
    spent_usd=0.1, budget_usd=5.0, created_at=100.0, ended_at=160.0, undone_at=None, spec={},
)  # fmt: skip
ATTEMPT = AttemptView(
    number=1, finding="T-1", subject="tests/test_a.py::test_b", strategy="local", starts=1, outcome="done", gate=None,
    proof={"word": "proven", "sentence": "3 passed"}, said=None, cost_usd=0.1, tokens=1, started_at=100.0,
    ended_at=120.0,
)  # fmt: skip
STORED = StoredRun(RUN, (ATTEMPT,))
TURNS = (
    Turn("says", "I look at the file first, and then I run its tests again."),
    Turn("tool", "pytest -q", "runs"),
    Turn("result", "\n".join(f"line {number}" for number in range(1, 16)), is_error=True),
    Turn("tool", "a: 1", "uses report_finding"),
    Turn("result", "noted"),
)
CALLS = [Transcript("attempt-1", "claude", TURNS), Transcript("review-1", "", (Turn("says", "fine"),))]


def test_a_person_reads_what_was_asked_said_and_done() -> None:
    assert render_logs(STORED, CALLS, 50).splitlines() == [
        "r-1  fix tests  FIXED  everything asked for is fixed and proven",
        "",
        "attempt 1 · claude",
        "  asked    tests/test_a.py::test_b (local)",
        "  says     I look at the file first, and then I",
        "           run its tests again.",
        "  runs     pytest -q",
        "  failed   | … 3 lines before this",
        *(f"           | line {number}" for number in range(4, 16)),
        "  uses     report_finding a: 1",
        "           | noted",
        "  then     proven: 3 passed",
        "",
        "review 1",
        "  says     fine",
    ]


def test_without_a_terminal_no_line_is_wrapped() -> None:
    assert f"  says     {TURNS[0].text}" in render_logs(STORED, CALLS).splitlines()


def test_nothing_controls_the_terminal() -> None:
    hostile = replace(ATTEMPT, subject="\x1b]0;title\x07\x1b[2J\u202eb\nforged  line")
    text = render_logs(StoredRun(RUN, (hostile,)), CALLS[:1])
    assert "  asked    b forged line (local)" in text.splitlines()


def test_a_program_reads_every_turn() -> None:
    document = build_logs_document(STORED, CALLS)
    assert document["run"] == "r-1"
    assert document["calls"] == [
        {
            "call": "attempt-1", "agent_kind": "claude", "again": False,
            "turns": [
                {"kind": turn.kind, "verb": turn.verb, "text": turn.text, "error": turn.is_error} for turn in TURNS
            ],
        },
        {
            "call": "review-1", "agent_kind": "command", "again": False,
            "turns": [{"kind": "says", "verb": "", "text": "fine", "error": False}],
        },
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("stored", "reason"),
    [
        pytest.param(StoredRun(replace(RUN, state="queued")), "r-1 is queued; no agent has worked yet", id="queued"),
        pytest.param(STORED, "the transcripts of r-1 are not on this machine", id="they are gone"),
        pytest.param(StoredRun(replace(RUN, spent_usd=0.0)), "no agent has worked for r-1", id="no agent was needed"),
    ],
)
def test_missing_transcripts_are_explained(stored: StoredRun, reason: str) -> None:
    assert explain_no_logs(stored).startswith(reason)
