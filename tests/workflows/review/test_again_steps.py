"""After the last fix, blocking reviewers read the whole change once more; what they then say is the ending's."""

import pytest

from reknit.core.review.answer import SECOND_LOOK
from reknit.core.review.progress_file.entries import ReviewEntry
from tests.tools.pull_play import Played
from tests.tools.review_scene import ARC, COR, SEC, ReviewScene, confirms, mends, problem, rereads, says


def looks(played: Played) -> list[str]:
    """By name: they are asked at the same time."""
    asked = [asked.facts for asked in played.asked if asked.name == "review"]
    return sorted(str(facts["reviewer"]) for facts in asked if facts["fixed"])


def listed(scene: ReviewScene) -> list[tuple[str, str, list[str]]]:
    """Reviewer, verdict and findings of each second look."""
    return [
        (entry.reviewer, entry.verdict, [finding.id for finding in entry.findings])
        for entry in scene.entries()
        if isinstance(entry, ReviewEntry) and entry.reason == SECOND_LOOK
    ]


def test_blocking_reviewers_read_the_whole_change_with_every_fix(scene: ReviewScene) -> None:
    reads = [rereads(), says(COR, problem(1)), says(SEC), says(ARC), confirms()]
    scene.tell(reads, [mends(1)], second_look=True)
    played = scene.play(COR, SEC, ARC)
    assert (played.ending, looks(played)) == ("FIXED", [COR, SEC])
    assert played.run.reason.startswith("1 of 1 finding fixed; nothing new in a second look by correctness")
    prompt = [asked.prompt for asked in played.asked if asked.name == "review"][-1]
    assert ("mean of nothing in m1" in prompt, "+    return sum(prices) / (len(prices) or 1)" in prompt) == (True, True)
    assert listed(scene) == [(COR, "PASSED", []), (SEC, "PASSED", [])]


@pytest.mark.parametrize("is_on", [True, False])
def test_it_is_skipped_without_a_fix_and_if_turned_off(scene: ReviewScene, *, is_on: bool) -> None:
    answer = confirms("still there") if is_on else confirms()
    scene.tell([says(COR, problem(1)), answer], [mends(1)] * 3, second_look=is_on)
    played = scene.play(COR)
    assert (looks(played), played.ending) == ([], "DEFERRED" if is_on else "FIXED")


def test_what_it_finds_is_left_and_the_next_run_can_fix_it(scene: ReviewScene) -> None:
    reads = [rereads(problem(2)), says(COR, problem(1)), confirms()]
    scene.tell(reads, [mends(1)], second_look=True)
    played = scene.play(COR)
    assert (played.ending, played.exit_code) == ("PARTIAL", 1)
    assert played.run.reason == "1 of 1 finding fixed; a second look found more: correctness (COR-002)"
    assert [issue.status for issue in scene.issues()] == ["RESOLVED", "OPEN"]
    assert listed(scene) == [(COR, "NEEDS_WORK", ["COR-002"])]
    scene.tell([], [mends(2)])
    resumed = scene.resume(played.run.id)
    assert scene.subjects(resumed.run.id) == [
        f"fix(review): correctness - COR-00{number} - repair “mean of nothing in m{number}”" for number in (1, 2)
    ], "on top of the fixes that the second look has read"
    assert [issue.status for issue in scene.issues()][:2] == ["RESOLVED", "RESOLVED"], (
        "the third is of its own second look"
    )


def test_what_could_not_be_fixed_is_no_news_and_stays_listed(scene: ReviewScene) -> None:
    reads = [rereads(problem(2)), says(COR, problem(1), problem(2)), confirms(), confirms("still there")]
    scene.tell(reads, [mends(1), {}, {}, {}], second_look=True)
    played = scene.play(COR)
    assert played.run.reason == ("1 of 2 findings fixed; left: COR-002; nothing new in a second look by correctness")
    assert listed(scene) == [(COR, "NEEDS_WORK", ["COR-002"])]


def test_one_that_gives_no_answer_is_named_and_the_ending_is_partial(scene: ReviewScene) -> None:
    reads = [rereads(outcome="invalid_output"), says(COR, problem(1)), confirms()]
    scene.tell(reads, [mends(1)], second_look=True)
    played = scene.play(COR)
    assert (played.ending, looks(played), listed(scene)) == ("PARTIAL", [COR, COR], [])
    assert played.run.reason == "1 of 1 finding fixed; no complete second look by correctness (reader: invalid_output)"
