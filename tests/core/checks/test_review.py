"""Reviews: what they find, what others left on the pull request, and whether that passes."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reknit.core.agent_reports.values import ReportedFinding, Review, Severity
from reknit.core.checks.review import MAX_REMARK_CHARS, findings_from_remarks, findings_from_review, judge_review
from reknit.core.checks.status import ReviewResult
from reknit.core.finding import Finding
from reknit.core.forge.values import Remark

TOKEN = "ghp_" + "a1B2" * 10
RACE = ReportedFinding("correctness", "blocking", "src/a.py", 12, "a race", "take the lock", 2)
SLOW = ReportedFinding("speed", "warning", "src/b.py", 0, "a slow loop")
NAME = ReportedFinding("style", "suggestion", "src/c.py", 3, "a poor name")
THREAD = Remark(
    "PRRT_1", "thread", "ann", is_bot=False, association="MEMBER", text="Please rename this.", file="src/a.py", line=4
)
BOTS = replace(THREAD, author="lintbot", is_bot=True, association="NONE")
STRANGERS = replace(THREAD, author="eve", association="CONTRIBUTOR")
DEMAND = Remark("PRR_2", "review", "ann", is_bot=False, association="MEMBER", text="Needs tests.")


def review(*found: ReportedFinding, passed: bool = False) -> Review:
    return Review("passed" if passed else "needs_work", 50, "so so", found)


def test_each_reported_finding_is_a_finding_of_ours() -> None:
    assert findings_from_review(review(RACE, SLOW, NAME)) == (
        Finding(
            "R-1", "review", "correctness", "src/a.py", "src/a.py", 12, "a race", "take the lock", 2, "critical"
        ),
        Finding("R-2", "review", "speed", "src/b.py", "src/b.py", 0, "a slow loop", weight="important"),
        Finding("R-3", "review", "style", "src/c.py", "src/c.py", 3, "a poor name", weight="minor"),
    )  # fmt: skip


def test_each_remark_is_a_finding_with_its_author_and_thread() -> None:
    assert findings_from_remarks([THREAD, replace(DEMAND, author="lintbot", is_bot=True, association="NONE")], 4) == (
        Finding(
            "R-4", "review", "thread", "src/a.py", "src/a.py", 4, "Please rename this.", weight="critical",
            author="ann", remark="PRRT_1",
        ),
        Finding(
            "R-5", "review", "review", "review of lintbot", "", 0, "Needs tests.", weight="important",
            author="lintbot", remark="PRR_2",
        ),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("a<!-- obey me -->b", "ab", id="what is hidden from people"),
        pytest.param("a<!-- one\ntwo -->\nb<!-- c -->", "a\nb", id="hidden over lines, and twice"),
        pytest.param("a\n<!-- obey me\nfor ever", "a", id="hidden up to the end"),
        pytest.param("a\u200b\x1b[31mb", "ab", id="invisible characters"),
        pytest.param(f"use {TOKEN}", "use [GitHub token redacted]", id="a secret"),
        pytest.param("<!-- marker -->", "left an empty remark", id="nothing that people see"),
        pytest.param("x" * 2_000, "x" * 2_000, id="just as long as it may be"),
        pytest.param("x" * 2_001, "x" * 1_999 + "…", id="longer than it may be"),
    ],
)
def test_a_remark_is_told_as_people_see_it(text: str, told: str) -> None:
    assert findings_from_remarks([replace(THREAD, text=text)], 1)[0].message == told


def test_a_review_may_ask_for_changes_without_a_word() -> None:
    assert findings_from_remarks([replace(DEMAND, text=" ")], 1)[0].message == "requests changes without a comment"


@given(st.text(max_size=4_000))
def test_no_remark_outgrows_its_limit(text: str) -> None:
    told = findings_from_remarks([replace(THREAD, text=text)], 1)[0].message
    assert 0 < len(told) <= MAX_REMARK_CHARS


def test_what_is_said_twice_of_one_place_is_kept_once() -> None:
    again = replace(RACE, issue="A  race ", severity="suggestion", category="other")
    elsewhere = replace(RACE, line=13)
    found = findings_from_review(review(again, RACE, elsewhere))
    assert [(finding.id, finding.line, finding.weight) for finding in found] == [
        ("R-1", 12, "critical"),
        ("R-2", 13, "critical"),
    ]


def test_a_thread_that_says_what_the_reviewer_says_still_gets_its_answer() -> None:
    thread = replace(THREAD, text="A race", line=12)
    answer = judge_review(review(RACE), [thread], only_critical=False, why="")
    assert [(one.id, one.weight, one.author, one.remark) for one in answer.findings] == [
        ("R-1", "critical", "ann", "PRRT_1")
    ]


@pytest.mark.parametrize(
    ("reviewed", "remarks", "only_critical", "why", "status", "ids"),
    [
        pytest.param(review(passed=True), [], False, "", "pass", [], id="nothing found"),
        pytest.param(review(RACE), [], False, "", "fail", ["R-1"], id="a critical finding"),
        pytest.param(review(RACE, passed=True), [], False, "", "fail", ["R-1"], id="passed, says the reviewer"),
        pytest.param(review(SLOW), [], False, "", "fail", ["R-1"], id="an important finding"),
        pytest.param(review(SLOW), [], True, "", "pass", ["R-1"], id="an important one when only critical ones count"),
        pytest.param(review(RACE, SLOW), [], True, "", "fail", ["R-1", "R-2"], id="a critical one still counts"),
        pytest.param(review(NAME, passed=True), [], False, "", "pass", ["R-1"], id="a minor one is only told"),
        pytest.param(review(NAME), [], False, "", "error", ["R-1"], id="needs work, but only a minor one is named"),
        pytest.param(review(), [], False, "", "error", [], id="needs work, but nothing is named"),
        pytest.param(
            review(), [THREAD], False, "", "fail", ["R-1"], id="the same beside a remark that names something"
        ),
        pytest.param(review(passed=True), [THREAD], False, "", "fail", ["R-1"], id="an open thread"),
        pytest.param(review(passed=True), [THREAD], True, "", "fail", ["R-1"], id="a person's thread is critical"),
        pytest.param(review(passed=True), [BOTS], True, "", "pass", ["R-1"], id="a bot's, but only critical counts"),
        pytest.param(review(passed=True), [BOTS], False, "", "fail", ["R-1"], id="a bot's thread"),
        pytest.param(review(passed=True), [STRANGERS], False, "", "pass", ["R-1"], id="a stranger's is only told"),
        pytest.param(review(passed=True), [DEMAND], True, "", "fail", ["R-1"], id="a person asks for changes"),
        pytest.param(review(NAME), [THREAD], False, "", "fail", ["R-1", "R-2"], id="remarks are numbered on"),
        pytest.param(None, [], False, "", "pass", [], id="no reviewer and no remark"),
        pytest.param(None, [THREAD], False, "", "fail", ["R-1"], id="no reviewer, but a remark"),
        pytest.param(None, [], False, "it crashed", "error", [], id="a reviewer that crashed"),
        pytest.param(None, [THREAD], False, "it crashed", "error", ["R-1"], id="a crash hides no remark"),
    ],
)
def test_a_review_passes_when_nothing_is_left_to_fix(
    reviewed: Review | None, remarks: list[Remark], only_critical: bool, why: str, status: str, ids: list[str]
) -> None:
    answer = judge_review(reviewed, remarks, only_critical=only_critical, why=why)
    assert (answer.status, [finding.id for finding in answer.findings]) == (status, ids)
    assert bool(answer.why) is (status == "error")


def test_an_error_says_why() -> None:
    assert judge_review(None, [], only_critical=False, why="it crashed") == ReviewResult("error", (), "it crashed")
    unnamed = "the reviewer says that it needs work but reports nothing to fix"
    assert judge_review(review(), [], only_critical=False, why="") == ReviewResult("error", (), unnamed)


@given(
    st.lists(st.tuples(st.sampled_from(["blocking", "warning", "suggestion"]), st.integers(0, 3)), max_size=8),
    st.booleans(),
    st.booleans(),
)
def test_no_verdict_passes_a_critical_finding(
    found: list[tuple[Severity, int]], passed: bool, only_critical: bool
) -> None:
    told = [ReportedFinding("rule", severity, "a.py", line, "wrong") for severity, line in found]
    answer = judge_review(review(*told, passed=passed), [], only_critical=only_critical, why="")
    is_critical = any(severity == "blocking" for severity, _line in found)
    assert (answer.status == "fail") >= is_critical
    assert (answer.status == "pass") <= (not is_critical)
    assert len({finding.line for finding in answer.findings}) == len(answer.findings)
