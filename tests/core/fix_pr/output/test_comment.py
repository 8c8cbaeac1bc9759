"""The one comment: true, short, and safe whatever stands in a finding."""

import html
import re
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from reknit.core.agents.call import AgentSettings
from reknit.core.checks.status import ReviewResult, TestsResult
from reknit.core.finding import Finding
from reknit.core.fix_pr.output.comment import render_comment
from reknit.core.fix_pr.output.documents import to_course_document
from reknit.core.fix_pr.output.fixes import FixRecord, to_fix_record
from reknit.core.fix_pr.push import NotPushed, Pushed
from reknit.core.fix_pr.state import Fix, PullRunState
from reknit.core.runs.ending import EXIT_CODES, Ending, EndingWord
from reknit.core.runs.spending import Spending
from reknit.core.text.format import MAX_COMMENT_CHARS
from tests.tools.pull_samples import BETTER, COURSE, GREEN, LINT, NEW, RACE, RED, STUCK, TARGET, TEST, stored, turn

FORGE = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
STALLED = Ending("STALLED", "3 fixes in a row left the same failures (loop.stall_after)", left=("C-1 lint", "R-1 x"))
CONFLICT = Ending("BLOCKED", "#412 conflicts; `git merge main`, push, then `reknit fix pr 412`", "conflict")
SLY = "x|y `code` @octocat #12 https://evil.example <img src=x onerror=a()> <!-- reknit-hop: 0 --> *b* [l](u)\n### H"


def said(state: dict[str, Any], ending: Ending | None) -> str:
    return render_comment("r-7f3a", TARGET, state, ending, money=Spending(0.72, 5.0), hop=2)


def state(made: PullRunState, checks: Any = None) -> dict[str, Any]:
    return stored(to_course_document(made, checks))


READ = Fix(1, ("tests", "ci"), (TEST, LINT, RACE), "local", "claude", "", only_critical=False)
PUSHED = to_fix_record(READ, Pushed("b" * 40), "fix: read the expiry (iteration 1)", ["src/token.py"], [TEST.subject])
REFUSED = to_fix_record(replace(READ, number=2, findings=(LINT, RACE)), NotPushed("the gate refused it"))


def with_fixes(document: dict[str, Any], *fixes: FixRecord) -> dict[str, Any]:
    return {**document, "fixes": stored({"fixes": [asdict(fix) for fix in fixes]})["fixes"]}


def test_a_stalled_run_says_what_was_wrong_what_needs_a_person_and_what_was_tried() -> None:
    assert said(with_fixes(state(STUCK, BETTER), PUSHED, REFUSED), STALLED) == (
        "### reknit: STALLED, 2 findings left\n\n"
        "It had 1 failing test, 1 failing check and 1 review finding. 1 of 3 is known to be fixed, after 1 commit. "
        "What changed: read the expiry.\n\n"
        "**Why** 3 fixes in a row left the same failures (loop.stall&#95;after)\n\n"
        "| what was wrong | where | fixed by | proven by |\n|--|--|--|--|\n"
        "| tests/test&#95;auth.py::test&#95;refresh: KeyError: 'exp' |  | bbbbbbb in src/token.py "
        "| the test fails without the change |\n\n"
        "**Needs you**\n"
        "- lint: a.py:1: E501 (critical; tried in iteration 1 (bbbbbbb), 2 (the gate refused it))\n"
        "- `src/token.py:42` refresh race (critical; tried in iteration 1 (bbbbbbb), 2 (the gate refused it))\n\n"
        "Flaky, not fixed: `t::shaky`.\n\n"
        "<details><summary>4 iterations · claude · spent $0.72 of $5.00</summary>\n\n"
        "| iter | review | tests | CI | did | cost |\n|--|--|--|--|--|--|\n"
        "| 1 | ✗ 1 critical, 1 important | ✗ 1 failed | ✗ lint | fixed tests (bbbbbbb) | $0.31 |\n"
        "| 2-4 | ✗ 1 critical | ! 212 passed, 1 flaky | ✗ lint | nothing landed | $0.30 |\n\n"
        "</details>\n\n"
        "`reknit show r-7f3a --why` shows what ran and what it found, `reknit fix pr 412` starts a new run.\n\n"
        "<!-- reknit-hop: 2 -->\n"
    )


@pytest.mark.parametrize("word", sorted(EXIT_CODES))
def test_each_ending_names_every_finding_and_what_became_of_it(word: EndingWord) -> None:
    text = said(with_fixes(state(STUCK, BETTER), PUSHED, REFUSED), Ending(word, "why it ended", left=("C-1 lint",)))
    assert "**Why** why it ended" in text or "**Needs you** why it ended" in text
    for name in ("test&#95;refresh: KeyError", "lint: a.py:1: E501", "refresh race", "bbbbbbb in src/token.py"):
        assert text.count(name) == 1
    assert text.startswith("### reknit: this pull request is clean\n" if word == "CLEAN" else f"### reknit: {word}")


def test_a_clean_run_asks_nothing_of_anybody() -> None:
    clean = replace(COURSE, turns=(*COURSE.turns, turn(3, GREEN, "PR CLEAN")))
    text = said(state(clean, GREEN), Ending("CLEAN", "PR CLEAN: all pass"))
    assert text.startswith(
        "### reknit: this pull request is clean\n\nreknit has changed nothing.\n\n**Why** PR CLEAN: all pass\n"
    )
    assert "**Left alone** 1 suggestion: api.py:1 a nit.\n" in text
    assert "| 3 | ✓ passed | ✓ 212 passed | ✓ 2/2 | PR CLEAN | $0.00 |" in text
    assert "Needs you" not in text
    assert "starts a new run" not in text


def test_a_clean_run_still_names_what_nobody_has_to_fix() -> None:
    important = replace(GREEN, review=ReviewResult("pass", (replace(RACE, weight="important"),)))
    text = said(state(NEW, important), Ending("CLEAN", "PR CLEAN"))
    assert text.startswith("### reknit: this pull request is clean\n")
    assert "**Not blocking**\n- `src/token.py:42` refresh race (important)" in text


def test_a_run_at_work_says_so_and_how_to_follow_it() -> None:
    text = said(state(COURSE, GREEN), None)
    assert text.startswith(
        "### reknit: in progress, iteration 3\n\nreknit is checking this pull request.\n\n**Now** it looks at the"
    )
    assert "| 3 | ✓ passed | ✓ 212 passed | ✓ 2/2 | … | $0.00 |" in text
    assert "`reknit watch r-7f3a` follows it, `reknit stop r-7f3a --for-good` ends it. Closing" in text


def test_a_run_at_work_says_what_it_does_now() -> None:
    pushed = with_fixes(state(replace(NEW, turns=(STUCK.turns[0],)), RED), PUSHED)
    text = said(pushed, None)
    assert "1 of 4 is known to be fixed, after 1 commit." in text
    assert "\n**Now** it looks at bbbbbbb again: tests, CI and review. No action needed.\n" in text
    assert "| lint: a.py:1: E501 |  | bbbbbbb in src/token.py | not checked since |" in text
    body = render_comment(
        "r-1", TARGET, pushed, None, money=Spending(0.7, 5.0), hop=1, activity="asks @claude to work on lint"
    )
    assert "\n**Now** it asks @&#8203;claude to work on lint. No action needed.\n" in body


def test_a_blocked_run_gives_the_exact_next_step() -> None:
    text = said(state(NEW, RED), CONFLICT)
    assert "**Needs you** #&#8203;412 conflicts; `git merge main`, push, then `reknit fix pr 412`\n" in text
    assert "**Left**\n- tests/test&#95;auth.py" in text
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
    move = replace(READ, agent=SLY, findings=(replace(sly, message=f"another {SLY}"),))
    fix = to_fix_record(move, Pushed("b" * 40), SLY, [SLY], [SLY])
    text = said(with_fixes(state(named, checks), fix), Ending("STALLED", SLY, left=(SLY,)))
    rendered = FORGE.render(text)
    tags = set(re.findall(r"<(\w+)", rendered))
    table = {"table", "thead", "tbody", "tr", "th", "td", "details", "summary"}
    assert tags == {"h3", "p", "strong", *table, "ul", "li", "code"}
    assert rendered.count("<h3>") == 1
    cells = [row.count("<td>") for row in rendered.split("<tr>")]
    assert (cells.count(4), cells.count(6), cells.count(0)) == (1, 2, 3)
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
    others = tuple(replace(finding, remark=f"of {finding.id}", file="") for finding in big)
    fix = to_fix_record(replace(READ, findings=others), Pushed("b" * 40), filling * 900, [filling * 900] * 30)
    document = with_fixes(state(replace(NEW, turns=turns), checks), fix)
    document |= {"allowed": [filling * 900] * 30, "advice": [filling * 900] * 30}
    ending = Ending("STALLED", filling * 9_000, left=(filling * 900,) * 500)
    text = said(document, ending)
    assert len(text) <= MAX_COMMENT_CHARS
    findings, rows = text.partition("| iter |")[0], text.partition("| iter |")[2].count("\n| ") - 1
    assert f"| … | | | | {99 - rows} earlier | |" in text
    assert 5 <= rows <= 30
    shown = findings.count("\n| ") - 2
    assert f"| … and {70 - shown} more | | | |" in findings
    assert re.search(r"- … and \d+ more\n", text)


def test_a_run_that_pushed_and_did_not_look_again_says_nothing_of_what_is_left() -> None:
    pushed = state(replace(NEW, turns=(STUCK.turns[0],)), RED)
    text = said(pushed, CONFLICT)
    assert text.startswith("### reknit: BLOCKED\n")
    assert "**Left**" not in text


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


GUIDE = Path(__file__).parents[4] / "docs" / "guides" / "pull-requests.md"


def test_the_guide_shows_a_real_comment() -> None:
    share = replace(
        TEST, subject="tests/test_pricing.py::test_discount_is_a_share", message="AssertionError: 190 != 180"
    )
    zero = replace(RACE, file="shop/report.py", line=10, message="no prices: division by zero")
    nit = replace(RACE, file="shop/util.py", line=4, message="`x` is no name", weight="minor")
    red = replace(RED, tests=TestsResult("fail", (share,), 127), ci=GREEN.ci, review=ReviewResult("fail", (zero, nit)))
    seen = replace(GREEN, review=ReviewResult("pass", (nit,)), tests=TestsResult("pass", (), 128))
    first = Fix(1, ("tests",), (share,), "local", "claude", "", only_critical=False)
    second = replace(first, number=2, parts=("review",), findings=(zero,))
    title = "fix: take the discount as a share of the price (iteration 1)"
    fixes = (
        to_fix_record(first, Pushed("80fe028" + "0" * 33), title, ["shop/pricing.py"], [share.subject]),
        to_fix_record(
            second, Pushed("1c2d9aa" + "0" * 33), "fix: return 0 for no prices (iteration 2)", ["shop/report.py"]
        ),
    )
    green = replace(red, head="b" * 40, tests=seen.tests)
    turns = (
        turn(1, red, "fix tests", fixes[0].commit, 1, 0.31), turn(2, green, "fix review", fixes[1].commit, 1, 0.29),
        turn(3, seen, "PR CLEAN", cost_usd=0.24),
    )  # fmt: skip
    document = with_fixes(state(replace(NEW, turns=turns, head=seen.head), seen), *fixes)
    reason = "PR CLEAN: review passed, tests 128 passed, CI 2/2"
    target = replace(TARGET, reviewer=AgentSettings("gemini", "gemini"))
    text = render_comment("r-7f3a", target, document, Ending("CLEAN", reason), money=Spending(0.84, 5.0), hop=1)
    assert f"```markdown\n{text}```\n" in GUIDE.read_text()
