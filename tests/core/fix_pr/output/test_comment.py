"""The one comment and the check run: true, short, and safe whatever stands in a finding."""

import html
import re
from dataclasses import replace
from typing import Any

import pytest
from markdown_it import MarkdownIt

from reknit.core.checks.status import ReviewResult, TestsResult
from reknit.core.finding import Finding
from reknit.core.fix_pr.output.comment import (
    CONCLUSIONS,
    mark_superseded,
    render_check_report,
    render_comment,
)
from reknit.core.fix_pr.output.documents import to_course_document
from reknit.core.fix_pr.state import PullRunState
from reknit.core.forge.values import Annotation, CheckReport
from reknit.core.runs.ending import EXIT_CODES, Ending, EndingWord
from reknit.core.runs.spending import Spending
from reknit.core.text.format import MAX_COMMENT_CHARS
from tests.tools.pull_samples import BETTER, COURSE, GREEN, NEW, RACE, RED, STUCK, TARGET, stored, turn

FORGE = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
STALLED = Ending("STALLED", "3 fixes in a row left the same failures (loop.stall_after)", left=("C-1 lint", "R-1 x"))
CONFLICT = Ending("BLOCKED", "#412 conflicts; `git merge main`, push, then `reknit fix pr 412`", "conflict")
SLY = "x|y `code` @octocat #12 https://evil.example <img src=x onerror=a()> <!-- reknit-hop: 0 --> *b* [l](u)\n### H"


def said(state: dict[str, Any], ending: Ending | None) -> str:
    return render_comment("r-7f3a", TARGET, state, ending, money=Spending(0.72, 5.0), hop=2)


def checked(state: dict[str, Any], ending: Ending | None) -> CheckReport:
    return render_check_report("r-7f3a", TARGET, state, ending, money=Spending(0.72, 5.0))


def state(made: PullRunState, checks: Any = None) -> dict[str, Any]:
    return stored(to_course_document(made, checks))


def test_a_stalled_run_says_what_needs_a_person_and_what_it_cost() -> None:
    assert said(state(STUCK, BETTER), STALLED) == (
        "### reknit: STALLED, 2 findings left\n\n"
        "**Why** 3 fixes in a row left the same failures (loop.stall&#95;after)\n\n"
        "| iter | review | tests | CI | did | cost |\n|--|--|--|--|--|--|\n"
        "| 1 | ✗ 1 critical, 1 important | ✗ 1 failed | ✗ lint | fixed tests (bbbbbbb) | $0.31 |\n"
        "| 2-4 | ✗ 1 critical | ! 212 passed, 1 flaky | ✗ lint | nothing landed | $0.30 |\n\n"
        "**Needs you**\n"
        "- C-1 lint: a.py:1: E501 (critical)\n"
        "- R-1 `src/token.py:42` refresh race (critical)\n\n"
        "Pushed: bbbbbbb.\n\n"
        "Flaky, not fixed: `t::shaky`.\n\n"
        "Spent $0.72 of $5.00. `reknit show r-7f3a --why` shows what ran and what it found, "
        "`reknit fix pr 412` starts a new run.\n\n"
        "<!-- reknit-hop: 2 -->\n"
    )


def test_a_clean_run_asks_nothing_of_anybody() -> None:
    clean = replace(COURSE, turns=(*COURSE.turns, turn(3, GREEN, "PR CLEAN")))
    text = said(state(clean, GREEN), Ending("CLEAN", "PR CLEAN: all pass"))
    assert text.startswith("### reknit: CLEAN\n\n**Why** PR CLEAN: all pass\n")
    assert "| 3 | ✓ passed | ✓ 212 passed | ✓ 2/2 | PR CLEAN | $0.00 |" in text
    assert "Needs you" not in text
    assert "starts a new run" not in text


def test_a_clean_run_still_names_what_nobody_has_to_fix() -> None:
    important = replace(GREEN, review=ReviewResult("pass", (replace(RACE, weight="important"),)))
    text = said(state(NEW, important), Ending("CLEAN", "PR CLEAN"))
    assert text.startswith("### reknit: CLEAN\n")
    assert "**Not blocking**\n- R-1 `src/token.py:42` refresh race (important)" in text


def test_a_run_at_work_says_so_and_how_to_follow_it() -> None:
    text = said(state(COURSE, GREEN), None)
    assert text.startswith("### reknit: in progress, iteration 3\n\nNo action needed.")
    assert "| 3 | ✓ passed | ✓ 212 passed | ✓ 2/2 | … | $0.00 |" in text
    assert "`reknit watch r-7f3a` follows it, `reknit stop r-7f3a --for-good` ends it." in text


def test_a_blocked_run_gives_the_exact_next_step() -> None:
    text = said(state(NEW, RED), CONFLICT)
    assert "**Needs you** #&#8203;412 conflicts; `git merge main`, push, then `reknit fix pr 412`\n" in text
    assert "**Left**\n- T-1 tests/test&#95;auth.py" in text
    assert "starts a new run" not in text


def test_a_run_that_saw_nothing_has_no_table() -> None:
    text = said({}, CONFLICT)
    assert text.startswith("### reknit: BLOCKED\n")
    assert "|" not in text


def test_findings_that_only_the_ending_knows_are_named() -> None:
    text = said({}, Ending("EXHAUSTED", "10 iterations", left=("T-1 @octocat",)))
    assert text.startswith("### reknit: EXHAUSTED, 1 finding left\n")
    assert "**Needs you**\n- T-1 @&#8203;octocat\n" in text


def test_no_word_of_others_gets_out_of_its_place() -> None:
    sly = Finding(SLY, "review", SLY, SLY, SLY, 3, SLY, SLY, author=SLY)
    checks = replace(RED, review=ReviewResult("fail", (sly,)), tests=TestsResult("fail", (sly,), flaky=(SLY,) * 5))
    named = replace(NEW, turns=(turn(1, checks, SLY), replace(turn(2, RED, "did"), summaries=(SLY, SLY, SLY))))
    text = said(state(named, checks), Ending("STALLED", SLY, left=(SLY,)))
    rendered = FORGE.render(text)
    tags = set(re.findall(r"<(\w+)", rendered))
    assert tags == {"h3", "p", "strong", "table", "thead", "tbody", "tr", "th", "td", "ul", "li", "code"}
    assert rendered.count("<h3>") == 1
    assert [row.count("<td>") for row in rendered.split("<tr>")[2:]] == [6, 6]
    assert re.findall(r"<!--.*?-->", rendered) == ["<!-- reknit-hop: 2 -->"]
    assert re.findall(r"<!--.*?-->", text) == ["<!-- reknit-hop: 2 -->"]
    outside = html.unescape(re.sub(r"<code>.*?</code>", "", rendered))
    assert not re.search(r"@\w|#\d|://|www\.", outside)


def test_secrets_are_not_told() -> None:
    token = "ghp_" + "a" * 36
    leaking = replace(RACE, message=f"the key {token}", file=f"{token}.py")
    text = said(state(NEW, replace(GREEN, review=ReviewResult("fail", (leaking,)))), Ending("STALLED", f"x {token}"))
    assert token not in text
    assert "[GitHub token redacted]" in html.unescape(text)


@pytest.mark.parametrize("filling", ["x", "@", "|"], ids=["plain", "calls", "pipes"])
def test_a_comment_is_never_too_long_for_the_forge(filling: str) -> None:
    big = tuple(
        replace(RACE, id=f"R-{n}", file=filling * 900, message=filling * 900, author="@" * 99) for n in range(70)
    )
    checks = replace(
        GREEN, review=ReviewResult("fail", big), tests=TestsResult("fail", big, flaky=(filling * 999,) * 9)
    )
    turns = tuple(
        turn(number, checks, f"{number}{filling * 900}", "b" * 40 if number < 99 else "") for number in range(1, 100)
    )
    document = state(replace(NEW, turns=turns), checks)
    ending = Ending("STALLED", filling * 9_000, left=(filling * 900,) * 500)
    text = said(document, ending)
    assert len(text) <= MAX_COMMENT_CHARS
    rows = text.count("\n| ") - 2
    assert f"| … | | | | {99 - rows} earlier | |" in text
    assert 10 <= rows <= 30
    assert f"- … and {140 - text.count('- R-')} more\n" in text
    assert len(checked(document, ending).summary) <= MAX_COMMENT_CHARS


@pytest.mark.parametrize("word", sorted(EXIT_CODES))
def test_every_ending_has_a_conclusion_and_none_passes_that_is_not_clean(word: EndingWord) -> None:
    report = checked({}, Ending(word, "why"))
    assert report.conclusion == CONCLUSIONS[word]
    assert (report.conclusion == "success") == (word in ("CLEAN", "FIXED"))


@pytest.mark.parametrize(
    ("made", "ending", "conclusion", "title"),
    [
        pytest.param(RED, None, "", "in progress, iteration 1", id="in progress"),
        pytest.param(GREEN, Ending("CLEAN", ""), "success", "PR CLEAN", id="clean"),
        pytest.param(None, Ending("FIXED", ""), "success", "fixed", id="fixed"),
        pytest.param(RED, STALLED, "failure", "3 critical, 1 important left", id="work is left"),
        pytest.param(None, Ending("CHURN", ""), "failure", "CHURN", id="nothing left to count"),
        pytest.param(
            RED, Ending("FAILED", ""), "failure", "internal error in reknit, not in your code", id="a bug of ours"
        ),
        pytest.param(BETTER, CONFLICT, "action_required", "needs you, 2 critical left", id="blocked"),
        pytest.param(GREEN, Ending("UNVERIFIED", ""), "action_required", "some checks gave no result", id="not seen"),
        pytest.param(None, Ending("CANCELLED", ""), "cancelled", "cancelled", id="cancelled"),
    ],
)
def test_a_check_run_says_the_truth_in_its_title(made: Any, ending: Ending | None, conclusion: str, title: str) -> None:
    report = checked(state(NEW, made), ending)
    assert (report.name, report.key) == ("reknit", "pr-412")
    assert (report.conclusion, report.title) == (conclusion, title)


def test_a_run_that_pushed_and_did_not_look_again_says_nothing_of_what_is_left() -> None:
    pushed = state(replace(NEW, turns=(STUCK.turns[0],)), RED)
    text = said(pushed, CONFLICT)
    assert text.startswith("### reknit: BLOCKED\n")
    assert "**Left**" not in text
    assert checked(pushed, CONFLICT).title == "needs you"


def test_annotations_are_of_what_is_critical_at_a_place_when_the_run_is_over() -> None:
    assert checked(state(NEW, RED), STALLED).annotations == (
        Annotation("src/token.py", 42, "R-1 critical", "refresh race"),
    )
    assert checked(state(NEW, RED), None).annotations == ()


def test_what_was_said_of_an_older_commit_does_not_stay_open() -> None:
    report = render_check_report("r-1", TARGET, {}, None, money=Spending(0.0, 5.0))
    old = mark_superseded(report, "c" * 40)
    assert (old.key, old.conclusion, old.title) == (report.key, "cancelled", "superseded by cccccccccccc")


def test_what_a_person_allowed_is_named() -> None:
    seen = {**state(COURSE), "allowed": ["protected-config:uv.lock allowed by a person (--allow)"]}
    text = said(seen, None)
    assert "**Allowed by a person, although a rule of the gate refuses it**\n- " in text
    assert "uv.lock allowed by a person" in text.replace("\\", "")
    assert "Suspected by the gate" not in text
    many = said({**seen, "allowed": [f"too-much:{number} allowed by a person" for number in range(23)]}, None)
    assert (many.count("allowed by a person"), "\n- and 3 more\n" in many) == (20, True)


def test_what_is_only_suspected_is_named() -> None:
    text = said({**state(COURSE), "advice": ["[suppression-added] a.py now hides an error"]}, None)
    assert "**Suspected by the gate, and not confirmed when the tests ran in disguise**\n- " in text
    assert "now hides an error" in text
