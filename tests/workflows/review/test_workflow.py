"""The loop of a review on the real engine: what is fixed, in how many attempts and calls, and every way it ends."""

import os
from dataclasses import replace

import pytest

from reknit.core.review.progress_file.entries import FailedEntry, FixEntry
from reknit.core.review.task import ReviewChange
from tests.tools.pull_play import Asked, Played, play_spec
from tests.tools.review_scene import ANSWER, ARC, COR, MEAN, SEC, ReviewScene, confirms, mends, module, problem, says

STILL = "an empty tuple still divides by zero"
RED = {"replace": {module(1): ["return 42", "return 41"]}, "cost_usd": 0.1}


def fixes(played: Played) -> list[Asked]:
    return [asked for asked in played.asked if asked.name == "fix_review"]


def confirmations(played: Played) -> list[Asked]:
    return [asked for asked in played.asked if asked.name == "confirm_fix"]


def test_one_commit_and_one_entry_per_finding_and_nothing_else_is_touched(scene: ReviewScene) -> None:
    scene.write({"notes.txt": "mine\n", module(2): "staged = True\n"})
    scene.git("add", module(2))
    index, before = (scene.root / ".git/index").read_bytes(), scene.untouched()
    scene.tell([says(COR, problem(1), problem(2)), confirms()], [mends(1), mends(2)])
    played = scene.play(COR)
    assert (played.ending, played.exit_code, played.run.reason) == ("FIXED", 0, "2 of 2 findings fixed")
    assert scene.subjects(played.run.id) == [
        f"fix(review): correctness - COR-00{number} - repair “mean of nothing in m{number}”" for number in (1, 2)
    ]
    assert scene.entries()[1:] == [
        FixEntry(0.0, COR, (f"COR-00{number}",), (f"mean of nothing in m{number}",), (module(number),), 1)
        for number in (1, 2)
    ]
    assert (scene.untouched() == before, (scene.root / ".git/index").read_bytes() == index) == (True, True)
    assert "?? PROGRESS.txt" in scene.git("status", "--porcelain")
    assert {issue.status for issue in scene.issues()} == {"RESOLVED"}


def test_reviewers_read_at_the_same_time_and_are_entered_in_their_order(scene: ReviewScene) -> None:
    pipe, alone = scene.folder / "pipe", scene.folder / "alone"
    os.mkfifo(pipe)  # each end waits for the other
    scene.tell([
        says(COR, problem(1), run=["sh", "-c", f"timeout 30 cat {pipe} || touch {alone}"]),
        says(SEC, run=["sh", "-c", f"timeout 30 sh -c 'echo met > {pipe}' || touch {alone}"]),
    ])  # fmt: skip
    spec = scene.plan(COR, SEC, report_only=True)
    played = play_spec(scene, replace(spec, task=replace(spec.task_as(ReviewChange), at_once=2)))
    assert (played.ending, alone.exists()) == ("DEFERRED", False)
    assert [entry.reviewer for entry in scene.entries()] == [COR, SEC]
    assert played.steps == ["open_review", *["ask_reviewer"] * 2, *["enter_review"] * 2, "finish_review"]


def test_what_others_say_is_entered_before_a_limited_reviewer_is_waited_for(scene: ReviewScene) -> None:
    limit = {"outcome": "rate_limited", "limited_times": 1, "wait_s": 0.1}
    scene.tell([says(COR, problem(1), **limit), says(SEC)])
    spec = scene.plan(COR, SEC, report_only=True)
    played = play_spec(scene, replace(spec, task=replace(spec.task_as(ReviewChange), at_once=2)))
    assert [entry.reviewer for entry in scene.entries()] == [SEC, COR]
    assert [step for step in played.steps if "review" in step][1:5] == [
        "ask_reviewer", "ask_reviewer", "enter_review", "plan_wait_review",
    ]  # fmt: skip


def test_what_only_warns_is_fixed_only_with_strict(scene: ReviewScene) -> None:
    scene.tell([says(COR), says(ARC, problem(1)), confirms()], [mends(1)])
    played = scene.play(COR, ARC)
    assert (played.ending, fixes(played), scene.landed(played.run.id)) == ("DEFERRED", [], [])
    assert "1 finding is not blocking (--strict fixes them too)" in played.run.reason
    assert [issue.status for issue in scene.issues()] == ["OPEN"]
    strict = scene.play(COR, ARC, strict=True)
    assert (strict.ending, scene.subjects(strict.run.id)) == (
        "FIXED", ["fix(review): architecture - ARC-001 - repair “mean of nothing in m1”"],
    )  # fmt: skip


def test_a_minor_finding_of_a_blocking_reviewer_is_fixed_too(scene: ReviewScene) -> None:
    scene.tell([says(COR, problem(1, severity="suggestion")), confirms()], [mends(1)])
    assert scene.play(COR).ending == "FIXED"


def test_a_change_beside_the_file_of_the_finding_resolves_nothing_whoever_confirms_it(scene: ReviewScene) -> None:
    scene.tell([says(COR, problem(1)), confirms()], [mends(2), mends(2), mends(2)])
    played = scene.play(COR)
    assert (played.ending, scene.landed(played.run.id), confirmations(played)) == ("DEFERRED", [], [])
    assert [event.text.startswith("does not count: ") for event in played.told("unproven")] == [True] * 3
    assert "does not touch the file that the findings are in" in fixes(played)[1].prompt
    assert [issue.status for issue in scene.issues()] == ["FAILED"]


def test_the_reviewer_rejects_a_fix_and_its_words_reach_the_next_attempt(scene: ReviewScene) -> None:
    scene.tell([says(COR, problem(1)), confirms(STILL), confirms()], [mends(1), mends(1)])
    played = scene.play(COR)
    first, second = fixes(played)
    assert (STILL in first.prompt, f"still there: {STILL}" in second.prompt) == (False, True)
    assert (played.ending, len(scene.landed(played.run.id)), len(confirmations(played))) == ("FIXED", 1, 2)
    assert [event.data["still_there"] for event in played.told("confirmed")] == [True, False]
    entry = scene.entries()[-1]
    assert isinstance(entry, FixEntry)
    assert entry.attempts == 2


def test_a_confirmation_shows_the_finding_and_this_fix_and_no_more(scene: ReviewScene) -> None:
    scene.tell([says(COR, problem(1), problem(2)), confirms()], [mends(1), mends(2)])
    _first, second = confirmations(scene.play(COR))
    shown = [text in second.prompt for text in (module(1), "mean of nothing in m2", "+    return sum(prices) / (len")]
    assert shown == [False, True, True]


def test_three_attempts_a_failed_entry_and_the_loop_goes_on(scene: ReviewScene) -> None:
    cheat = {"delete": ["tests/test_answers.py"], "cost_usd": 0.1}
    scene.tell([says(COR, problem(1), problem(2)), confirms(), confirms(), confirms(STILL), confirms()],
               [cheat, RED, mends(1), mends(2)])  # fmt: skip
    played = scene.play(COR)
    tries = fixes(played)
    assert [asked.facts["strategy"] for asked in tries] == ["local", "search", "deep", "local"]
    assert [asked.facts["attempt"] for asked in tries] == [1, 2, 3, 1]
    assert ["refused by the gate" in tries[1].prompt, "failed verification" in tries[2].prompt] == [True, True]
    assert "test_m1" in tries[2].prompt
    assert len(confirmations(played)) == 2, "what is red or refused is not shown to the reviewer"
    failed, fixed = scene.entries()[1:]
    assert isinstance(failed, FailedEntry)
    assert (failed.findings, failed.attempts, failed.of, STILL in failed.reason) == (("COR-001",), 3, 3, True)
    assert isinstance(fixed, FixEntry)
    assert "3 of 3 (exhausted)" in scene.progress.read_text()
    assert (played.ending, played.exit_code) == ("PARTIAL", 1)
    assert [issue.status for issue in scene.issues()] == ["FAILED", "RESOLVED"]


def test_what_failed_is_tried_again_only_if_asked_for(scene: ReviewScene) -> None:
    limit = {"attempts": 1}
    scene.tell([says(COR, problem(1)), confirms(STILL)], [mends(1)], loop=limit)
    assert scene.play(COR).ending == "DEFERRED"
    assert [issue.status for issue in scene.issues()] == ["FAILED"]
    scene.tell([confirms()], [mends(1)], loop=limit)
    played = scene.play(COR)
    assert (played.ending, played.asked, scene.landed(played.run.id)) == ("DEFERRED", [], [])
    assert "(--again retries what failed)" in played.run.reason
    again = scene.play(COR, again=True)
    assert [asked.name for asked in again.asked] == ["fix_review", "confirm_fix"], "the same change is not read twice"
    assert (again.ending, [issue.status for issue in scene.issues()]) == ("FIXED", ["RESOLVED"])


def test_a_finding_whose_fix_was_thrown_away_is_open_again(scene: ReviewScene) -> None:
    scene.tell([says(COR, problem(1)), confirms()], [mends(1)])
    first = scene.play(COR)
    assert [issue.status for issue in scene.issues()] == ["RESOLVED"]
    assert scene.play(COR).ending == "DEFERRED", "its branch may still be merged"
    scene.git("branch", "-D", f"reknit/{first.run.id}")
    again = scene.play(COR)
    assert (again.ending, len(scene.landed(again.run.id))) == ("FIXED", 1)
    assert scene.histories() == {f"reknit/{COR} {module(1)}": ("OPEN", "IN_PROGRESS", "RESOLVED") * 2}


def test_a_confirmation_that_is_not_heard_ends_the_run_honestly(scene: ReviewScene) -> None:
    scene.tell([says(COR, problem(1), problem(2)), confirms(outcome="invalid_output")], [mends(1), mends(2)])
    played = scene.play(COR)
    assert (played.ending, played.exit_code, scene.landed(played.run.id)) == ("UNVERIFIED", 5, [])
    assert "correctness did not answer whether it is fixed (invalid_output)" in played.run.reason
    assert (len(fixes(played)), len(confirmations(played)), len(scene.entries())) == (1, 2, 3)
    unfixed = [(entry.findings, entry.attempts) for entry in scene.entries() if isinstance(entry, FailedEntry)]
    assert unfixed == [(("COR-001",), 1), (("COR-002",), 0)]
    assert {issue.status for issue in scene.issues()} == {"OPEN"}


def test_tests_without_a_result_before_any_change_cost_no_fix(scene: ReviewScene) -> None:
    scene.write({"run_tests.py": "raise SystemExit(3)\n"})
    scene.commit("broken tests")
    scene.tell([says(COR, problem(1))], [mends(1)])
    played = scene.play(COR)
    assert (played.ending, played.exit_code, fixes(played)) == ("UNVERIFIED", 5, [])
    assert "the tests gave no result before any change" in played.run.reason
    assert {issue.status for issue in scene.issues()} == {"OPEN"}


def test_tests_without_a_result_after_a_fix_land_nothing(scene: ReviewScene) -> None:
    silent = {"write": {module(1): f"{ANSWER}{MEAN}\n\nEMPTY = mean([])\n"}, "cost_usd": 0.1}  # no import, no report
    scene.tell([says(COR, problem(1)), confirms()], [silent])
    played = scene.play(COR)
    assert (played.ending, played.exit_code, scene.landed(played.run.id)) == ("UNVERIFIED", 5, []), played.events
    assert (len(fixes(played)), confirmations(played), len(scene.entries())) == (1, [], 2)


def test_report_only_needs_no_tests(scene: ReviewScene) -> None:
    scene.write({"run_tests.py": "raise SystemExit(3)\n", "reknit.toml": ""})
    scene.commit("no tests")
    scene.tell([says(COR, problem(1))])
    played = scene.play(COR, report_only=True)
    assert (played.ending, played.exit_code) == ("DEFERRED", 1)
    assert played.steps == ["open_review", "ask_reviewer", "enter_review", "finish_review"]


@pytest.mark.parametrize(
    ("budget", "landed", "ending"),
    [
        pytest.param(0.01, 0, "OVER_BUDGET", id="used up by the reviewer"),
        pytest.param(0.12, 1, "PARTIAL", id="used up by the first fix"),
    ],
)
def test_a_budget_that_is_used_up_ends_it(scene: ReviewScene, budget: float, landed: int, ending: str) -> None:
    scene.tell([says(COR, problem(1), problem(2)), confirms()], [mends(1), mends(2)])
    played = scene.play(COR, flags={"loop": {"budget_usd": budget}})
    assert (played.ending, len(scene.landed(played.run.id)), len(fixes(played))) == (ending, landed, landed)
    assert "spent" in played.run.reason
    assert sorted(issue.status for issue in scene.issues()) == ["OPEN"] * (2 - landed) + ["RESOLVED"] * landed


def test_a_fix_that_the_fixer_cannot_begin_waits(scene: ReviewScene) -> None:
    limited = mends(1, outcome="rate_limited", limited_times=1, wait_s=0.1)
    scene.tell([says(COR, problem(1)), confirms(outcome="rate_limited", limited_times=2, wait_s=0.1)], [limited])
    played = scene.play(COR)
    assert (played.ending, len(played.told("waiting")), len(scene.landed(played.run.id))) == ("FIXED", 3, 1)


def test_findings_of_one_category_and_file_are_one_commit_with_all_ids(scene: ReviewScene) -> None:
    second = problem(1, line=2, issue="42 is a magic number.", title="magic number")
    scene.tell([says(COR, second, problem(1)), confirms()], [mends(1)])
    played = scene.play(COR)
    assert scene.subjects(played.run.id) == ["fix(review): correctness - COR-001, COR-002 - repair 2 review findings"]
    assert len(played.asked) == 3


def test_a_finding_about_configuration_is_told_as_one_that_only_a_waiver_could_mend(scene: ReviewScene) -> None:
    scene.write({"pytest.ini": "[pytest]\n"})
    scene.commit("settings")
    scene.tell([says(COR, problem(1, file="pytest.ini", line=1, title="no settings")), confirms()], [mends(1)])
    played = scene.play(COR)
    assert (played.ending, fixes(played)) == ("DEFERRED", [])
    assert "about configuration, which a fix may not change: COR-001" in played.run.reason
