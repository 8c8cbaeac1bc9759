from dataclasses import replace

import pytest

from reknit.core.agent_reports.values import Review
from reknit.core.agents.call import AgentSettings
from reknit.core.fix_issues import run_text
from reknit.core.fix_issues.decision import Challenge, Work
from reknit.core.fix_issues.progress import BacklogProgress, ChallengeScore
from reknit.core.fix_issues.task import Batch, FixIssues
from reknit.core.gate.needed_waivers import NotAllowed
from reknit.core.issues.model import Issue, IssueSource
from reknit.core.runs.agent_rotation import AgentRotation
from reknit.core.runs.spec import RunSpec
from reknit.core.runs.view import RunView
from reknit.core.testing.command import TestCommand
from tests.tools.sample_tasks import FIX_ISSUES

GEMINI = AgentSettings("gemini", "gemini")
BATCH = Batch(1, "backend", (1, 2), 6)
TARGET = FixIssues("shop", (BATCH,), GEMINI)
ALONE = replace(TARGET, challenger=None, unchallenged="no second vendor")
SPEC = RunSpec(
    "r-1",
    "/shop",
    "a" * 40,
    FIX_ISSUES,
    TestCommand("pytest", ("pytest",), "junit"),
    (AgentSettings("claude", "claude"),),
)


def issue(number: int, path: str = "shop/a.py", rule: str = "F401") -> Issue:
    return Issue(number, "shop", "f" * 32, "OPEN", path, number, 1, rule, "unused", "important", (), "new")


ISSUES = (issue(1), issue(2, "shop/b.py", "E711"))


def test_the_opening_says_who_judges_or_that_nobody_does() -> None:
    assert run_text.report_start(SPEC, TARGET).text == "2 issue(s) in 1 batch(es), gemini challenges"
    alone = run_text.report_start(SPEC, ALONE)
    assert (alone.text, alone.data["challenger"]) == (
        "2 issue(s) in 1 batch(es), no challenger: no second vendor", None,
    )  # fmt: skip


def test_issues_that_others_have_are_named() -> None:
    assert "I-2" in run_text.report_not_claimed(TARGET, [1]).text


def test_what_a_call_is_about() -> None:
    work = Work(1, "claude", BATCH, 0, 0, "")
    assert run_text.describe_work(work, ISSUES, TARGET) == "batch 1 of 1 (backend): 2 issue(s) in shop/a.py, shop/b.py"
    many = [issue(number, f"f{number}.py") for number in range(5)]
    assert run_text.describe_work(work, many, TARGET).endswith("f0.py, f1.py, f2.py …")
    assert (
        run_text.describe_work(replace(work, batch=None, round=2), ISSUES, TARGET)
        == "the challenger's objections in round 2"
    )


@pytest.mark.parametrize(("why", "end"), [("crashed\nmore", "crashed"), ("", "")])
def test_a_batch_that_gives_up_names_its_issues(why: str, end: str) -> None:
    assert run_text.report_failed_batch(BATCH, (1, 2), why).text == f"gave up on batch 1, FAILED: I-1, I-2; {end}"


def test_the_challenger() -> None:
    move = Challenge(1, 2)
    assert "round 2 of 3" in run_text.report_challenge_start(move, "gemini", TARGET).text
    low = run_text.report_score(move, "gemini", ChallengeScore("h", Review("needs_work", 82, "b.py\nis wrong")), TARGET)
    assert (low.mark, low.text) == ("bad", "gemini gave 82 of 100, needs 95; b.py is wrong")
    good = run_text.report_score(move, "gemini", ChallengeScore("h", Review("passed", 96, "")), TARGET)
    assert (good.mark, good.data["approved"], good.text) == ("ok", True, "gemini gave 96 of 100, needs 95")
    assert (
        run_text.report_score(move, "gemini", ChallengeScore("h", None, "silent"), TARGET).text
        == "gemini gave no score: silent"
    )


def test_the_commit_message_is_made_of_the_ledgers_words() -> None:
    message = run_text.write_commit_message(ISSUES, "r-1", "gemini gave 96")
    assert message.startswith("fix: address 2 issues (F401, E711)\n\n- I-1 F401 shop/a.py:1\n- I-2 E711 shop/b.py:2\n")
    assert message.endswith("\n\nGemini gave 96.\n\nReknit-Run: r-1\nReknit-Hop: 1\n")
    assert run_text.write_subject([issue(1)]) == "fix: address 1 issue (F401)"
    assert run_text.write_subject([issue(1, rule="x" * 80)]) == "fix: address 1 issue"
    assert run_text.write_subject([issue(n, rule=f"R{n}") for n in range(5)]).endswith("(R0, R1, R2 …)")
    assert "- I-1 F401 shop/a.py:1 (by ruff 1.0)\n- I-2" in run_text.write_commit_message(
        ISSUES, "r-1", "x", {1: "ruff 1.0"}
    )
    assert "- and 10 more" in run_text.write_commit_message([issue(number) for number in range(60)], "r-1", "x")


def test_tasks_of_a_plan_are_told_by_their_titles() -> None:
    source = IssueSource("plan/tidy", "tidy", "Refresh README.md")
    task = replace(issue(1), message="Refresh README.md", sources=(source,), line=0)
    message = run_text.write_commit_message([task], "r-1", "x")
    assert message.startswith("chore: Refresh README.md\n\n- I-1 Refresh README.md\n")
    several = [replace(task, message="x " * 60), task, task]
    assert run_text.write_subject(several) == f"chore: {'x ' * 32}… and 2 more"
    rework = run_text.write_commit_message([], "r-1", "gemini gave 96")
    assert rework.startswith("chore: finish the tasks of the plan\n\nGemini gave 96.\n\nReknit-Run: r-1\n")
    other = replace(issue(2), line=0)
    assert "- I-2 F401 shop/a.py\n" in run_text.write_commit_message([other], "r-1", "x")


def test_who_works_on_a_plan_is_not_sent_to_import_reports() -> None:
    ended = replace(run("FIXED", ["I-1"], []), spec={"task": {"variant": {"name": "grey"}}})
    lines = run_text.render_ending(ended, [{"commit": "abcdef0123", "judged": "x"}], 1, 0)
    assert not any("import" in line for line in lines)


def test_names_in_the_commit_do_nothing() -> None:
    message = run_text.write_commit_message([issue(1, rule="[skip ci] fixes #7", path="[ci skip] @a.py")], "r-1", "x")
    assert message.startswith(
        "fix: address 1 issue ((skip ci) fixes no. 7)\n\n- I-1 (skip ci) fixes no. 7 (ci skip) (at)a.py:"
    )


def test_what_became_of_the_issues() -> None:
    assert run_text.report_settled([1], []).text == "1 RESOLVED"
    assert run_text.report_settled([1], [2]).text == "1 RESOLVED, 1 FAILED: their files are not in the commit"
    both = run_text.report_settled([1], [2, 3], [3]).text
    assert both == "1 RESOLVED, 1 FAILED: their files are not in the commit, 1 FAILED: their tools still report them"


def run(ending: str, fixed: list[str], left: list[str]) -> RunView:
    return RunView(
        id="r-1", kind="fix issues", repository="/shop", base="a", agent="claude", state="ended", phase="", worker="",
        reason="2 of 3 issues in one commit", until=None, ending=ending, detail={"fixed": fixed, "left": left},
        commit=None, spent_usd=0.5, budget_usd=5.0, created_at=1.0, ended_at=6.0, undone_at=None, spec={},
    )  # fmt: skip


def test_the_ending_counts_issues_and_says_what_to_do_then() -> None:
    receipts = [{"commit": "abcdef0123", "judged": "gemini gave 96"}]
    assert run_text.render_ending(run("PARTIAL", ["I-1", "I-2"], ["I-3"]), receipts, 4, 0) == [
        "PARTIAL  2 of 3 issues   4 attempts, 5.0 s, $0.50 of $5.00",
        "  why     2 of 3 issues in one commit",
        "  commit  abcdef0 on reknit/r-1",
        "  then    run your tools again and import what they report: reknit issues import FILE…",
    ]


def test_what_a_person_can_still_let_in_stands_at_start_and_end() -> None:
    allow = ("--allow protected-config:uv.lock",)
    text = f"2 issues in files that only a person may allow to change: add `{allow[0]}`"
    begun = run_text.report_start(SPEC, replace(TARGET, not_allowed=NotAllowed(2, 1, allow)))
    assert begun.text == f"2 issue(s) in 1 batch(es), gemini challenges; left out: {text}"
    assert (begun.data["not_allowed"], begun.data["allow"]) == (2, [*allow])
    stored = {"not_allowed": {"issues": 2, "files": 1, "allow": [*allow]}}
    for target, lines in ((stored, [f"  left    {text}"]), ({}, [])):
        ended = replace(run("PARTIAL", ["I-1"], []), spec={"task": target})
        assert run_text.render_ending(ended, [], 1, 0)[2:] == lines


def test_a_resolved_issue_says_by_what() -> None:
    scored = ChallengeScore("h", Review("passed", 96, ""))
    progress = BacklogProgress(AgentRotation(("claude",)), "h", (1,), AgentRotation(("gemini",)), scores=(scored,))
    why = "its file is in aaaaaaaaaaaa; gemini gave 96 of 100 (needs 95) in round 1"
    assert run_text.explain_resolved("a" * 40, progress, TARGET) == why
    by_tool = run_text.explain_resolved("a" * 40, progress, TARGET, "ruff 1.0")
    assert by_tool == f"ruff 1.0 fixed it and no longer reports it; {why}"


def test_a_receipt_says_who_judged() -> None:
    receipt = {"tests": ["I-1", "I-2"], "green_after": "3 passed", "judged": "by gemini"}
    assert run_text.render_receipt(receipt) == [
        "issues       I-1, I-2",
        "tests        3 passed",
        "judged       by gemini",
    ]
    proven = {"red_before": "t was red", "red_without": "1 test(s) were red again", "checks": ["twins held: red"]}
    assert run_text.render_receipt({**receipt, **proven})[2:5] == [
        "red before   t was red",
        "red without  1 test(s) were red again",
        "checked      twins held: red",
    ]
    assert (
        run_text.render_receipt({**receipt, "tools": ["ruff 1.0 fixed I-1"]})[-1] == "tools        ruff 1.0 fixed I-1"
    )
