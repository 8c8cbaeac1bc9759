"""Every text a person reads while a run goes on."""

from dataclasses import replace

import pytest

from reknit.core.agents import call as agents_call
from reknit.core.agents.call import Aborted, AgentCall, AgentSettings, Done, Outcome, RateLimited, Unusable, Usage
from reknit.core.errors import InternalError, LoginNeeded, ToolMissing
from reknit.core.finding import Finding
from reknit.core.fix_tests import events
from reknit.core.fix_tests.baseline import Baseline
from reknit.core.gate.verdict import GateVerdict, Refusal
from reknit.core.runs import attempt_events, feedback
from reknit.core.runs.ending import Ending
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.command import TestCommand
from reknit.core.testing.proof import Proof
from reknit.core.testing.report import WHOLE_SUITE
from reknit.core.text.format import seconds

FINDING = Finding("T-1", "tests", "test-failed", "tests/test_a.py::TestA::test_x", message="\n  first line\nsecond")
SPEC = RunSpec(
    "r-1",
    "fix tests",
    "/shop",
    "b" * 40,
    TestCommand("pytest", ("pytest",), "junit"),
    (),
    AgentSettings("claude", "claude"),
)
REFUSAL = Refusal("protected-test", "tests/test_a.py", "the fix deleted a test")
OTHER = Refusal("too-much", "a.py", "too much")
REFUSED = GateVerdict((REFUSAL,), ("a", "b"), 1, 2, 3)
RED = Baseline("red", "junit", (FINDING,), passing_count=7, runs=3, seconds=12.0)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param(0.04, "0.0 s", id="a moment"),
        pytest.param(9.94, "9.9 s", id="below ten with a tenth"),
        pytest.param(42.4, "42 s", id="below a hundred in whole seconds"),
        pytest.param(125.0, "2m05s", id="then in minutes"),
        pytest.param(3725.0, "62m05s", id="never in hours"),
    ],
)
def test_seconds_are_written_for_people(value: float, text: str) -> None:
    assert seconds(value) == text


@pytest.mark.parametrize(
    ("outcome", "word"),
    [
        pytest.param(Done(), "done", id="done"),
        pytest.param(RateLimited("overloaded"), "overloaded", id="limited"),
        pytest.param(Unusable("auth"), "auth", id="refused"),
        pytest.param(Aborted("idle"), "idle", id="broke"),
    ],
)
def test_an_outcome_has_one_word(outcome: Outcome, word: str) -> None:
    assert agents_call.outcome_word(outcome) == word


@pytest.mark.parametrize(
    ("named", "text"),
    [
        pytest.param((), "every red test, at most 3 attempts each, at most $5.00", id="no test was named"),
        pytest.param(("a", "b"), "2 named test(s), at most 3 attempts each, at most $5.00", id="two were named"),
    ],
)
def test_the_opening_shows_the_caps_before_anything_is_spent(named: tuple[str, ...], text: str) -> None:
    opening = events.opening(replace(SPEC, named=named))
    assert (opening.kind, opening.text, opening.data["budget_usd"]) == ("started", text, 5.0)


@pytest.mark.parametrize(
    ("baseline", "mark", "text"),
    [
        pytest.param(RED, "ok", "1 red 3 of 3 on bbbbbbb; 7 pass  12 s", id="red"),
        pytest.param(
            replace(RED, flaky=("x",), red_elsewhere=("y", "z")),
            "ok",
            "1 red 3 of 3 on bbbbbbb; 7 pass, 1 flaky, left out, 2 red, not asked for  12 s",
            id="red beside flaky and other red ones",
        ),
        pytest.param(
            Baseline("green", "junit", passing_count=7, runs=2), "ok", "7 passed 2 of 2 on bbbbbbb", id="green"
        ),
        pytest.param(Baseline("unseen", "junit", why="no report"), "bad", "not seen: no report", id="unseen"),
    ],
)
def test_the_baseline_is_told_in_one_line(baseline: Baseline, mark: str, text: str) -> None:
    event = events.baseline_seen(baseline, "b" * 40)
    assert (event.mark, event.text) == (mark, text)
    assert event.data["status"] == baseline.status


@pytest.mark.parametrize(
    ("message", "text"),
    [
        pytest.param("\n  first line\nsecond", f"{FINDING.subject}   first line", id="with its first words"),
        pytest.param("", FINDING.subject, id="without words"),
    ],
)
def test_a_finding_is_told_in_one_line(message: str, text: str) -> None:
    assert events.finding_seen(replace(FINDING, message=message)).text == text


def test_an_attempt_says_who_works_on_what() -> None:
    assert attempt_events.attempt_begins(2, FINDING, "search", "claude").text == "search  claude works on T-1"
    about = replace(FINDING, source="tool", subject="1 test, lint")
    assert attempt_events.attempt_begins(2, about, "search", "claude").text == "search  claude works on 1 test, lint"


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
    event = attempt_events.attempt_made(1, "local", "claude", call, paths)
    assert (event.mark, event.text) == (mark, text)


@pytest.mark.parametrize(
    ("verdict", "mark", "text"),
    [
        pytest.param(
            GateVerdict((), ("a", "b"), 1, 2, 3), "ok", "1 file(s), +2 -3; 2 rules, none refused", id="accepted"
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
    event = attempt_events.gate_said(1, verdict)
    assert (event.mark, event.text, event.data["accepted"]) == (mark, text, verdict.accepted)


def test_the_verification_says_its_sentence() -> None:
    assert attempt_events.proof_said(1, Proof("proven", "3 passed", "junit", seconds=2.0)).text == "3 passed  2.0 s"
    assert attempt_events.proof_said(1, Proof("regressed", "broke", "junit")).mark == "bad"


def test_a_remembered_verification_says_that_nothing_was_run() -> None:
    event = attempt_events.proof_said(2, Proof("still_red", "t is still red", "junit", remembered=True))
    assert event.text == "t is still red  the same tree as before, not run again"
    assert event.data["remembered"] is True


def test_a_fall_over_says_who_takes_over_and_why() -> None:
    event = attempt_events.falling_over(RateLimited("rate_limited"), "claude", "gemini", 3600.0)
    assert event.text == "claude would wait 60m00s (rate_limited); gemini takes over (not counted as an attempt)"
    assert event.data == {"why": "rate_limited", "from": "claude", "to": "gemini"}


def test_what_the_gateway_refused_is_in_the_record() -> None:
    event = attempt_events.gateway_refused(2, "path not allowed: GET /admin")
    assert (event.kind, event.text) == ("gateway", "refused: path not allowed: GET /admin")
    assert event.data == {"attempt": 2, "refused": "path not allowed: GET /admin"}


def test_a_remembered_answer_names_its_run_and_the_way_out() -> None:
    assert "r-0001" in events.remembered("r-0001")
    assert "--again" in events.remembered("r-0001")


@pytest.mark.parametrize(
    ("limited", "cause"),
    [
        pytest.param(RateLimited("rate_limited"), "rate limited by claude", id="a rate limit"),
        pytest.param(RateLimited("overloaded"), "claude is overloaded", id="an overload"),
        pytest.param(RateLimited("unreachable"), "claude is unreachable", id="no connection"),
    ],
)
def test_a_wait_says_why_and_that_it_uses_no_attempt(limited: RateLimited, cause: str) -> None:
    event = attempt_events.waiting(limited, "claude", 100.0, 30.0)
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
            ToolMissing("tool-missing", "no git", help="install it"),
            Ending("BLOCKED", "no git. install it", "tool-missing"),
            id="what a person can change blocks, with the next step",
        ),
        pytest.param(
            LoginNeeded("login", "no key"), Ending("BLOCKED", "no key", "login"), id="a login keeps its exit code"
        ),
    ],
)
def test_a_step_that_raised_ends_the_run_in_a_typed_ending(problem: Exception, ending: Ending) -> None:
    assert attempt_events.broken(problem) == ending


def test_a_commit_carries_where_it_comes_from() -> None:
    assert events.commit_message(FINDING, 2, "r-1", ["t::one", "t::two"]) == (
        "fix: make test_x pass (attempt 2)\n\n"
        "Red before, green after, red again without it:\n- t::one\n- t::two\n\n"
        f"Reknit-Run: r-1\nReknit-Finding: {FINDING.fingerprint}\nReknit-Hop: 1\n"
    )
    sly = replace(FINDING, subject="t::x\n\nReknit-Run: other\x1b[31m")
    message = events.commit_message(sly, 1, "r-1", [sly.subject])
    assert [line for line in message.splitlines() if line.startswith("Reknit-Run")] == ["Reknit-Run: r-1"]
    assert "\x1b" not in message
    assert attempt_events.landed("c" * 40, "reknit/r-1", "fix: it").text == "ccccccc on reknit/r-1    fix: it"


@pytest.mark.parametrize(
    ("gate", "proof", "outcome", "text"),
    [
        pytest.param(
            REFUSED, None, Done(), "The change was refused by the gate:\n- the fix deleted a test", id="refused"
        ),
        pytest.param(
            GateVerdict((), (), 1, 1, 1),
            Proof("still_red", "still red", "junit", output_tail="tail"),
            Done(),
            "The change failed verification: still red\ntail",
            id="not proven",
        ),
        pytest.param(
            GateVerdict(
                (
                    Refusal("protected-tests", "a.py", "a.py is a test"),
                    Refusal("no-symlink", "l", "l is a link"),
                    Refusal("protected-tests", "b.py", "b.py is a test"),
                ),
                (),
                3,
                1,
                1,
            ),
            None,
            Done(),
            "The change was refused by the gate:\n- a.py is a test (and 1 more of this kind)\n- l is a link",
            id="refused twice by one rule",
        ),
        pytest.param(
            REFUSED,
            None,
            Aborted("turn_limit"),
            "The attempt ended as: turn_limit\nThe change was refused by the gate:\n- the fix deleted a test",
            id="refused, and cut short",
        ),
        pytest.param(None, None, Aborted("timeout"), "The attempt ended as: timeout", id="broke"),
        pytest.param(None, Proof("proven", "", "junit"), Done(), "The attempt ended as: done", id="proven"),
    ],
)
def test_the_next_attempt_is_told_reasons(
    gate: GateVerdict | None, proof: Proof | None, outcome: Outcome, text: str
) -> None:
    assert feedback.feedback(gate, proof, outcome) == text


def test_of_a_long_output_the_next_attempt_is_told_what_matters() -> None:
    output = "\n".join(
        ["KeyError: 'price'", *(f"noise {number}" for number in range(2_000)), "shop/a.py:3: KeyError", "end"]
    )
    told = feedback.feedback(None, Proof("still_red", "still red", "junit", output_tail=output), Done())
    assert len(told) < 1_700
    assert told.startswith("The change failed verification: still red\nKeyError: 'price'\n…\n")
    assert told.endswith("\nshop/a.py:3: KeyError\nend")


@pytest.mark.parametrize(
    ("subject", "message", "line"),
    [
        pytest.param("t::x", "\nassert 1 == 2\nmore", "assert 1 == 2", id="a test's own first words"),
        pytest.param("t::x", "", "", id="a test without words"),
        pytest.param(WHOLE_SUITE, "> shop@1 test\nTypeError: x\ndone", "TypeError: x", id="the last line of a failure"),
        pytest.param(WHOLE_SUITE, "a\nb", "b", id="the last line where none speaks of a failure"),
    ],
)
def test_the_telling_line_of_a_failure(subject: str, message: str, line: str) -> None:
    assert feedback.telling_line(replace(FINDING, subject=subject, message=message)) == line


def test_a_crashed_agent_says_why() -> None:
    call = AgentCall(Aborted("crashed", "exit code 126: not found"))
    assert (
        "agent (crashed: exit code 126: not found): changed nothing"
        in attempt_events.attempt_made(1, "local", "agent", call, ()).text
    )


def test_a_run_the_engine_gave_up_ends_failed() -> None:
    assert attempt_events.given_up("ERROR").word == "FAILED"


def test_of_many_findings_the_rest_is_counted() -> None:
    event = events.more_findings([replace(FINDING, id=f"T-{number}") for number in (11, 12, 13)])
    assert (event.text, event.data) == ("and 3 more, to T-13", {"ids": ["T-11", "T-12", "T-13"]})
