"""What an agent call came to, as a table; and what a reviewer is told whose report did not count."""

import pytest

from reknit.core.agent_reports.values import FixReport, Review, Role
from reknit.core.agents.call import Aborted, Done, Outcome, RateLimited, Unusable
from reknit.core.agents.outcome import (
    SHOW_MORE,
    FinalEvent,
    decide_outcome,
    explain_no_start,
    format_correction,
    take_first_words,
    take_last_words,
)
from reknit.core.box import CommandResult, EndReason
from reknit.core.gateway.access import TOO_MANY, GatewayObservation
from reknit.core.gateway.metering import UNREACHABLE, ProviderRefusal

FINISHED, FAILED = FinalEvent(has_finished=True, words="Fixed."), FinalEvent(has_finished=False, words="API Error")
ANSWERED = GatewayObservation(status=200)
REVIEW, FIX = Review("passed", 90, "good"), FixReport("fixed", "did it")
ASKED = FixReport("question", "cannot go on", question="which one?")


def judged(
    last: FinalEvent | None,
    seen: GatewayObservation = ANSWERED,
    *,
    reason: EndReason = "exit",
    exit_code: int = 0,
    role: Role = "fix",
    stderr: bytes = b"oh no\n",
) -> Outcome:
    return decide_outcome(CommandResult(reason, exit_code, b"", stderr, 1.0), last, seen, role)


@pytest.mark.parametrize(
    ("reason", "broke"), [("wall", Aborted("timeout")), ("idle", Aborted("idle")), ("output", Aborted("output"))]
)
def test_a_box_that_was_killed_is_broken_whatever_was_said(reason: EndReason, broke: Aborted) -> None:
    assert judged(FINISHED, GatewayObservation(200, over_budget="spent"), reason=reason) == broke


@pytest.mark.parametrize(
    ("reason", "outcome"),
    [
        ("wall", RateLimited("rate_limited", 9.0)),
        ("idle", RateLimited("rate_limited", 9.0)),
        ("output", Aborted("output")),
    ],
)
def test_a_cli_that_sleeps_through_a_limit_did_not_fail(reason: EndReason, outcome: Outcome) -> None:
    assert judged(None, GatewayObservation(429, ProviderRefusal(429, 9.0)), reason=reason) == outcome


@pytest.mark.parametrize(
    ("exit_code", "stderr", "starts"),
    [
        pytest.param(127, b"sh: claude: not found", False, id="no such program"),
        pytest.param(126, b"permission denied", False, id="not executable"),
        pytest.param(2, b"can't open file 'a.py': [Errno 2] No such file or directory", False, id="a missing file"),
        pytest.param(1, b"unknown option", True, id="it did not like its arguments"),
        pytest.param(0, b"No such file or directory", True, id="it ended well"),
    ],
)
def test_a_program_that_does_not_start_needs_a_person(exit_code: int, stderr: bytes, *, starts: bool) -> None:
    problem = explain_no_start(CommandResult("exit", exit_code, b"", stderr, 1.0))
    assert (problem == "", SHOW_MORE in problem) == (starts, not starts)
    outcome = judged(None, GatewayObservation(), exit_code=exit_code, stderr=stderr)
    assert isinstance(outcome, Unusable) is not starts
    asked_its_model = judged(None, ANSWERED, exit_code=exit_code, stderr=stderr)
    assert isinstance(asked_its_model, Aborted), "it did start"


def test_a_program_that_runs_until_it_is_ended_has_started() -> None:
    assert explain_no_start(CommandResult("wall", 127, b"", b"", 20.0)) == ""


def test_done_needs_the_last_word_and_the_exit_code() -> None:
    assert judged(FINISHED) == Done()
    assert judged(FINISHED, exit_code=1) == Aborted("crashed", "exit code 1 after its final event")
    assert judged(None, exit_code=0) == Aborted("crashed", "exit code 0: oh no")
    assert judged(None, exit_code=-9, stderr=b"") == Aborted("crashed", "exit code -9")
    assert judged(None, GatewayObservation(429, ProviderRefusal(429)), exit_code=-9, stderr=b"") == Aborted(
        "crashed", "exit code -9"
    )


def test_too_many_requests_are_no_matter_of_money() -> None:
    assert judged(FINISHED, GatewayObservation(200, over_budget=TOO_MANY)) == Aborted("turn_limit", TOO_MANY)


def test_the_gateways_own_count_decides_about_money() -> None:
    for last in (None, FINISHED, FAILED):
        assert judged(last, GatewayObservation(403, over_budget="spent")) == Aborted("budget", "spent")


@pytest.mark.parametrize(
    ("last", "seen", "expected"),
    [
        pytest.param(
            FinalEvent(has_finished=False, turn_limit=True), GatewayObservation(429), Aborted("turn_limit"), id="turns"
        ),
        pytest.param(
            FINISHED,
            GatewayObservation(200, model_refused=True),
            Aborted("refused", "Fixed."),
            id="refused, and finished",
        ),
        pytest.param(
            FAILED,
            GatewayObservation(200, model_refused=True),
            Aborted("refused", "API Error"),
            id="refused, and failed",
        ),
        pytest.param(
            FAILED,
            GatewayObservation(429, ProviderRefusal(429, 9.0)),
            RateLimited("rate_limited", 9.0),
            id="429 with its time",
        ),
        pytest.param(FAILED, GatewayObservation(429), RateLimited("rate_limited"), id="429"),
        pytest.param(
            FAILED,
            GatewayObservation(None, ProviderRefusal(429, 9.0)),
            RateLimited("rate_limited", 9.0),
            id="known before it was sent",
        ),
        pytest.param(FAILED, GatewayObservation(529, ProviderRefusal(529)), RateLimited("overloaded"), id="529"),
        pytest.param(
            FAILED,
            GatewayObservation(200, ProviderRefusal(529)),
            RateLimited("overloaded"),
            id="an error inside the stream",
        ),
        pytest.param(FAILED, GatewayObservation(500), RateLimited("overloaded"), id="500"),
        pytest.param(
            FAILED,
            GatewayObservation(0, ProviderRefusal(UNREACHABLE)),
            RateLimited("unreachable"),
            id="nobody there, and noted",
        ),
        pytest.param(FAILED, GatewayObservation(0), RateLimited("unreachable"), id="nobody there"),
        pytest.param(FAILED, GatewayObservation(401), Unusable("auth", "API Error"), id="401"),
        pytest.param(FAILED, GatewayObservation(403), Unusable("auth", "API Error"), id="403"),
        pytest.param(FAILED, GatewayObservation(404), Unusable("bad_request", "API Error"), id="an unknown model"),
        pytest.param(FAILED, GatewayObservation(400), Unusable("bad_request", "API Error"), id="400"),
        pytest.param(
            FinalEvent(has_finished=False, words="x", too_long=True),
            GatewayObservation(400),
            Aborted("crashed", "x"),
            id="the window is full",
        ),
        pytest.param(FAILED, GatewayObservation(413), Aborted("crashed", "API Error"), id="too large"),
        pytest.param(FAILED, GatewayObservation(200), Aborted("crashed", "API Error"), id="a stream that was cut"),
        pytest.param(
            FAILED,
            GatewayObservation(200, refused=("a path",)),
            Aborted("crashed", "API Error"),
            id="a refusal beside the work",
        ),
        pytest.param(
            FAILED,
            GatewayObservation(None, refused=("a path", "a tool")),
            Unusable("bad_request", "the gateway refused: a tool"),
            id="all it sent was refused",
        ),
        pytest.param(
            FAILED,
            GatewayObservation(None),
            Unusable("config", "it never called its model: API Error"),
            id="it sent nothing at all",
        ),
        pytest.param(
            FINISHED, GatewayObservation(429, ProviderRefusal(429)), Done(), id="a limit beside work that was finished"
        ),
    ],
)
def test_a_call_that_ended_by_itself(last: FinalEvent, seen: GatewayObservation, expected: Outcome) -> None:
    assert judged(last, seen) == expected


@pytest.mark.parametrize(
    ("role", "seen", "expected"),
    [
        pytest.param("fix", GatewayObservation(200, report=FIX), Done(), id="a fixer that reports"),
        pytest.param("fix", GatewayObservation(200, report_problem="x"), Done(), id="a fixer owes no report"),
        pytest.param(
            "fix", GatewayObservation(200, report=ASKED), Aborted("asked_a_question", "which one?"), id="a question"
        ),
        pytest.param("review", GatewayObservation(200, report=REVIEW), Done(), id="a review"),
        pytest.param(
            "review",
            GatewayObservation(200, report_problem="score: x"),
            Aborted("invalid_output", "score: x"),
            id="a wrong report",
        ),
        pytest.param(
            "review", GatewayObservation(200), Aborted("invalid_output", "no report received"), id="no channel at all"
        ),
        pytest.param(
            "review",
            GatewayObservation(200, report=FIX),
            Aborted("invalid_output", "no report received"),
            id="the report of another role",
        ),
    ],
)
def test_what_a_finished_call_owes(role: Role, seen: GatewayObservation, expected: Outcome) -> None:
    assert judged(FINISHED, seen, role=role) == expected


def test_only_a_report_that_did_not_count_is_asked_for_again() -> None:
    others: tuple[Outcome, ...] = (Done(), RateLimited("overloaded"), Aborted("crashed"), Unusable("auth"))
    assert [format_correction(outcome) for outcome in others] == [""] * 4
    assert "invalid: score: expected 0 to 100." in format_correction(
        Aborted("invalid_output", "score: expected 0 to 100")
    )


def test_words_are_cut_and_hold_no_escapes_and_no_secrets() -> None:
    secret = "\x1b[31mred\x1b[0m sk-ant-api03-" + "a" * 40 + " "
    first = take_first_words(secret + "b" * 900)
    assert first.startswith("red [Anthropic key redacted] bbb")
    assert len(first) == 500
    last = take_last_words(b"b" * 900 + secret.encode() + b"\xff end \n")
    assert last.endswith("red [Anthropic key redacted] \ufffd end")
    assert len(last) == 500
