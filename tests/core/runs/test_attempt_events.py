"""Events that every loop records about an attempt."""

from dataclasses import replace

import pytest

from reknit.core.agents.call import Aborted, AgentCall, Done, RateLimited, Usage
from reknit.core.errors import InternalError, LoginNeededError, ToolMissingError
from reknit.core.finding import Finding
from reknit.core.gate.verdict import GateVerdict, Refusal
from reknit.core.gate.waiver import WaiverUse
from reknit.core.runs import attempt_events
from reknit.core.runs.attempt_events import announce_set_up, end_failed_set_up, end_unknown_set_up, report_set_up
from reknit.core.runs.ending import ENVIRONMENT, Ending
from reknit.core.setup.layers import Setup, SetupFailed
from reknit.core.testing.proof import Proof

FINDING = Finding("T-1", "tests", "test-failed", "tests/test_a.py::TestA::test_x", message="\n  first line\nsecond")
REFUSAL = Refusal("protected-test", "tests/test_a.py", "the fix deleted a test")
OTHER = Refusal("too-much", "a.py", "too much")
REFUSED = GateVerdict((REFUSAL,), ("a", "b"), 1, 2, 3)


def test_an_attempt_says_who_works_on_what() -> None:
    name = FINDING.subject.rpartition("::")[2]
    assert attempt_events.announce_attempt(2, FINDING, "search", "claude").text == f"search  claude works on {name}"
    about = replace(FINDING, source="tool", subject="1 test, lint")
    assert attempt_events.announce_attempt(2, about, "search", "claude").text == "search  claude works on 1 test, lint"


def test_files_that_are_no_part_of_the_change_are_named() -> None:
    event = attempt_events.report_ignored_files(2, ("test.db", "new\nline.log"))
    text = "not part of the change, because the repository ignores them: test.db, new line.log"
    assert (event.label, event.text, event.data["files"]) == ("attempt 2", text, ["test.db", "new\nline.log"])


@pytest.mark.parametrize(
    ("call", "paths", "mark", "text"),
    [
        pytest.param(
            AgentCall(Done(), Usage(cost_usd=0.5), 3.0),
            ("a", "b"),
            "ok",
            "local   claude: a, b  3.0 s  $0.50",
            id="done",
        ),
        pytest.param(
            AgentCall(Aborted("idle")),
            tuple("abcd"),
            "bad",
            "local   claude (idle): a, b, c …  0.0 s  $0.00",
            id="broke",
        ),
        pytest.param(
            AgentCall(Done()), (), "ok", "local   claude: changed nothing  0.0 s  $0.00", id="done, but changed nothing"
        ),
    ],
)
def test_an_ended_attempt_says_what_it_changed(call: AgentCall, paths: tuple[str, ...], mark: str, text: str) -> None:
    event = attempt_events.report_attempt(1, "local", "claude", call, paths)
    assert (event.mark, event.text) == (mark, text)


@pytest.mark.parametrize(
    ("verdict", "mark", "text"),
    [
        pytest.param(GateVerdict((), ("a", "b"), 1, 2, 3), "ok", "1 file, +2 -3; 2 rules, none refused", id="accepted"),
        pytest.param(
            GateVerdict((), ("a",), 1, 2, 3, advice=(REFUSAL, OTHER)),
            "ok",
            "1 file, +2 -3; 1 rules, none refused; noted: [protected-test] the fix deleted a test and 1 more",
            id="with advice",
        ),
        pytest.param(REFUSED, "bad", "refused [protected-test]: the fix deleted a test", id="refused once"),
        pytest.param(
            replace(REFUSED, refusals=(REFUSAL, OTHER)),
            "bad",
            "refused [protected-test]: the fix deleted a test (and 1 more)",
            id="refused twice",
        ),
    ],
)
def test_the_gate_says_its_reason(verdict: GateVerdict, mark: str, text: str) -> None:
    event = attempt_events.report_gate(1, verdict)
    assert (event.mark, event.text, event.data["accepted"]) == (mark, text, verdict.is_accepted)


def test_the_verification_says_its_sentence() -> None:
    assert attempt_events.report_proof(1, Proof("proven", "3 passed", "junit", seconds=2.0)).text == "3 passed  2.0 s"
    assert attempt_events.report_proof(1, Proof("regressed", "broke", "junit")).mark == "bad"


def test_a_remembered_verification_says_that_nothing_was_run() -> None:
    event = attempt_events.report_proof(2, Proof("still_red", "t is still red", "junit", remembered=True))
    assert event.text == "t is still red  the same tree as before, not run again"
    assert event.data["remembered"] is True


def test_a_fall_over_says_who_takes_over_and_why() -> None:
    event = attempt_events.report_fall_over(RateLimited("rate_limited"), "claude", "gemini", 3600.0)
    assert event.text == "claude would wait 60m00s (rate_limited); gemini takes over (not counted as an attempt)"
    assert event.data == {"why": "rate_limited", "from": "claude", "to": "gemini"}


def test_what_the_gateway_refused_is_in_the_record() -> None:
    event = attempt_events.report_gateway_refusal(2, "path not allowed: GET /admin")
    assert (event.kind, event.text) == ("gateway", "refused: path not allowed: GET /admin")
    assert event.data == {"attempt": 2, "refused": "path not allowed: GET /admin"}


@pytest.mark.parametrize(
    ("limited", "cause"),
    [
        pytest.param(RateLimited("rate_limited"), "rate limited by claude", id="a rate limit"),
        pytest.param(RateLimited("overloaded"), "claude is overloaded", id="an overload"),
        pytest.param(RateLimited("unreachable"), "claude is unreachable", id="no connection"),
    ],
)
def test_a_wait_says_why_and_that_it_uses_no_attempt(limited: RateLimited, cause: str) -> None:
    event = attempt_events.report_wait(limited, "claude", 100.0, 30.0)
    assert event.text == f"{cause}; retrying in 30 s (not counted as an attempt)"
    assert event.data["until"] == 100.0


@pytest.mark.parametrize(
    ("problem", "ending"),
    [
        pytest.param(
            ValueError("no such thing"),
            Ending("FAILED", "reknit failed, not your code: ValueError: no such thing"),
            id="a bug of ours is not blamed on the code",
        ),
        pytest.param(
            InternalError("gone", "it is gone"),
            Ending("FAILED", "reknit failed, not your code: InternalError: it is gone"),
            id="nor is one that we name",
        ),
        pytest.param(
            ToolMissingError("tool-missing", "no git", help="install it"),
            Ending("BLOCKED", "no git. install it", "tool-missing"),
            id="what a person can change blocks, with the next step",
        ),
        pytest.param(
            LoginNeededError("login", "no key"), Ending("BLOCKED", "no key", "login"), id="a login keeps its exit code"
        ),
    ],
)
def test_a_step_that_raised_ends_the_run_in_a_typed_ending(problem: Exception, ending: Ending) -> None:
    assert attempt_events.end_broken_run(problem) == ending


def test_a_crashed_agent_says_why() -> None:
    call = AgentCall(Aborted("crashed", "exit code 126: not found"))
    assert (
        "agent (crashed: exit code 126: not found): changed nothing"
        in attempt_events.report_attempt(1, "local", "agent", call, ()).text
    )


def test_a_run_the_engine_gave_up_ends_failed() -> None:
    assert attempt_events.end_given_up_run("ERROR").word == "FAILED"


def test_a_set_up_that_begins_is_told_before_it_takes_its_time() -> None:
    event = announce_set_up([Setup("", "npm ci"), Setup("api", "uv sync")])
    assert (event.kind, event.mark, event.data) == ("set_up_begins", "..", {"commands": ["npm ci", "uv sync"]})
    assert event.text.startswith("`npm ci`, ")


def test_a_set_up_that_is_done() -> None:
    event = report_set_up([Setup("", "npm ci")], 1.234)
    assert (event.kind, event.text, event.data) == (
        "set_up", "`npm ci` in 1.2 s", {"commands": ["npm ci"], "seconds": 1.23},
    )  # fmt: skip


def test_a_set_up_that_fails_is_the_environments_fault() -> None:
    unknown = end_unknown_set_up([Setup("", "npm ci")], "0123456789")
    assert (unknown.word, unknown.cause) == ("BLOCKED", ENVIRONMENT)
    assert "its commit 0123456 cannot be fetched" in unknown.reason
    ending = end_failed_set_up(SetupFailed(Setup("", "npm ci"), "exit code 1"))
    assert (ending.word, ending.cause, ending.reason) == (
        "BLOCKED", ENVIRONMENT, "the set-up `npm ci` failed: exit code 1",
    )  # fmt: skip


def test_the_gate_names_what_a_person_allowed() -> None:
    use = WaiverUse("protected-config", "uv.lock", "", "--allow")
    event = attempt_events.report_gate(1, GateVerdict((), ("a",), 1, 2, 3, (use,)))
    assert event.text == "1 file, +2 -3; 1 rules, protected-config:uv.lock allowed by a person (--allow)"
