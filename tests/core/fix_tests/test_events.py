"""Every text a person reads while a run goes on."""

from dataclasses import replace

import pytest

from reknit.core.agent_reports.values import HeldOutCase
from reknit.core.agents.call import AgentSettings
from reknit.core.finding import Finding
from reknit.core.fix_tests import events
from reknit.core.fix_tests.baseline import Baseline
from reknit.core.fix_tests.holdout import Holdout, HoldoutWord
from reknit.core.fix_tests.task import FixTests
from reknit.core.runs import attempt_events
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.command import TestCommand
from reknit.core.testing.report import TestReport

FINDING = Finding("T-1", "tests", "test-failed", "tests/test_a.py::TestA::test_x", message="\n  first line\nsecond")
SPEC = RunSpec(
    "r-1",
    "/shop",
    "b" * 40,
    FixTests(),
    TestCommand("pytest", ("pytest",), "junit"),
    (AgentSettings("claude", "claude"),),
)
RED = Baseline("red", "junit", (FINDING,), passing_count=7, runs=3, seconds=12.0)


@pytest.mark.parametrize(
    ("named", "text"),
    [
        pytest.param((), "every red test, at most 3 attempts each, at most $5.00", id="no test was named"),
        pytest.param(("a", "b"), "2 named test(s), at most 3 attempts each, at most $5.00", id="two were named"),
    ],
)
def test_the_opening_shows_the_caps_before_anything_is_spent(named: tuple[str, ...], text: str) -> None:
    opening = events.report_start(replace(SPEC, task=replace(SPEC.task_as(FixTests), named_tests=named)))
    assert (opening.kind, opening.text, opening.data["budget_usd"]) == ("started", text, 5.0)


@pytest.mark.parametrize(
    ("baseline", "mark", "text"),
    [
        pytest.param(RED, "ok", "1 red at bbbbbbb in each of 3 runs; 7 pass  12 s", id="red"),
        pytest.param(
            replace(RED, flaky=("x",), red_elsewhere=("y", "z")),
            "ok",
            "1 red at bbbbbbb in each of 3 runs; 7 pass, 1 flaky, left out (x), 2 red, not asked for  12 s",
            id="red beside flaky and other red ones",
        ),
        pytest.param(
            replace(RED, left_out=((("a",), "no network", ""), ((), "`x` gave no result", "")), not_run=("x",)),
            "ok",
            "1 red at bbbbbbb in each of 3 runs; 7 pass, 1 red, not the code's fault, "
            "1 project(s) without a result  12 s",
            id="red beside what is left out",
        ),
        pytest.param(
            Baseline("green", "junit", passing_count=7, runs=2),
            "ok",
            "7 passed at bbbbbbb in each of 2 runs",
            id="green",
        ),
        pytest.param(Baseline("unseen", "junit", why="no report"), "bad", "not seen: no report", id="unseen"),
    ],
)
def test_the_baseline_is_told_in_one_line(baseline: Baseline, mark: str, text: str) -> None:
    event = events.report_baseline(baseline, "b" * 40)
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
    assert events.report_finding(replace(FINDING, message=message)).text == text


def test_a_remembered_answer_names_its_run_and_the_way_out() -> None:
    assert "r-0001" in events.explain_remembered("r-0001")
    assert "--again" in events.explain_remembered("r-0001")


def test_a_commit_carries_where_it_comes_from() -> None:
    assert events.render_commit_message(FINDING, 2, "r-1", ["t::one", "t::two"]) == (
        "fix: make test_x pass (attempt 2)\n\n"
        "Red before, green after, red again without it:\n- t::one\n- t::two\n\n"
        f"Reknit-Run: r-1\nReknit-Finding: {FINDING.fingerprint}\nReknit-Hop: 1\n"
    )
    of_bug = events.render_commit_message(FINDING, 2, "r-1", ["t::one"], "BUG-001")
    assert of_bug.startswith("fix(BUG-001): make test_x pass (attempt 2)\n\n")
    sly = replace(FINDING, subject="t::x\n\nReknit-Run: other\x1b[31m")
    message = events.render_commit_message(sly, 1, "r-1", [sly.subject])
    assert [line for line in message.splitlines() if line.startswith("Reknit-Run")] == ["Reknit-Run: r-1"]
    assert "\x1b" not in message
    assert attempt_events.report_landing("c" * 40, "reknit/r-1", "fix: it").text == "ccccccc on reknit/r-1    fix: it"


def test_of_many_findings_the_rest_is_counted() -> None:
    event = events.report_more_findings([replace(FINDING, id=f"T-{number}") for number in (11, 12, 13)])
    assert (event.text, event.data) == ("and 3 more, to T-13", {"ids": ["T-11", "T-12", "T-13"]})


LEFT_OUT = (("t.py::a",), "flask is not installed", "`pip install flask`")


def test_what_is_left_out_is_told_with_its_remedy() -> None:
    said = events.report_left_out(1, LEFT_OUT)
    assert said.text == "1 test, not the code's fault (t.py::a): flask is not installed; `pip install flask`"
    assert said.data == {"tests": ["t.py::a"], "why": LEFT_OUT[1], "remedy": LEFT_OUT[2]}
    blocked = events.report_baseline(Baseline("blocked", "junit", left_out=(LEFT_OUT,)), "c" * 40)
    assert blocked.text.startswith("blocked: 1 test, not the code's fault")


def test_tests_with_one_cause_are_counted_and_told_as_one() -> None:
    finding = Finding("T-1", "tests", "test-failed", "t.py::a", message="boom", also=("t.py::b",))
    seen = events.report_baseline(Baseline("red", "junit", (finding,), runs=3, left_out=(LEFT_OUT,)), "c" * 40)
    assert seen.text.startswith(
        "2 red at ccccccc in each of 3 runs; 1 likely cause, 0 pass, 1 red, not the code's fault"
    )
    assert seen.data["findings"] == [{"id": "T-1", "test": "t.py::a", "also": ["t.py::b"]}]
    two = events.report_baseline(Baseline("red", "junit", (finding, Finding("T-2", "tests", "r", "c"))), "c" * 40)
    assert "2 likely causes" in two.text
    assert events.report_finding(finding).text == "t.py::a and 1 more   boom"
    assert events.render_commit_subject(finding, 2, ["t.py::b"]) == "fix: make b pass (attempt 2)"


def test_a_finding_that_turns_out_to_be_flaky_is_named() -> None:
    event = events.report_flaky(["t.py::a", "t.py::b"])
    assert event.text == "passed when it was run again, so it is flaky and left out: t.py::a, t.py::b"
    assert event.data == {"tests": ["t.py::a", "t.py::b"]}


def test_a_slow_suite_says_how_far_it_is() -> None:
    report = TestReport("fail", "junit", {"a": "passed", "b": "failed"}, seconds=98.0)
    assert events.report_suite_run(report, alone=False).text == "the whole suite: 1 passed, 1 failed  98 s"
    unseen = TestReport("error", "junit", seconds=900.0, why="the test command took too long and was stopped")
    assert events.report_suite_run(unseen, alone=True).text == f"the red tests alone: {unseen.why}  15m00s"


@pytest.mark.parametrize(
    ("label", "alone", "said"),
    [
        pytest.param("look", True, "the finding, alone, with the change", id="look"),
        pytest.param("source", False, "the whole suite, with the change but not the tests it adds", id="source"),
        pytest.param("whole", False, "the whole suite, with the change", id="whole"),
        pytest.param("again", True, "what turned green, alone, with the change", id="again"),
        pytest.param("again", False, "the whole suite, with the change", id="again, not selectable"),
        pytest.param("without", True, "what turned green, alone, without the change", id="without"),
        pytest.param("alone-with-3", True, "what became red, alone, with the change", id="compared with"),
        pytest.param("alone-without-3", True, "what became red, alone, without the change", id="compared without"),
        pytest.param("head", False, "the whole suite, without the change", id="head"),
        pytest.param("probes-0", True, "tests of reknit beside what turned green, with the change", id="probes"),
    ],
)
def test_a_run_in_verification_for_people(label: str, alone: bool, said: str) -> None:
    assert events.describe_run(label, alone=alone) == said


def test_a_baseline_of_an_earlier_run_is_named() -> None:
    baseline = Baseline("red", "junit", (Finding("T-1", "tests", "test-failed", "t::a"),), runs=2, seen_in="r-7")
    assert "only what was red in r-7 was run" in events.report_baseline(baseline, "abcdefgh").text


@pytest.mark.parametrize(("word", "mark"), [("agreed", "note"), ("none", "note"), ("disagreed", "bad")])
def test_a_hold_out_is_told_with_its_cases(word: HoldoutWord, mark: str) -> None:
    case = HeldOutCase("t::b", "t", "def test_b(): ...", "says its docstring")
    event = events.report_holdout(2, Holdout(word, "what was seen", (case,)))
    assert (event.kind, event.mark, event.text) == ("holdout", mark, "what was seen")
    assert event.data == {"attempt": 2, "holdout": word, "sentence": "what was seen", "cases": [vars(case)]}
    begins = events.report_holdout_start(2, "codex")
    assert begins.text == "codex writes further test cases; it does not see the fix"
