"""What reviewers are asked, what it costs, and which of their findings count."""

from dataclasses import replace
from pathlib import Path

import pytest

from reknit.core.review.answer import NumberedFinding, SavedReview
from reknit.core.review.progress_file.entries import ListedFinding, ReviewEntry
from reknit.core.review.task import ReviewChange
from reknit.workflows.review.ask_step import load_review, save_review
from tests.tools.pull_play import Played
from tests.tools.review_scene import ARC, COR, MEAN_LINE, SEC, ReviewScene, confirms, mends, module, problem, says
from tests.tools.step_services import step_services

GO_ONLY = "---\nname: go\nlevel: blocking\nprefix: GOO\nlanguages: [go]\n---\nIs this idiomatic Go?\n"
ELSEWHERE = [problem(1, file="app/none.py", issue="No such file."), problem(2, line=900, issue="No such line.")]


def reviews(played: Played) -> list[str]:
    """By name: they are asked at the same time."""
    return sorted(str(asked.facts["reviewer"]) for asked in played.asked if asked.name == "review")


def test_a_reviewer_that_finds_nothing_costs_one_call(scene: ReviewScene) -> None:
    scene.tell([says(COR), says(SEC)])
    played = scene.play(COR, SEC)
    assert (played.ending, reviews(played), len(played.asked)) == ("CLEAN", [COR, SEC], 2)
    assert played.run.spent_usd == pytest.approx(0.04)
    assert scene.entries() == [
        ReviewEntry(0.0, COR, "blocking", "PASSED"),
        ReviewEntry(0.0, SEC, "blocking", "PASSED"),
    ]
    assert played.run.reason == "2 reviewers passed the change"


def test_a_reviewer_for_another_language_is_named_and_not_called(scene: ReviewScene) -> None:
    folder = scene.folder / "reviewers"
    folder.mkdir()
    (folder / "go.md").write_text(GO_ONLY)
    scene.tell([says(COR), says("go")])
    spec = scene.plan(COR, "go")
    assert spec.task_as(ReviewChange).skipped == ("go",)
    played = scene.play(COR, "go")
    assert reviews(played) == [COR]
    assert played.told("started")[0].data["skipped"] == ["go"]
    assert [type(entry) for entry in scene.entries()] == [ReviewEntry]
    scene.write({"main.go": "package main\n"})
    scene.commit("go")
    assert reviews(scene.play("go")) == ["go"]


def test_findings_at_no_place_are_told_once_then_dropped_and_counted(scene: ReviewScene) -> None:
    scene.tell([says(COR, problem(1), *ELSEWHERE)])
    played = scene.play(COR, report_only=True)
    first, again = (asked.prompt for asked in played.asked)
    assert "You have reviewed this before" not in first
    told = again.partition("You have reviewed this before")[2]
    assert ("app/none.py:6: No such file." in told, f"{module(2)}:900: No such line." in told) == (True, True)
    [event] = played.told("reviewed")
    assert (event.data["dropped"], event.data["findings"]) == (
        2, [{"id": "COR-001", "file": module(1), "line": MEAN_LINE, "title": "mean of nothing in m1"}],
    )  # fmt: skip
    [entry] = scene.entries()
    assert isinstance(entry, ReviewEntry)
    assert [found.id for found in entry.findings] == ["COR-001"]
    assert [issue.path for issue in scene.issues()] == [module(1)]


def test_a_reviewer_that_corrects_the_place_is_heard(scene: ReviewScene) -> None:
    corrected = {**says(COR, problem(1), problem(2)), "when": "You have reviewed this before"}
    scene.tell([corrected, says(COR, problem(1), *ELSEWHERE)])
    played = scene.play(COR, report_only=True)
    [event] = played.told("reviewed")
    assert (event.data["dropped"], len(scene.issues()), len(played.asked)) == (0, 2, 2)


def test_a_review_of_which_all_was_dropped_has_not_passed(scene: ReviewScene) -> None:
    scene.tell([says(COR, *ELSEWHERE)])
    played = scene.play(COR)
    assert (played.ending, played.told("reviewed")[0].data["dropped"]) == ("DEFERRED", 2)
    assert [entry.verdict for entry in scene.entries() if isinstance(entry, ReviewEntry)] == ["NEEDS_WORK"]


def test_a_second_review_of_the_same_change_costs_no_call(scene: ReviewScene) -> None:
    scene.tell([says(COR, problem(1)), says(SEC)])
    first = scene.play(COR, SEC, report_only=True)
    second = scene.play(COR, SEC, report_only=True)
    assert (len(first.asked), len(second.asked), second.run.spent_usd) == (2, 0, 0.0)
    assert [event.data["known"] for event in second.told("reviewed")] == [True, True]
    assert (first.ending, second.ending, second.run.reason) == ("DEFERRED", "DEFERRED", first.run.reason)
    scene.write({module(2): "def answer() -> int:\n    return 42\n"})
    scene.commit("another change")
    assert len(scene.play(COR, SEC, report_only=True).asked) == 2


def test_another_instruction_is_another_question(scene: ReviewScene) -> None:
    scene.tell([says(COR)])
    scene.play(COR)
    folder = scene.folder / "reviewers"
    folder.mkdir()
    (folder / "correctness.md").write_text("---\nname: correctness\nlevel: blocking\nprefix: COR\n---\nIs it right?\n")
    played = scene.play(COR)
    assert (len(played.asked), "Is it right?" in played.asked[0].prompt) == (1, True)


def test_a_limit_is_waited_for_and_is_no_try(scene: ReviewScene) -> None:
    """After two limits, one call without a report is still followed by another."""
    limited = says(COR, outcome="rate_limited", limited_times=2, wait_s=0.1)
    scene.tell([limited])
    played = scene.play(COR)
    assert (played.ending, played.steps.count("ask_reviewer"), played.run.spent_usd) == ("CLEAN", 3, 0.02)


def test_a_reviewer_that_is_not_heard_leaves_the_rest_and_the_end_says_so(scene: ReviewScene) -> None:
    scene.tell([says(COR, problem(1)), says(SEC, outcome="invalid_output"), confirms()], [mends(1)])
    played = scene.play(COR, SEC)
    assert reviews(played) == [COR, SEC, SEC]
    assert (played.ending, played.exit_code) == ("PARTIAL", 1)
    assert "no review by security (reader: invalid_output" in played.run.reason
    assert [entry.reviewer for entry in scene.entries()] == [COR, COR, SEC]
    silent = scene.entries()[-1]
    assert isinstance(silent, ReviewEntry)
    assert (silent.verdict, silent.reason) == ("NO_ANSWER", "reader: invalid_output scripted by the story")


def test_one_that_says_needs_work_without_a_finding_was_not_heard(scene: ReviewScene) -> None:
    empty = says(COR)
    empty["report"] = {**empty["report"], "verdict": "needs_work"}
    scene.tell([empty])
    played = scene.play(COR)
    assert (played.ending, played.exit_code) == ("UNVERIFIED", 5)
    assert "reports nothing" in played.run.reason
    assert [entry.verdict for entry in scene.entries() if isinstance(entry, ReviewEntry)] == ["NO_ANSWER"]


def test_a_progress_file_that_cannot_be_written_at_the_end_changes_no_ending(scene: ReviewScene) -> None:
    scene.tell([says(COR, outcome="invalid_output")])
    played = scene.play(COR, at={"finish_review 1": scene.progress.mkdir})
    assert (played.ending, len(played.told("not_entered"))) == ("UNVERIFIED", 1)


@pytest.mark.parametrize("status", ["IGNORED", "DUPLICATE"])
def test_what_a_person_ignored_is_not_reported_again_wherever_it_moves(scene: ReviewScene, status: str) -> None:
    scene.tell([says(COR, problem(1), problem(2))])
    scene.play(COR, report_only=True)
    command = ("ignore", "I-1", "--why", "it is never empty") if status == "IGNORED" else ("duplicate", "I-1", "I-2")
    done = scene.command.run("issues", *command, cwd=scene.root)
    assert done.exit_code == 0, done.err
    text = (scene.root / module(1)).read_text()
    scene.git("mv", module(1), "app/moved.py")
    scene.write({"app/moved.py": "import math\n\nPI = math.pi\n\n\n" + text})
    scene.commit("moved")
    moved = problem(1, file="app/moved.py", line=MEAN_LINE + 5, issue="In other words: no prices, no mean.")
    scene.tell([says(COR, moved, problem(2)), confirms()], [mends(2)])
    played = scene.play(COR)
    [event] = played.told("reviewed")
    assert (
        event.data["silenced"],
        "COR-001" in str(event.data["findings"]),
        "COR-002" in str(event.data["findings"]),
    ) == (1, False, True)
    assert scene.subjects(played.run.id) == ["fix(review): correctness - COR-002 - repair “mean of nothing in m2”"]
    assert {issue.status for issue in scene.issues()} == {status, "RESOLVED"}


def test_findings_are_issues_with_source_effort_and_files(scene: ReviewScene) -> None:
    scene.tell([says(COR, problem(1, effort_1_5=4, files=2)), says(ARC, problem(2, effort_1_5=1))])
    scene.play(COR, ARC, report_only=True)
    seen = sorted((issue.sources[0].tool, issue.effort_1_5, issue.files) for issue in scene.issues())
    assert seen == [("reknit/architecture", 1, 1), ("reknit/correctness", 4, 2)]


FOUND = ListedFinding("COR-001", "logic", "mean of nothing", "app/m1.py", 6, "It divides by zero.", "return 0")


def test_it_is_found_by_run_and_reviewer(tmp_path: Path, shop: Path) -> None:
    said = SavedReview("NEEDS_WORK", (NumberedFinding(FOUND, 7, 4),), dropped=1, silenced=2)
    with step_services(tmp_path, shop) as (services, spec):
        assert load_review(services, spec, "correctness") is None
        assert save_review(services, spec, "correctness", said) == said
        assert load_review(services, spec, "correctness") == said
        assert load_review(services, spec, "security") is None
        assert load_review(services, replace(spec, run_id="r-other"), "correctness") is None
